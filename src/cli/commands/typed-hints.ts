// Commands in messages, for people who start `smalti` through npx or the like, which download the package and
// run it.

/** Command lines that download and run the package; each command of a message has to begin with one. */
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
