// The pages of docs/ and their blocks of code.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const docsFolder = fileURLToPath(new URL("../../docs/", import.meta.url));

/** A page: its path below docs/ without extension, and its Markdown. */
export interface DocsPage {
  readonly path: string;
  readonly text: string;
}

export const docsPages: readonly DocsPage[] = readdirSync(docsFolder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .sort()
  .map((name) => ({ path: name.slice(0, -3), text: readFileSync(docsFolder + name, "utf8") }));

export const readme: DocsPage = {
  path: "../README",
  text: readFileSync(`${docsFolder}../README.md`, "utf8"),
};

/** A fenced block: its language, the words after it, its text, and the line where it begins. */
export interface Block {
  readonly language: string;
  readonly note: string;
  readonly text: string;
  readonly line: number;
}

export function blocksOf({ text }: DocsPage): Block[] {
  return [...text.matchAll(/^( *)```(\w*)([^\n]*)\n([\s\S]*?)^\1```$/gm)].map((found) => {
    const [, indent = "", language = "", note = "", body = ""] = found;
    const line = text.slice(0, found.index).split("\n").length;
    return { language, note: note.trim(), text: body.replaceAll(new RegExp(`^${indent}`, "gm"), ""), line };
  });
}
