// Questions to a person at a terminal, or lines of the standard input.

import type { Prompt } from "../../../base/index.ts";

const maxCharacters = 64 * 1024;

/** See {@link Platform.prompt}. */
export function createPrompt(): Prompt {
  const { stdin, stderr } = process;
  const typed = stdin.isTTY === true;
  const lines: string[] = [];
  let line = "";
  let ended = false;
  let hidden = false;
  let wake: (() => void) | undefined;

  const feed = (key: string) => {
    if (key === "\n" || (hidden && key === "\r")) {
      lines.push(line.replace(/\r$/, ""));
      line = "";
    } else if (hidden && (key === "\x03" || key === "\x04")) ended = true;
    else if (hidden && (key === "\x7f" || key === "\b")) line = [...line].slice(0, -1).join("");
    else line += key;
  };
  const onData = (text: string) => {
    for (const key of text) feed(key);
    if (line.length + lines.join("").length > maxCharacters) ended = true;
    wake?.();
  };
  const onEnd = () => {
    // A last line without a line break.
    if (line !== "") feed("\n");
    ended = true;
    wake?.();
  };
  stdin.setEncoding("utf8");
  stdin.on("data", onData);
  stdin.on("end", onEnd);

  /** Without echo, the terminal passes on each key as it is. */
  const hide = (on: boolean) => {
    hidden = on && typed;
    if (typed) stdin.setRawMode(hidden);
  };

  return {
    typed,
    async ask(question, options) {
      hide(options?.hidden === true);
      if (typed) stderr.write(question);
      stdin.resume();
      while (lines.length === 0 && !ended)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      if (hidden) stderr.write("\n");
      hide(false);
      return lines.shift();
    },
    close() {
      hide(false);
      stdin.off("data", onData);
      stdin.off("end", onEnd);
      stdin.pause();
    },
  };
}
