// Mistakes in manifest files, each planted into a folder of its own: `smalti check`, `smalti doctor` and the
// admin page of the folder show every one.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Platform } from "../../../src/base/platform.ts";
import { run } from "../../../src/cli/cli.ts";
import { checkManifestFiles } from "../../../src/server/collection/manifest-files.ts";
import { asOperator, operator } from "../../admin/operator.ts";
import { fixturesFolder } from "../../host.ts";
import { type Served, served } from "../../served.ts";

interface Mistake {
  readonly folder: string;
  readonly name?: string;
  readonly text: string;
  /** What is said of it: file, line, key, and what to do. */
  readonly says: RegExp;
}

const whole = (more: object) =>
  JSON.stringify({ type: "Manifest", label: { en: ["A"] }, items: [{ type: "Canvas" }], ...more }, null, 1);

const mistakes: readonly Mistake[] = [
  { folder: "syntax", text: "label: A\nrights: [CC0\n", says: /manifest\.yaml, line \d+, / },
  {
    folder: "unknown",
    text: "label: A\nsumary: B\n",
    says: /line 2, sumary: unknown key; did you mean "summary"\?/,
  },
  {
    folder: "type",
    text: "label: A\nviewingDirection: 5\n",
    says: /line 2, viewingDirection: expected left-to-right/,
  },
  {
    folder: "unsafe",
    text: "label: A\nhomepage: 'javascript:alert(1)'\n",
    says: /line 2, homepage: expected an address with http or https/,
  },
  {
    folder: "image",
    text: "label: A\ncanvases:\n  bsae.png: First\n",
    says: /line 3, canvases\.bsae\.png: there is no image "bsae\.png" here; did you mean "base\.png"\?/,
  },
  {
    folder: "order",
    text: "order: [nowhere.jpg]\n",
    says: /line 1, order\.0: there is no image "nowhere\.jpg"/,
  },
  {
    folder: "languages",
    text: "label:\n  english: A\n",
    says: /line 2, label\.english: expected a language/,
  },
  { folder: "rights", text: "rights: free for all\n", says: /line 1, rights: expected a licence/ },
  {
    folder: "behaviour",
    text: "behavior: pagd\n",
    says: /line 1, behavior: unknown behavior; did you mean "paged"\?/,
  },
  { folder: "json", name: "manifest.json", text: '{ "label": "A" "rights" }', says: /manifest\.json/ },
  {
    folder: "whole",
    name: "manifest.json",
    text: '{ "type": "Manifesto" }',
    says: /line 1, type: expected Manifest/,
  },
  {
    folder: "whole-rights",
    name: "manifest.json",
    text: whole({ rights: "CC BY 4.0" }),
    says: /line \d+, rights: expected one address, .* received "CC BY 4\.0"/,
  },
  {
    folder: "whole-label",
    name: "manifest.json",
    text: whole({ summary: "A letter" }),
    says: /line \d+, summary: expected texts by language, .* received "A letter"/,
  },
  {
    folder: "whole-key",
    name: "manifest.json",
    text: whole({ metdata: [] }),
    says: /line \d+, metdata: unknown key; did you mean "metadata"\?/,
  },
  {
    folder: "whole-link",
    name: "manifest.json",
    text: whole({ homepage: [{ id: "javascript:alert(1)", type: "Text" }] }),
    says: /homepage\.0\.id: expected an address with http or https/,
  },
  { folder: "bytes", text: "label: \xff", says: /expected text in UTF-8/ },
];

let top: string;
let app: Served;
let platform: Platform;

const source = (folder = "masters") =>
  `sources: [{ name: masters, type: filesystem, root: ${JSON.stringify(join(top, folder))} }]`;

beforeAll(async () => {
  top = mkdtempSync(join(tmpdir(), "smalti-manifest-mistakes-"));
  const put = (folder: string, name: string, text: string) => {
    mkdirSync(join(top, folder), { recursive: true });
    copyFileSync(join(fixturesFolder, "base.png"), join(top, folder, "base.png"));
    writeFileSync(join(top, folder, name), text, "latin1");
  };
  for (const { folder, name = "manifest.yaml", text } of mistakes) put(`masters/${folder}`, name, text);
  put(
    "masters/collection/in",
    "manifest.yaml",
    "label: Fine\ncanvases: { base: { label: { none: One } } }\n",
  );
  writeFileSync(join(top, "masters/collection/manifest.yaml"), "items: { inn: Inside }\n");
  put("masters/both", "manifest.yaml", "label: A\n");
  put("masters/both", "manifest.json", '{ "label": "A" }');
  put("sound/pages", "manifest.yaml", "order: ['tif-multipage-3sizes.tif;2', base]\nrights: CC0\n");
  copyFileSync(
    join(fixturesFolder, "tif-multipage-3sizes.tif"),
    join(top, "sound/pages/tif-multipage-3sizes.tif"),
  );
  const fine = { rights: "http://creativecommons.org/licenses/by/4.0/", "x:own": 1, behavior: ["paged"] };
  put("sound/whole", "manifest.json", whole(fine));
  app = await served(source(), operator);
  ({ platform } = app.service);
});
afterAll(async () => {
  await app.service.close();
  rmSync(top, { recursive: true, force: true });
});

