// The search finds what readers look for, by the words that they type.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createIndex, find, type Section } from "../../scripts/site/browser/find.js";
import { sectionsOf } from "../../scripts/site/sections.mjs";
import { buildSite } from "../../scripts/site/site.mjs";

/** The page of the first result, and pages of the second and third. */
const wanted: Readonly<Record<string, readonly [string, ...string[]]>> = {
  slow: ["operations/troubleshooting", "operations/monitoring"],
  "401": ["operations/troubleshooting", "concepts/authorization", "how-to/logins"],
  login: ["how-to/logins"],
  https: ["start/behind-a-domain", "operations/troubleshooting"],
  tls: ["start/behind-a-domain"],
  cors: ["operations/troubleshooting", "reference/authorization-services"],
  memory: ["operations/sizing", "operations/troubleshooting"],
  cantaloupe: ["coming-from/cantaloupe"],
  s3: ["how-to/s3-bucket", "concepts/caching"],
  watermark: ["how-to/watermark"],
  tile: ["how-to/export-static-tiles", "operations/troubleshooting"],
  purge: ["how-to/purge", "how-to/collection", "concepts/caching"],
  "404": ["operations/troubleshooting"],
  docker: ["operations/deploy", "start/install"],
  blurry: ["operations/troubleshooting"],
  colour: ["concepts/fidelity", "operations/troubleshooting"],
  color: ["concepts/fidelity", "operations/troubleshooting"],
  jp2: ["how-to/jp2-archive"],
  manifest: ["how-to/manifest-metadata", "operations/troubleshooting"],
  backup: ["operations/upgrading"],
  upgrade: ["operations/upgrading", "faq"],
  "rate limit": ["operations/troubleshooting"],
  EACCES: ["operations/troubleshooting"],
  "permission denied": ["operations/troubleshooting"],
  "how do I convert": ["how-to/convert-and-warm"],
  "How do I purge the cache?": ["how-to/collection", "how-to/purge"],
  base_url: ["reference/configuration"],
  source_slow: ["reference/errors"],
  "limits.max_in_flight_per_ip": ["reference/configuration"],
  smalti_http_requests_total: ["reference/metrics"],
};

const folder = mkdtempSync(join(tmpdir(), "smalti-search-"));
let index: ReturnType<typeof createIndex>;
beforeAll(async () => {
  await buildSite(folder);
  index = createIndex(
    JSON.parse(readFileSync(join(folder, "assets/sections.json"), "utf8")) as readonly Section[],
  );
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

test("sections with most words are found if none has all of them", () => {
  const found = find(index, "cantaloupe properties xylophone");
  expect(found.length).toBeGreaterThan(0);
  for (const { queryTerms } of found) expect(queryTerms).toHaveLength(2);
  expect(found[0]?.id).toMatch(/^coming-from\/cantaloupe/);
});

test("the text of sections has characters instead of entities", () => {
  const html = `<h2 id="a">A &#x27;b&#39;</h2><pre>printf &#x27;%s\n&#X27; &amp;lt; &lt;&quot;&gt;&nbsp;x &unknown;</pre>`;
  expect(sectionsOf({ path: "a", title: "A", html })).toEqual([
    expect.objectContaining({ heading: "A 'b'", text: `printf '%s ' &lt; <"> x &unknown;` }),
  ]);
});

test.each(Object.entries(wanted))("%s leads to %j", (words, [first, ...others]) => {
  const pages = find(index, words)
    .slice(0, 3)
    .map(({ id }) => String(id).replace(/\.html.*$/, ""));
  expect(pages[0]).toBe(first);
  expect(pages).toEqual(expect.arrayContaining(others));
});
