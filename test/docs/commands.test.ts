// The commands of the pages work. docs/contributing/documentation.md says how a page marks a block that runs
// elsewhere.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/server/config/reading/load.ts";
import { type Built, buildProgram } from "../cli/built.ts";
import { freePort } from "../servers/free-port.ts";
import { essentialsOf, isUsed, withoutComments } from "./essentials.ts";
import { type Block, blocksOf, docsFolder, docsPages, readme } from "./pages.ts";
import { Session } from "./session.ts";

let built: Built;
beforeAll(async () => {
  built = await buildProgram();
});
afterAll(() => built?.remove());

const env = new Proxy<Record<string, string>>(
  {},
  { get: (_, name) => (String(name).startsWith("SERVICE_") ? "" : "x") },
);
const isCommands = ({ language }: Block) => language === "sh";
const isRun = (block: Block) => isCommands(block) && block.note === "";
const isConfiguration = ({ language, text }: Block) => language === "yaml" && !loadConfig(text, env).problems;

const pages = [...docsPages, readme].map((page) => ({ path: page.path, blocks: blocksOf(page) }));

test.for(pages.filter(({ blocks }) => blocks.some(isRun)))(
  "the commands of $path work, from the first to the last",
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

const addressesOf = (blocks: readonly Block[]) =>
  blocks
    .filter(({ language }) => /^(html|js)$/.test(language))
    .flatMap(({ text }) => text.match(/https:\/\/images\.example\.org\/[^"'`\s<>]*/g) ?? []);

// They share a server: none of these pages configures it.
let server: Session;
beforeAll(async () => {
  server = new Session(join(built.dist, "main.js"), await freePort());
});
afterAll(() => server?.end());

test.for(pages.filter(({ blocks }) => addressesOf(blocks).length > 0))(
  "the addresses in the HTML of $path respond",
  ({ blocks }) => {
    const commands = addressesOf(blocks).map((address) => `curl --output page '${address}'`);
    const { status, stderr } = server.run(commands.join("\n"));
    expect(status, `${commands.join("\n")}\n${stderr}`).toBe(0);
  },
);

test("a test runs a subcommand that it has as a string, not one in a comment or in another word", () => {
  const runs = (text: string) => isUsed("warm", withoutComments(text));
  expect(['run(["warm"])', "run(`warm --x`)"].map(runs)).toEqual([true, true]);
  expect(['  // "warm"', '/** "warm" */', "const warm = 1;", '"warmed"'].map(runs)).not.toContain(true);
});

describe("a block that is not run here", () => {
  const marked = pages.flatMap(({ path, blocks }) =>
    blocks
      .filter((block) => isCommands(block) && !isRun(block))
      .map(({ note, text, line }) => ({ note, text, place: `${path}:${line}` })),
  );
  const isElsewhere = ({ note }: { readonly note: string }) => note.startsWith("in ");

  test.each(marked.filter(isElsewhere))("$place is run $note, which contains its commands", (block) => {
    const files = block.note.slice("in ".length).split(" and ");
    const texts = files
      .map((file) => withoutComments(readFileSync(join(docsFolder, "..", file), "utf8")))
      .join();
    const essentials = essentialsOf(block.text);
    expect(essentials.filter((word) => !isUsed(word, texts))).toEqual([]);
    if (!files.includes("test/cli/commands/arguments.test.ts")) expect(essentials.length).toBeGreaterThan(0);
  });

  test("otherwise needs what a machine for tests does not have", () => {
    expect(
      marked.filter((block) => !isElsewhere(block)).map(({ place, note }) => [place.split(":")[0], note]),
    ).toEqual([
      ["comparison", "needs other servers and a quiet machine"],
      ["how-to/logins", "needs Apache and a terminal"],
      ["how-to/mcp", "needs Claude Code"],
      ["how-to/searchable-book", "needs Tesseract"],
      ["operations/deploy", "needs Docker"],
      ["operations/deploy", "needs a cluster"],
      ["operations/deploy", "needs systemd and root"],
      ["operations/deploy", "needs nginx, Caddy and root"],
      ["operations/troubleshooting", "needs root"],
      ["reference/runtimes", "needs an account of Cloudflare"],
      ["start/install", "needs the registry of npm"],
      ["../README", "needs the registry of npm"],
    ]);
  });
});