async function runHere(words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: "", err: "" };
  let code = 0;
  const write = (to: "out" | "err", text: string) => void (said[to] += text);
  const exit = (status: number) => {
    code = status;
  };
  const writeBytes = async (bytes: Uint8Array) => write("out", new TextDecoder().decode(bytes));
  await run({ ...platform, env: {}, cwd: top, write, writeBytes, exit } as Platform, words);
  return { code, ...said };
}

const configured = (folder?: string) => {
  const file = join(top, `${folder ?? "all"}.yaml`);
  writeFileSync(file, source(folder));
  return file;
};

describe("every mistake in a manifest file", () => {
  test("is a warning of smalti check, with the file", async () => {
    const { code, err } = await runHere(["check", "-config", configured()]);
    expect(code).toBe(0);
    const lines = err.split("\n");
    for (const { folder, says } of mistakes) {
      const [line = ""] = lines.filter((each) => each.includes(`warning: ${folder}/manifest.`));
      expect(line).toMatch(says);
    }
    expect(err).toContain('collection/manifest.yaml, line 1, items.inn: there is no folder "inn" here');
    expect(err).toContain("both/manifest.json: is not used, since manifest.yaml is there");
    expect(err).not.toContain("collection/in/");
  });

  test("is in the report of smalti doctor, which ends with 1", async () => {
    const { code, out, err } = await runHere(["doctor", "-config", configured(), "--json"]);
    expect([code, err]).toEqual([1, ""]);
    const report = JSON.parse(out);
    for (const { folder, name = "manifest.yaml", says } of mistakes) {
      const found = report.manifestFaults.find(({ file }: { file: string }) => file === `${folder}/${name}`);
      expect(`${folder}/${name}, ${found.text}`).toMatch(says);
    }
    expect(report.manifestFaultCount).toBe(report.manifestFaults.length);
    const text = (await runHere(["doctor", "-config", configured()])).out;
    expect(text).toContain("mistakes in manifest files, whose other parts are used:\n  ");
    expect(text).toMatch(/Found: \d+ mistakes in manifest files\.\n$/);
  });

  test("is on the admin page of its folder", async () => {
    for (const { folder, says } of mistakes) {
      const page = await (await app.get(`/admin/browse/${folder}`, { headers: asOperator })).text();
      const text = page.replace(/&quot;|&#34;/g, '"').replace(/&lt;/g, "<");
      expect(text).toContain("Mistakes in the manifest file");
      expect(text).toMatch(says);
    }
    const sound = await (await app.get("/admin/browse/collection/in", { headers: asOperator })).text();
    expect(sound).not.toContain("Mistakes in the manifest file");
  });
});

test("sound manifest files have no mistakes, with names of pages and members of extensions", async () => {
  const { code, err } = await runHere(["check", "-config", configured("sound"), "--json"]);
  expect([code, err]).toEqual([0, expect.not.stringContaining("manifest")]);
  expect((await runHere(["doctor", "-config", configured("sound")])).code).toBe(0);
});

test("a check of a large collection ends early and says so", async () => {
  const { service } = app;
  const few = await checkManifestFiles(service, { ms: 60_000, folders: 3, faults: 100 });
  expect(few).toMatchObject({ folders: 3, isComplete: false });
  const some = await checkManifestFiles(service, { ms: 60_000, folders: 1000, faults: 2 });
  expect([some.faults.length, some.isComplete]).toEqual([2, false]);
  const none = await checkManifestFiles(service, { ms: 0, folders: 1000, faults: 100 });
  expect(none).toEqual({ faults: [], folders: 0, isComplete: false });
  const all = await checkManifestFiles(service, { ms: 60_000, folders: 1000, faults: 1000 });
  expect(all).toMatchObject({ folders: mistakes.length + 4, isComplete: true });
});
