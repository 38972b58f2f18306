// The commands of the pages work. docs/contributing/documentation.md says how a page marks a block that runs
// elsewhere.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/reading/load.ts";
import { type Built, buildProgram } from "../cli/built.ts";
import { freePort } from "../servers/free-port.ts";
import { type Block, blocksOf, docsFolder, docsPages } from "./pages.ts";
import { Session } from "./session.ts";

let built: Built;
beforeAll(async () => {
  built = await buildProgram();
}, 300_000);
afterAll(() => built?.remove());

const env = new Proxy<Record<string, string>>(
  {},
  { get: (_, name) => (String(name).startsWith("SERVICE_") ? "" : "x") },
);
const isCommands = ({ language }: Block) => language === "sh";
const isRun = (block: Block) => isCommands(block) && block.note === "";
const isConfiguration = ({ language, text }: Block) => language === "yaml" && !loadConfig(text, env).problems;

const pages = docsPages.map((page) => ({ path: page.path, blocks: blocksOf(page) }));

test.for(pages.filter(({ blocks }) => blocks.some(isRun)))(
  "the commands of $path work, from the first to the last",
  { timeout: 300_000 },
  async ({ path, blocks }, context) => {
    const session = new Session(join(built.dist, "main.js"), await freePort());
    try {
      for (const block of blocks) {
        if (isConfiguration(block)) session.configure(block.text);
        if (!isRun(block)) continue;
        const { status, stdout, stderr } = session.run(block.text);
        // 127: no such program. Where all programs are installed, that is a mistake of the page.
        if (status === 127 && !process.env.CI) return context.skip(stderr);
        expect(status, `docs/${path}.md:${block.line}\n${block.text}\n${stdout}\n${stderr}`).toBe(0);
      }
    } finally {
      session.end();
    }
  },
);

describe("a block that is not run here", () => {
  const marked = pages.flatMap(({ path, blocks }) =>
    blocks
      .filter((block) => isCommands(block) && !isRun(block))
      .map(({ note, line }) => ({ note, place: `${path}:${line}` })),
  );
  test.each(marked)("$place names a test that runs it, or what it needs: $note", ({ note }) => {
    const [, file] = /^in (test\/\S+\.test\.ts)$/.exec(note) ?? [];
    if (file) expect(existsSync(join(docsFolder, "..", file))).toBe(true);
    else expect(note).toMatch(/^needs \S/);
  });
});
