// @module-tag slow
// A megabyte of text in each format that operators, readers and other services send, but for YAML.

import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import { fromBase64Url } from "../../src/base/bytes/base64url.ts";
import { openBucket } from "../../src/base/network/s3.ts";
import { isDeep, parseJson } from "../../src/base/text/json.ts";
import { parseProperties } from "../../src/cli/commands/cantaloupe/properties.ts";
import { decodeState } from "../../src/iiif/content-state/encode.ts";
import { readState } from "../../src/iiif/content-state/read.ts";
import { joinXmp } from "../../src/imaging/codecs/jpg/markers/extended-xmp.ts";
import { readExif } from "../../src/imaging/metadata/exif.ts";
import { iptcOf } from "../../src/imaging/metadata/photoshop.ts";
import { xmpOrientation } from "../../src/imaging/metadata/xmp.ts";
import { readHtpasswd } from "../../src/server/access/passwords/htpasswd.ts";
import { readForm, readJson } from "../../src/server/api/http/body.ts";
import type { Env } from "../../src/server/api/http/context.ts";
import { canonicalJson } from "../../src/server/bookmarks/bookmarks.ts";
import { loadConfig } from "../../src/server/config/reading/load.ts";
import { readMapping } from "../../src/server/hooks/mapping.ts";
import { mappingYamlReader } from "../../src/server/hooks/mapping-yaml.ts";
import { checkResult } from "../../src/server/hooks/results.ts";
import { costOf } from "./cost.ts";
import { fill, filled } from "./texts.ts";

const inJson = {
  "open lists": fill("["),
  "open objects": fill('{"a":'),
  "empty lists": `[${fill("[],", 2 ** 20 - 1)}[]]`,
  numbers: `[${fill("1,", 2 ** 20 - 2)}1]`,
  "many members": `{${filled((n) => `"k${n}":${n},`)}"z":1}`,
  "one member again and again": `{${filled(() => '"a":1,')}"a":1}`,
  "members like indexes": `{${filled((n) => `"${n * 7919}":1,`)}"z":1}`,
  "one member many times in others": `{${filled((n) => `"k${n}":{"lable":5},`)}"z":{}}`,
  "lone surrogates": `{"a":"${fill("\\ud800", 2 ** 20 - 4)}"}`,
  "an open string": `"${fill('\\"')}`,
  "quotes in a row": fill('"'),
} as const satisfies Readonly<Record<string, string>>;

const inLines = {
  "a long number": fill("9"),
  backslashes: fill("\\"),
  "continued lines": `a=${fill("b\\\n")}`,
  quotes: `a${fill('"')}`,
  commas: fill(","),
  colons: fill(":"),
  "equals signs": `${fill("=")}a`,
  slashes: `${fill("/")}a`,
  dots: `${fill(".")}a`,
  "signs of less": fill("<"),
  "open references": fill("&#"),
  "empty lines": fill("\n"),
  "lines of Windows": fill("\r\n"),
  "blanks in a line": `a${fill(" ")}b`,
  NULs: fill("\0"),
  comments: fill("#\n"),
  "tiny lines": fill("a\n"),
  "percent signs": fill("%"),
  "keys and values": filled((n) => `k${n}: v${n}\n`),
} as const satisfies Readonly<Record<string, string>>;

/** Properties of XMP between blanks, and elements of XML that begin and do not end. */
const inXml = (element: string) => ({
  "blanks between": `${"<a/>"}${fill(" ")}b`,
  "open elements": fill(`<${element}>`),
  "open ends": fill(`</${element}`),
  elements: fill(`<${element}>a</${element}>`),
  "attributes without an end": fill(`${element}="`),
  "attributes of blanks": fill(`${element}= `),
});

const bytesOf = (text: string) => new TextEncoder().encode(text);
const mappingYaml = mappingYamlReader({});
const mapping = (name: string) => (text: string) => readMapping(name, bytesOf(text), mappingYaml);

/** Sends a text to a route that reads it, and returns the response. */
function body(type: string, read: typeof readForm | typeof readJson) {
  const app = new Hono<Env>().post("/", async (c) => c.json(JSON.stringify(await read(c, 2 ** 21)).length));
  app.onError((error) => {
    throw error;
  });
  return (text: string) =>
    app.request("/", { method: "POST", body: text, headers: { "Content-Type": type } });
}

async function listing(text: string): Promise<void> {
  const bucket = openBucket({
    bucket: "b",
    region: "r",
    endpoint: "http://localhost",
    pathStyle: true,
    credentials: undefined,
    timeoutMs: 60_000,
    fetch: async () => new Response(text),
  });
  for await (const _ of bucket.list(""));
}

