// Checks the version of Node. main.ts loads this file on any Node: it imports nothing, and uses no syntax
// that Node 16 lacks.

/** The oldest Node that this runs on, as in `engines` of package.json. */
const oldestNode = [20, 9] as const;

/** One line for the operator when the runtime is too old; Deno and Bun state a version of Node as well. */
export function runtimeProblem(nodeVersion: string): string | undefined {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `expected Node ${oldestNode.join(".")} or newer, received ${nodeVersion}; install a newer Node, or run it with Deno or Bun`;
}
