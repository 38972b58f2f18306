// Required statements of collections, without which Mirador 3 stays blank on a collection.

import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FileSystem } from "../../../../src/base/platform.ts";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { served } from "../../../served.ts";
import { type Laid, layFolder } from "./folder.ts";
import { type Json, json, walk } from "./walk.ts";

const base = "http://images.test";
const root = "/iiif/presentation/3";

let laid: Laid;

beforeEach(async () => {
  laid = await layFolder();
  await laid.put("shelf/case/book/1.jpg", "jpg-gray.jpg");
  await laid.put("other/book/1.jpg", "jpg-gray.jpg");
});
afterEach(() => laid.drop());

const provider = (name: string) =>
  `provider: { label: { en: [${name}], de: [${name} (de)] }, homepage: https://library.example/ }\n`;

/** Value of the statement of a document in 3.0, and its form in 2.1. */
async function statements(app: Awaited<ReturnType<typeof served>>, id = "") {
  const path = id && `/${id}`;
  const { requiredStatement } = await json(app, root + path);
  const { attribution } = await json(app, `/iiif/presentation/2${path}`);
  return [requiredStatement?.value, attribution];
}

const both = (name: string) => [
  { en: [name], de: [`${name} (de)`] },
  [
    { "@value": name, "@language": "en" },
    { "@value": `${name} (de)`, "@language": "de" },
  ],
];

test("a collection names its provider, or the nearest one of the folders above it", async () => {
  await laid.write("manifest.yaml", provider("Library"));
  await laid.write("shelf/manifest.yaml", provider("Archive"));
  const app = await served(laid.yaml());
  expect(await statements(app)).toEqual(both("Library"));
  expect(await statements(app, "other")).toEqual(both("Library"));
  expect(await statements(app, "shelf")).toEqual(both("Archive"));
  expect(await statements(app, "shelf/case")).toEqual(both("Archive"));
  // Others than collections do not need one.
  expect(await statements(app, "shelf/case/book")).toEqual([undefined, undefined]);
  await walk(app, root, { base, renames: true });
});

test("a collection of the configured provider names it, unless a folder has one", async () => {
  await laid.write("shelf/manifest.yaml", provider("Archive"));
  const app = await served(`presentation: { provider: { label: The library } }\n${laid.yaml()}`);
  for (const id of ["", "other"])
    expect(await statements(app, id)).toEqual([{ none: ["The library"] }, "The library"]);
  expect(await statements(app, "shelf/case")).toEqual(both("Archive"));
});

test("a collection without any provider has the title of the service", async () => {
  const titled = await served(`presentation: { title: { en: [Prints] } }\n${laid.yaml()}`);
  expect((await statements(titled, "shelf"))[0]).toEqual({ en: ["Prints"] });
  const plain = await served(laid.yaml());
  expect(await statements(plain, "shelf")).toEqual([{ none: ["files"] }, "files"]);
  await laid.write("manifest.yaml", "label: Drawings\n");
  expect(await statements(await served(laid.yaml()), "shelf")).toEqual([{ none: ["Drawings"] }, "Drawings"]);
});

test("a statement of the operator stays", async () => {
  await laid.write("manifest.yaml", provider("Library"));
  await laid.write(
    "shelf/manifest.yaml",
    `${provider("Archive")}requiredStatement: { label: Credit, value: Please cite }\n`,
  );
  const app = await served(laid.yaml());
  expect((await json(app, `${root}/shelf`)).requiredStatement).toEqual({
    label: { none: ["Credit"] },
    value: { none: ["Please cite"] },
  });
});

test("a stored collection gets one too, which follows the folders above it", async () => {
  await laid.write("manifest.yaml", provider("Library"));
  await laid.write(
    "stored/manifest.json",
    JSON.stringify({ type: "Collection", label: { none: ["Stored"] }, items: [] }),
  );
  await laid.write(
    "older/manifest.json",
    JSON.stringify({
      "@context": "http://iiif.io/api/presentation/2/context.json",
      "@type": "sc:Collection",
      label: "Older",
    }),
  );
  const app = await served(laid.yaml());
  expect(await statements(app, "stored")).toEqual(both("Library"));
  expect(await statements(app, "older")).toEqual(both("Library"));
  await laid.write("manifest.yaml", provider("Museum"));
  expect(await statements(app, "stored")).toEqual(both("Museum"));
  expect(await statements(app, "older")).toEqual(both("Museum"));
});

test("the parts of a long collection have one", async () => {
  for (let at = 0; at < 1001; at++) await laid.write(`long/${at}/manifest.yaml`, "");
  await laid.write("manifest.yaml", provider("Library"));
  const app = await served(laid.yaml());
  // The folders above are waited for one second, which a busy machine may exceed.
  for (const id of ["long", "long/_part/2"])
    await expect.poll(() => statements(app, id)).toEqual(both("Library"));
});

test("a folder above that does not respond is left out, until it responds", async () => {
  await laid.write("shelf/manifest.yaml", provider("Archive"));
  let respond = () => {};
  const hung = new Promise<void>((resolve) => {
    respond = resolve;
  });
  const usual = nodeFiles();
  const files: FileSystem = {
    ...usual,
    async *list(path, ...rest) {
      if (path === join(laid.root, "shelf")) await hung;
      yield* usual.list(path, ...rest);
    },
  };
  const app = await served(laid.yaml(), {}, { files });
  expect((await json(app, `${root}/shelf/case`)).requiredStatement.value).toEqual({ none: ["files"] });
  respond();
  await expect
    .poll(async () => (await json(app, `${root}/shelf/case`)).requiredStatement.value)
    .toEqual(both("Archive")[0]);
});

test("the provider of a folder whose documents are for readers with access is not named to others", async () => {
  await laid.write("manifest.yaml", provider("Library"));
  await laid.write("shelf/manifest.yaml", provider("Secret"));
  const app = await served(`
auth:
  profiles: { shut: { pattern: clickthrough, documents: gated, access_service: { backend: builtin } } }
  rules: [{ match: shelf, profile: shut }]
${laid.yaml()}`);
  const document: Json = await json(app, `${root}/shelf/case`);
  expect(document.requiredStatement.value).toEqual(both("Library")[0]);
});
