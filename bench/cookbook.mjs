// Serves each JSON document of the IIIF cookbook as a stored manifest file, and checks the result, in 3.0 and
// 2.1.
//
//   npm run build && node bench/cookbook.mjs COOKBOOK [--dist dist] [--keep FOLDER] [--all]
//
// COOKBOOK: a checkout or a git directory of https://github.com/IIIF/cookbook-recipes. A document of 3.0 has
// to be served unchanged except for its own id, which becomes its address, and its context, which becomes a
// string if there is only one. A document that is valid by the rules of test/iiif/presentation, and that
// @iiif/parser reads, has to stay so in 3.0 and 2.1. `--keep`: writes all documents to a folder, for other
// validators: `3` and `2` as they are served, `original` as the cookbook has them. `--all`: lists all
// documents, not only faulty ones. The exit code is 1 if any is faulty.

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { normalize } from "@iiif/parser";
import { convertPresentation2 } from "@iiif/parser/presentation-2";
import { build } from "esbuild";
import { withBuilt } from "../scripts/built-server.mjs";

const root = resolve(import.meta.dirname, "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dist: { type: "string", default: join(root, "dist") },
    keep: { type: "string" },
    all: { type: "boolean", default: false },
  },
});
if (positionals.length !== 1)
  throw new Error("expected one folder: a checkout or git directory of the cookbook");
const [cookbook] = positionals.map((path) => resolve(path));

/** Address where the cookbook is published; its files refer to it by words in braces. */
const site = "https://iiif.io/api/cookbook/";

const folder = mkdtempSync(join(tmpdir(), "smalti-cookbook-"));
try {
  const rules = await rulesOf();
  const recipes = recipesIn(cookbook);
  for (const { id, text } of recipes) write(join(folder, "masters", id), "manifest.json", text);
  const rows = [];
  await withBuilt(
    folder,
    "",
    async (base) => {
      for (const recipe of recipes) rows.push(await verdictOf(recipe, base, rules));
    },
    { dist: values.dist, quiet: true },
  );
  report(rows);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The documents: identifiers here, text, and value. */
function recipesIn(place) {
  const isCheckout = existsSync(join(place, "recipe"));
  const git = (...args) =>
    execFileSync("git", ["--git-dir", place, ...args], { encoding: "utf8", maxBuffer: 2 ** 28 });
  const paths = isCheckout
    ? readdirSync(join(place, "recipe"), { recursive: true }).map((path) => `recipe/${path}`)
    : git("ls-tree", "-r", "--name-only", "HEAD", "recipe").split("\n");
  const read = (path) => (isCheckout ? readFileSync(join(place, path), "utf8") : git("show", `HEAD:${path}`));
  return paths
    .filter((path) => path.endsWith(".json"))
    .sort()
    .map((path) => {
      const text = read(path)
        .replaceAll("{{ id.url }}", site + path)
        .replaceAll("{{ id.path }}", site + path.replace(/\/[^/]*$/, ""));
      const id = path.replace(/^recipe\/|\.json$/g, "").replaceAll("/", "--");
      return { id, text, document: JSON.parse(text) };
    });
}

/** Describes what is wrong with the served document; empty if nothing is. */
async function verdictOf({ id, document }, base, { problemsOf3, problemsOf2 }) {
  const version = "@type" in document ? 2 : 3;
  const type = document.type ?? document["@type"];
  const addresses = { 3: `${base}/iiif/presentation/3/${id}`, 2: `${base}/iiif/presentation/2/${id}` };
  const [three, two] = [await documentAt(addresses[3]), await documentAt(addresses[2])];
  keep(id, { original: document, 3: three.document, 2: two.document });
  const expected = placed(document, addresses[version]);
  const own = version === 3 ? three : two;
  const wrong = [];
  if (!isDeepStrictEqual(own.document, expected))
    wrong.push(`${version}.0: not equal: ${difference(expected, own.document)}`);
  const isSound = version === 2 || problemsOf3(document).length === 0;
  if (!isSound && three.detail && two.detail) return { id, type, isSound, two: two.status, wrong: [] };
  if (three.document && isSound)
    wrong.push(...problemsOf3(three.document).map((problem) => `3.0: ${problem}`));
  // 2.1 has no content states, which are annotations without a body.
  if (two.document) wrong.push(...problemsOf2(two.document).map((problem) => `2.1: ${problem}`));
  else if (document.type !== "Annotation" || document.body) wrong.push(`2.1: ${two.status} ${two.detail}`);
  wrong.push(...readProblems(three.document, two.document));
  return { id, type, isSound, two: two.status, wrong };
}

async function documentAt(address) {
  const response = await fetch(address);
  const body = await response.json();
  return response.ok
    ? { status: response.status, document: body }
    : { status: response.status, detail: body.detail };
}

/** Returns a document as it should be served. */
function placed(document, address) {
  const own = document.id ?? document["@id"];
  const walk = (value) => {
    if (value === own) return address;
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]));
  };
  const { "@context": context, ...members } = document;
  const contexts = [context].flat();
  return { "@context": contexts.length === 1 ? contexts[0] : contexts, ...walk(members) };
}

