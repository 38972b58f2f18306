// Input from the standard input that must not be visible.

import type { Platform } from "../../../base/index.ts";

const maxBytes = 64 * 1024;

/** See {@link Platform.readSecret}. */
export const readSecret: NonNullable<Platform["readSecret"]> = async (prompt) => {
  if (process.stdin.isTTY) return { text: await typedLine(prompt), typed: true };
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of process.stdin as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > maxBytes) throw new Error(`expected at most ${maxBytes} bytes on the standard input`);
    parts.push(part);
  }
  return { text: new TextDecoder().decode(Buffer.concat(parts)).replace(/\r?\n$/, ""), typed: false };
};

function typedLine(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  // Before anybody is asked to type.
  stdin.setRawMode(true);
  stderr.write(prompt);
  stdin.setEncoding("utf8");
  stdin.resume();
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const end = () => {
      stdin.off("data", onData);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write("\n");
    };
    const onData = (text: string) => {
      for (const key of text) {
        if (key === "\r" || key === "\n" || key === "\x04") {
          end();
          resolve(typed.join(""));
          return;
        }
        if (key === "\x03") {
          end();
          reject(new Error("broken off"));
          return;
        }
        if (key === "\x7f" || key === "\b") typed = typed.slice(0, -1);
        else typed.push(key);
      }
    };
    stdin.on("data", onData);
  });
}
