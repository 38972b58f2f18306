// The examples of docs/concepts/hooks.md and its service do what the page says.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Platform } from "../../../src/base/platform.ts";
import { type HookQuestion, testHook } from "../../../src/cli/commands/hook-test.ts";
import { loadConfig, problemLines } from "../../../src/server/config/reading/load.ts";
import { withAbsolutePaths } from "../../../src/server/config/reading/paths.ts";
import { filters } from "../../../src/server/hooks/template.ts";
import { nodeFiles } from "../../../src/server/platform/files/node-files.ts";
import { freePort } from "../../servers/free-port.ts";

const page = readFileSync(new URL("../../../docs/concepts/hooks.md", import.meta.url), "utf8");

/** The blocks of the page in a language. */
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(([, text = ""]) => text);

const configs = blocks("yaml").filter((text) => text.startsWith("hook:"));
const configWith = (key: string) => configs.find((text) => text.includes(`${key}: `)) as string;
const mappings = [
  ["csv", blocks("csv")[0]],
  ["yaml", blocks("yaml").find((text) => !text.startsWith("hook:"))],
] as const;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-docs-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const env = { HOOK_SECRET: "a secret of the test" };

async function ask(config: string, question: Partial<HookQuestion> & { readonly identifier: string }) {
  const loaded = loadConfig(
    `${config}\nsources: [{ name: scans, type: filesystem, root: . }, { name: vault, type: filesystem, root: ., prefix: v/ }]`,
    env,
  );
  if (loaded.problems) throw new Error(problemLines(loaded.problems, "docs/concepts/hooks.md"));
  const platform = { env, files: nodeFiles() } as unknown as Platform;
  const { said, err } = await testHook(withAbsolutePaths(loaded.config, folder), platform, {
    headers: [],
    ...question,
  });
  return said === undefined ? err.join("\n") : said.answer;
}

describe("lookup", () => {
  test("the template", async () => {
    expect(await ask(configWith("template"), { identifier: "ms-12/3" })).toEqual({
      key: "scans/ms-12/0003.tif",
    });
    expect(await ask(configWith("template"), { identifier: "ms-12" })).toBe(false);
  });

  test("every filter is in the table", () => {
    const table = /^\| Filter \|.*?\n\n/ms.exec(page)?.[0] ?? "";
    expect(Object.keys(filters).filter((name) => !new RegExp(`\`${name}[ \`]`).test(table))).toEqual([]);
  });

  test.each(mappings)("the mapping in %s", async (end, text) => {
    writeFileSync(join(folder, `mapping.${end}`), text as string);
    const config = configWith("file").replace("mapping.csv", `mapping.${end}`);
    expect(await ask(config, { identifier: "ms-12" })).toEqual({ key: "scans/0012.tif" });
    expect(await ask(config, { identifier: "ms-13" })).toEqual({ key: "0013.tif", source: "vault" });
    expect(await ask(config, { identifier: "ms-14", function: "authorize" })).toEqual({
      allow: false,
      status: 451,
      reason: "Withdrawn by order of a court.",
    });
    expect(await ask(config, { identifier: "ms-99" })).toBe(false);
    if (end === "yaml")
      expect(await ask(config, { identifier: "ms-15", function: "overlay" })).toEqual({ image: "stamp.png" });
  });
});

describe("the service in Node", () => {
  let library: Server;
  let service: ChildProcess;
  let config: string;
  beforeAll(async () => {
    library = createServer((request, response) => {
      if (request.url !== "/api/volumes/ms-12") return void response.writeHead(404).end();
      response.end(JSON.stringify({ title: "Book of Hours", shelfmark: "MS 12" }));
    });
    await new Promise<void>((resolve) => library.listen(0, "127.0.0.1", resolve));
    const port = await freePort();
    const file = fileURLToPath(new URL("../../../docs/examples/hooks/library-service.mjs", import.meta.url));
    const LIBRARY_API = `http://127.0.0.1:${(library.address() as AddressInfo).port}/api`;
    service = spawn(process.execPath, [file], {
      env: { ...process.env, ...env, LIBRARY_API, PORT: String(port) },
      stdio: "ignore",
    });
    config = configWith("webhook").replace("127.0.0.1:9090", `127.0.0.1:${port}`);
    while (!(await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)))
      await new Promise((resolve) => setTimeout(resolve, 20));
  });
  afterAll(() => {
    service.kill();
    library.close();
  });

  test("maps shelf marks", async () => {
    expect(await ask(config, { identifier: "ms-12/3" })).toEqual({ key: "scans/ms-12/0003.tif" });
    expect(await ask(config, { identifier: "12" })).toBe(false);
  });

  test("gates a volume", async () => {
    const question = { identifier: "ms-9/1", function: "authorize" };
    expect(await ask(config, question)).toMatchObject({ allow: false, status: 403 });
    expect(await ask(config, { ...question, headers: ["X-Group: staff"] })).toBeNull();
    expect(await ask(config, { ...question, identifier: "ms-12/1" })).toBeNull();
  });

  test("describes a volume from the library's API", async () => {
    expect(await ask(config, { identifier: "ms-12", function: "presentation" })).toEqual({
      label: { en: ["Book of Hours"] },
      metadata: [{ label: { en: ["Shelf mark"] }, value: { none: ["MS 12"] } }],
    });
    expect(await ask(config, { identifier: "ms-1", function: "presentation" })).toBeNull();
  });

  test("refuses questions without its secret", async () => {
    const unsigned = config.replace("secret_env: HOOK_SECRET, ", "");
    expect(await ask(unsigned, { identifier: "ms-12/3" })).toMatch(
      /failed: the webhook responded with status 401/,
    );
  });
});