/** Lists what another parser cannot read in the documents. */
function readProblems(three, two) {
  const wrong = [];
  try {
    // It knows no collections of annotations.
    if (three && three.type !== "AnnotationCollection") {
      const { entities, resource } = normalize(structuredClone(three));
      if (!entities[three.type]?.[resource.id]) wrong.push("3.0: @iiif/parser does not find it");
    }
    if (two?.["@type"] === "sc:Manifest") {
      const count = convertPresentation2(structuredClone(two)).items.length;
      if (count !== three?.items?.length) wrong.push(`2.1: @iiif/parser finds ${count} canvases`);
    }
  } catch (error) {
    wrong.push(`@iiif/parser: ${error.message}`);
  }
  return wrong;
}

/** Returns the first place where two values differ. */
function difference(expected, received, path = "") {
  if (isDeepStrictEqual(expected, received)) return undefined;
  const isObject = (value) => typeof value === "object" && value !== null;
  if (!isObject(expected) || !isObject(received) || Array.isArray(expected) !== Array.isArray(received)) {
    const shown = (value) => (JSON.stringify(value) ?? "nothing").slice(0, 80);
    return `${path || "document"} is ${shown(received)} instead of ${shown(expected)}`;
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(received)])) {
    const found = difference(expected[key], received[key], `${path}/${key}`);
    if (found) return found;
  }
}

/** The rules that the tests check documents with. */
async function rulesOf() {
  const bundled = [];
  for (const name of ["rules-3", "rules-2"]) {
    const outfile = join(folder, `${name}.mjs`);
    await build({
      entryPoints: [join(root, `test/iiif/presentation/${name}.ts`)],
      bundle: true,
      format: "esm",
      outfile,
      logLevel: "warning",
    });
    bundled.push(await import(pathToFileURL(outfile).href));
  }
  return Object.assign({}, ...bundled);
}

function keep(id, documents) {
  if (values.keep === undefined) return;
  for (const [name, document] of Object.entries(documents))
    if (document) write(join(values.keep, name), `${id}.json`, JSON.stringify(document, null, 1));
}

function write(place, name, text) {
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, name), text);
}

function report(rows) {
  const width = Math.max(...rows.map(({ id }) => id.length));
  for (const { id, type, isSound, two, wrong } of rows) {
    if (!values.all && wrong.length === 0) continue;
    const verdict =
      wrong.length > 0
        ? "WRONG"
        : isSound
          ? "equal, valid"
          : two === 500
            ? "invalid: refused with the reason"
            : "equal; not within the rules of the tests";
    console.log(`${id.padEnd(width)}  ${type.padEnd(20)}  2.1: ${two}  ${verdict}`);
    for (const each of wrong) console.log(`    ${each}`);
  }
  const wrong = rows.filter((row) => row.wrong.length > 0).length;
  console.log(`${rows.length} documents: ${rows.length - wrong} right, ${wrong} wrong`);
  process.exitCode = wrong > 0 || rows.length === 0 ? 1 : 0;
}
