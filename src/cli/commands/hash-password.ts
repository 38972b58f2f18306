// The command hash-password. It never takes the password as an argument, which other users of the machine
// could read.

import { costs, hashPassword } from "../../server/index.ts";
import { command } from "./command.ts";
import { CommandError } from "./command-error.ts";

export const hashPasswordCommand = command({
  name: "hash-password",
  summary: "print the hash of a password for users or htpasswd_file",
  more: "the password is typed, or read from the standard input",
  examples: ["smalti hash-password", "smalti hash-password --cost 12 < secret"],
  json: "the hash and its cost",
  flags: {
    cost: {
      kind: "number",
      value: "N",
      from: costs.least,
      to: costs.max,
      text: `from ${costs.least} to ${costs.max}, by default ${costs.usual}; each step takes twice as long`,
    },
  },
  refusal:
    "hash-password takes only --cost N and --json; type the password when it asks, or send it to the standard input",
  async run({ platform: { readSecret }, flags: { cost = costs.usual } }) {
    if (!readSecret) throw new CommandError("this runtime has no standard input");
    try {
      const { text, typed } = await readSecret("Password: ");
      if (typed && (await readSecret("Once more: ")).text !== text)
        throw new Error("the two passwords differ");
      const hash = await hashPassword(text, cost);
      return { text: `${hash}\n`, data: { hash, cost } };
    } catch (error) {
      throw new CommandError(error instanceof Error ? error.message : "the password could not be read");
    }
  },
});
