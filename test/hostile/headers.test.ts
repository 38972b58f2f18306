// Header fields of 16 KB, the most that servers accept: what reads them takes time linear in their length.

import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import { normaliseIp } from "../../src/base/network/ip-range.ts";
import { decodeState } from "../../src/iiif/content-state/encode.ts";
import { parseImageRequest } from "../../src/iiif/image/grammar.ts";
import { kindOfPath, splitImagePath, splitPage } from "../../src/iiif/image/path.ts";
import { writtenFormats } from "../../src/imaging/codecs/formats.ts";
import { bearerToken, cookieValues } from "../../src/server/access/credentials.ts";
import { acceptedEncodings, preferredType } from "../../src/server/api/http/representation/accept.ts";
import { isNotModified } from "../../src/server/api/http/representation/conditional.ts";
import { acceptedLanguages, textForRanges } from "../../src/server/api/http/representation/language.ts";
import { requestedRange } from "../../src/server/api/http/representation/ranges.ts";
import { parseTarget } from "../../src/server/api/http/target.ts";
import { costOf } from "./cost.ts";
import { fill } from "./texts.ts";

const units = [
  "a",
  "a,",
  "a-",
  "a-a,",
  '"',
  '"a",',
  'W/"',
  "W/",
  " ",
  "\t",
  ",",
  ";",
  ";q=",
  "a;q=1,",
  "=",
  "a=",
  "a=b;",
  "/",
  "/a",
  "%",
  "%2F",
  "%41",
  ".",
  "..",
  "../",
  ":",
  "::",
  "[",
  "1",
  "1.",
  "0",
  "-",
  "pct:",
  "!",
  "http:/",
  "https://",
  "(",
  "(a)",
  "\\",
  "*",
  "*/*,",
  'a/b;c="',
  "Bearer ",
  "é",
  "?",
  "#",
  "&",
];
const fields = units.flatMap((unit) =>
  ["", "a", '"'].flatMap((before) => ["", "a"].map((after) => before + fill(unit, 16_000) + after)),
);

/** 2,000 labels in five languages, as a page of a collection has them. */
const labels = Array.from({ length: 2000 }, () => ({
  en: ["a"],
  de: ["b"],
  fr: ["c"],
  it: ["d"],
  "pt-BR": ["e"],
}));
const withHeader = (name: string, value: string) => new Headers({ [name]: encodeURI(value) });
const app = new Hono()
  .get("/type", (c) => c.text(preferredType(c as never, ["application/json", "text/html"])))
  .get("/encoding", (c) => c.text(acceptedEncodings(c as never).join()));
const segments = (text: string) => ({ region: text, size: text, rotation: text, file: text });

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  Accept: (text) => app.request("/type", { headers: withHeader("Accept", text) }),
  "Accept-Encoding": (text) => app.request("/encoding", { headers: withHeader("Accept-Encoding", text) }),
  "Accept-Language": (text) => {
    const ranges = acceptedLanguages(text);
    return labels.map((label) => textForRanges(label, ranges));
  },
  "If-None-Match": (text) => isNotModified(withHeader("If-None-Match", text), { etag: '"a"' }),
  "If-Modified-Since": (text) => isNotModified(withHeader("If-Modified-Since", text), { etag: '"a"' }),
  Range: (text) => requestedRange(withHeader("Range", text), 1000, '"a"'),
  Cookie: (text) => cookieValues(text, "a"),
  Authorization: (text) => bearerToken(text),
  "X-Forwarded-For": (text) => text.split(",").map(normaliseIp),
  "a target": (text) => parseTarget(text, "http://a/"),
  "a path": (text) => [kindOfPath(text), splitImagePath(text)],
  "an identifier with a page": (text) => splitPage(text),
  // An address with a content state has at most 64 KB.
  "a content state": (text) => decodeState(fill(text, 60_000)),
  "parameters of an image": (text) => parseImageRequest(3, segments(text), writtenFormats),
};

describe.each(Object.entries(readers))("%s", (_, read) => {
  test("costs less than a few milliseconds, whatever it has", async () => {
    const act = (field: string) => () =>
      Promise.resolve(field)
        .then(read)
        .catch(() => {});
    for (const field of fields) {
      const { cpuMs } = await costOf(act(field));
      if (cpuMs > 150) expect.fail(`${field.slice(0, 20)}…: ${cpuMs} ms of CPU`);
    }
  });
});
