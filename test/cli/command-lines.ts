// Command lines of the built program in one process, which loads the program once.

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface Output {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CommandLine {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Starts a process for command lines of the program `main`. It has none of the variables of this one. */
export function startCommandLines(main: string) {
  const script = fileURLToPath(new URL("command-lines.mjs", import.meta.url));
  const child = fork(script, [main], { execArgv: [], env: {} });
  let last: Promise<unknown> = Promise.resolve();

  const send = (line: CommandLine) =>
    new Promise<Output>((resolve, reject) => {
      const onEnd = () => reject(new Error(`no command line could be run after ${line.args.join(" ")}`));
      child.once("exit", onEnd);
      child.once("message", (output) => {
        child.off("exit", onEnd);
        resolve(output as Output);
      });
      child.send(line);
    });

  return {
    /** Runs one when those before have ended. Rejects if one of them has ended the process. */
    run(line: CommandLine): Promise<Output> {
      const ended = last.then(() => send(line));
      last = ended.catch(() => {});
      return ended;
    },
    end: () => void child.kill("SIGKILL"),
  };
}
