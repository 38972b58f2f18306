// The origins of the WebAssembly modules: each is in the table, with its licence and its version.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { bundleBom, licenceText, packagesOf } from "../../scripts/bundle-contents.mjs";
import { upstream } from "../../scripts/upstream.mjs";
import { viewerNotices } from "../../scripts/viewer-files.mjs";
import { vulnerabilities } from "../../scripts/vulnerabilities.mjs";
import { wasmModules } from "../../src/imaging/codecs/modules.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const modules = Object.entries(wasmModules).flatMap(([name, row]) => {
  if (!("package" in row)) return [];
  return [{ name, file: row.package, from: /^(@[^/]+\/)?[^/]+/.exec(row.package)?.[0] as string }];
});
const contents = (path: string) => readFile(`${root}${path}`);

/**
 * The library, and the text in its module that has its version. lcms-wasm and @cwasm/jpeg-turbo have none.
 */
const stated: Readonly<Record<string, readonly [name: string, pattern: RegExp]>> = {
  "jpeg-turbo-8bit": ["libjpeg-turbo", /libjpeg-turbo version ([\d.]+) /],
  "mozjpeg-encode": ["mozjpeg", /mozjpeg version ([\d.]+) /],
  openjpeg: ["openjpeg", /\0(2\.\d+\.\d+)\0/],
  quickjs: ["quickjs", /QuickJS memory usage -- ([\d-]+) version/],
};

test.each(modules)("the module $name of $from was compiled from software of the table", ({ from }) => {
  const rows = upstream.filter(({ packages, version }) => version && packages.includes(from));
  expect(rows).not.toEqual([]);
});

test.each(Object.entries(stated))(
  "the module %s states the version that the table has",
  async (name, [library, pattern]) => {
    const { file, from } = modules.find((module) => module.name === name) as (typeof modules)[number];
    const [, version] = pattern.exec((await contents(`node_modules/${file}`)).toString("latin1")) ?? [];
    const row = upstream.find(({ name, packages }) => name === library && packages.includes(from));
    expect(version).toBe(row?.version);
  },
);

test("libwebp is of the version that its decoder returns", async () => {
  const folder = `${root}node_modules/@jsquash/webp/codec/dec/webp_dec`;
  const { default: start } = await import(`${folder}.js`);
  const decoder = await start({ wasmBinary: await readFile(`${folder}.wasm`) });
  // WebPGetDecoderVersion: three bytes, https://developers.google.com/speed/webp/docs/api
  const [major, minor, revision] = [16, 8, 0].map((shift) => (decoder.version() >> shift) & 255);
  expect(upstream.find(({ name }) => name === "libwebp")?.release).toBe(`${major}.${minor}.${revision}`);
});

test("each row names packages that modules come from, and texts that are there", async () => {
  const names = modules.map(({ from }) => from);
  for (const { packages, texts } of upstream) {
    expect(names).toEqual(expect.arrayContaining([...packages]));
    for (const text of texts) expect((await contents(text)).toString()).toMatch(/copyright/i);
  }
});

describe("the build's account of the modules", async () => {
  const packages = await packagesOf(
    root,
    modules.map(({ file }) => `node_modules/${file}`),
  );

  test("has the terms of every licence", async () => {
    const text = await licenceText(root, packages);
    for (const words of [
      "based in part on the work of the Independent JPEG Group",
      "Copyright (C)2009-2019 D. R. Commander.",
      "Copyright (C) 2009-2026 D. R. Commander",
      "This software is copyright (C) 1991-20",
      "Copyright (c) 2010, Google Inc.",
      "Universite catholique de Louvain",
      "Marti Maria Saguer",
      "Fabrice Bellard",
      "Rich Felker",
      "Emscripten authors",
    ])
      expect(text).toContain(words);
  });

  test("is a component for each library, on which its package depends", () => {
    const bom = bundleBom({ version: "1.0.0", packages, modules: [] });
    const openjpeg = bom.components.find(({ name }) => name === "openjpeg");
    expect(openjpeg).toMatchObject({
      version: "2.5.4",
      cpe: "cpe:2.3:a:uclouvain:openjpeg:2.5.4:*:*:*:*:*:*:*",
      purl: "pkg:github/uclouvain/openjpeg@v2.5.4",
      licenses: [{ license: { id: "BSD-2-Clause" } }],
    });
    const ofPackage = (bom.dependencies as { ref: string; dependsOn: string[] }[]).find(({ ref }) =>
      ref.includes("codec-openjpeg"),
    );
    expect(ofPackage?.dependsOn).toContain(openjpeg?.["bom-ref"]);
    const refs = bom.components.map((each) => each["bom-ref"]);
    expect(new Set(refs).size).toBe(refs.length);
  });
});

describe("the table of vulnerabilities", async () => {
  const all = await packagesOf(
    root,
    modules.map(({ file }) => `node_modules/${file}`),
  );
  const { vulnerabilities: listed } = bundleBom({ version: "1.0.0", packages: all, modules: [] });

  test("is in the bill of materials, each entry with the component that has it", () => {
    expect(listed.length).toBe(vulnerabilities.reduce((sum, { ids }) => sum + ids.length, 0));
    expect(new Set(listed.map((each) => each["bom-ref"])).size).toBe(listed.length);
    expect(listed.find(({ id }) => id === "CVE-2023-4863")).toMatchObject({
      source: { name: "NVD", url: "https://nvd.nist.gov/vuln/detail/CVE-2023-4863" },
      analysis: { state: "exploitable", response: ["workaround_available"] },
      affects: [{ ref: "upstream/libwebp/1.1.0-54-gd2e245ea" }],
    });
  });

  // https://cyclonedx.org/docs/1.5/json/#vulnerabilities_items_analysis
  test("has states and justifications of CycloneDX, and names tests and files that are there", () => {
    const states = ["resolved", "exploitable", "in_triage", "not_affected"];
    const justifications = [
      "code_not_present",
      "code_not_reachable",
      "protected_at_runtime",
      "protected_by_mitigating_control",
    ];
    for (const { state, justification, detail } of vulnerabilities) {
      expect(states).toContain(state);
      expect(state === "not_affected").toBe(justification !== undefined);
      if (justification) expect(justifications).toContain(justification);
      for (const [path] of detail.matchAll(/\b(src|test)\/[\w/.-]+\.ts/g))
        expect(existsSync(root + path)).toBe(true);
    }
  });
});

test("a package without a licence text ends the build", async () => {
  const nothing = { name: "x", version: "1.0.0", license: "MIT", home: "", directory: "src/imaging/codecs" };
  await expect(licenceText(root, [nothing])).rejects.toThrow("x 1.0.0 (MIT) has no licence text");
});

test("the notices of software bundled in the viewers are preserved", () => {
  const notices = viewerNotices();
  expect(notices.mirador?.join()).toContain("DOMPurify");
  for (const notice of notices.mirador ?? []) expect(notice.length).toBeLessThan(2000);
  expect(notices.universalviewer?.join()).toContain("jQuery JavaScript Library");
});
