// Commands in messages, as a person types them who has no program `smalti`: npx and its like download the
// package and run it.

/** Programs that run the package by its name, which has to be in each command that they are given. */
const runner = /^(?:npx|bunx|pnpm dlx|deno run .*) (?:npm:)?smalti$/;

/**
 * Returns a function that puts the command of this start in place of `smalti` before commands, flags and
 * operands. `program`: how a person starts it, undefined if that is unknown; `names`: the names of commands.
 */
export function createHints(program: string | undefined, names: readonly string[]): (text: string) => string {
  if (program === undefined || !runner.test(program)) return (text) => text;
  const words = [...new Set(names.map((name) => name.split(" ")[0]))].join("|");
  const hint = new RegExp(
    `(?<!npx |bunx |dlx |npm:|[\\w/.-])smalti (?=(?:${words}|DIR|COMMAND)\\b|--?[a-z])`,
    "g",
  );
  return (text) => text.replace(hint, `${program} `);
}