const hooked = (text: string) => {
  const answer = parseJson(text, { withoutPrototypes: true });
  return [checkResult("overlay", answer), checkResult("resolve", answer), checkResult("authorize", answer)];
};
const state = (text: string) => canonicalJson(readState(decodeState(text)));
/** States have at most 64 KiB as JSON. */
const short = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.slice(0, 60_000)]));
const svg = (text: string) =>
  JSON.stringify({
    type: "Annotation",
    target: {
      type: "SpecificResource",
      source: "http://a/canvas",
      selector: { type: "SvgSelector", value: text },
    },
  });

type Row = readonly [texts: Readonly<Record<string, string>>, parse: (text: string) => unknown];

/** Texts and a parser by what it reads. Each text may be refused by an Error that says why. */
const rows: Readonly<Record<string, Row>> = {
  "a configuration": [inLines, (text) => loadConfig(text, {})],
  "a mapping in CSV": [
    {
      ...inLines,
      rows: `identifier,key\n${filled((n) => `k${n},v${n}\n`)}`,
      "quotes in a field": `identifier,key\n"${fill('""')}"`,
      "an open field": `identifier,key\n"${fill("a\n")}`,
      "many columns": fill("identifier,"),
    },
    mapping("a.csv"),
  ],
  "a mapping in JSON": [inJson, mapping("a.json")],
  "a password file": [
    { ...inLines, users: filled((n) => `user${n}:{SHA}${n}\n`) },
    (text) => readHtpasswd(bytesOf(text)),
  ],
  "properties of Cantaloupe": [inLines, parseProperties],
  "the answer of a hook": [inJson, hooked],
  "the answer of a provider": [inJson, isDeep],
  "a form": [
    { ...inLines, fields: fill("a=%41&"), ampersands: fill("&") },
    body("application/x-www-form-urlencoded", readForm),
  ],
  "a body in JSON": [inJson, body("application/json", readJson)],
  "a token in base64url": [{ ...inLines, letters: fill("QUFB") }, fromBase64Url],
  "a content state": [
    {
      ...short(inJson),
      ...inLines,
      "letters of base64": fill("QUFB"),
      "an address of many parts": `https://a/?${fill("iiif-content&", 2 ** 20 - 20)}`,
      "a path of many parts": `https://a/${fill("?iiif-content", 2 ** 20 - 20)}`,
    },
    state,
  ],
  "an outline in a content state": [
    short({
      ...inLines,
      ...inXml("path d"),
      shapes: `<svg>${fill('<path d="M0 0"/>')}`,
      "a path of digits": `<svg><path d="${fill("0")}`,
      "a path of points": `<svg><path d="${fill("1 ", 50_000)}z"/></svg>`,
    }),
    (text) => state(svg(text)),
  ],
  "a listing of a bucket": [{ ...inLines, ...inXml("Contents"), ...inXml("Key") }, listing],
  "an XMP packet": [
    { ...inLines, ...inXml("tiff:Orientation"), "many digits": `tiff:Orientation="${fill("9")}` },
    (text) => xmpOrientation(bytesOf(text)),
  ],
  "an XMP packet in two parts": [
    { ...inLines, ...inXml("xmpNote:HasExtendedXMP") },
    (text) => joinXmp(bytesOf(`${text}</rdf:RDF>`), bytesOf("<rdf:RDF>a</rdf:RDF>")),
  ],
  "an EXIF block": [inLines, (text) => readExif(bytesOf(`MM\0*\0\0\0\b${text}`))],
  "resources of Photoshop": [
    {
      ...inLines,
      resources: fill("8BIM\x04\x04\0\0\0\0\0\0"),
      "data sets": `8BIM\x04\x04\0\0\0\x0f\0\0${fill("\x1c\x02\x19\0\0")}`,
    },
    (text) => iptcOf(bytesOf(text)),
  ],
};

describe.each(Object.entries(rows))("a megabyte as %s costs less than a second", (_, [texts, parse]) => {
  test.each(Object.entries(texts))("%s", async (_, text) => {
    const { cpuMs, result } = await costOf(async () => {
      try {
        await parse(text);
        return "";
      } catch (error) {
        return (error as Error).message;
      }
    });
    expect(cpuMs).toBeLessThan(4000);
    expect(result).not.toMatch(/call stack|is not a function|undefined/i);
    expect(result.length).toBeLessThan(1000);
  });
});
