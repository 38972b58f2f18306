// The search finds what readers look for, by the words that they type.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createIndex, find, type Section } from "../../scripts/site/browser/find.js";
import { readSearchWords } from "../../scripts/site/contents.mjs";
import { sectionsOf } from "../../scripts/site/sections.mjs";
import { buildSite } from "../../scripts/site/site.mjs";
import { docsFolder } from "./pages.ts";

/** The page, or section, of the first result, and pages of the second and third. */
const wanted: Readonly<Record<string, readonly [string, ...string[]]>> = {
  slow: ["operations/troubleshooting"],
  "401": ["operations/troubleshooting", "concepts/authorization"],
  login: ["how-to/logins"],
  https: ["start/behind-a-domain"],
  tls: ["start/behind-a-domain"],
  cors: ["operations/troubleshooting"],
  memory: ["operations/sizing"],
  cantaloupe: ["coming-from/cantaloupe"],
  s3: ["how-to/s3-bucket", "concepts/caching"],
  watermark: ["how-to/watermark"],
  tile: ["how-to/export-static-tiles", "operations/troubleshooting"],
  purge: ["how-to/purge"],
  "404": ["operations/troubleshooting"],
  docker: ["operations/deploy", "start/install"],
  blurry: ["operations/troubleshooting"],
  colour: ["concepts/fidelity", "operations/troubleshooting"],
  color: ["concepts/fidelity"],
  jp2: ["how-to/jp2-archive"],
  manifest: ["how-to/manifest-metadata"],
  backup: ["operations/upgrading"],
  upgrade: ["operations/upgrading"],
  europeana: ["how-to/harvest"],
  "oai-pmh": ["how-to/harvest"],
  "rate limit": ["operations/troubleshooting#429-rate-limit"],
  EACCES: ["operations/troubleshooting"],
  "permission denied": ["operations/troubleshooting"],
  "how do I convert": ["how-to/convert-and-warm"],
  "How do I purge the cache?": ["how-to/purge"],
  base_url: ["reference/configuration"],
  source_slow: ["reference/errors"],
  "limits.max_in_flight_per_ip": ["reference/configuration"],
  smalti_http_requests_total: ["reference/metrics"],
  letsencrypt: ["start/behind-a-domain"],
  "let's encrypt": ["start/behind-a-domain"],
  ssl: ["start/behind-a-domain"],
  certificate: ["start/behind-a-domain"],
  umlaut: ["operations/troubleshooting", "start/own-folder"],
  "special characters": ["start/own-folder"],
  ocr: ["how-to/searchable-book", "faq"],
  transkribus: ["how-to/searchable-book"],
  "full text search": ["faq#can-readers-search-the-text-of-the-pages-ocr"],
  ldap: ["how-to/logins#trust-a-header-from-your-proxy"],
  saml: ["how-to/logins#trust-a-header-from-your-proxy"],
  shibboleth: ["how-to/logins#trust-a-header-from-your-proxy"],
  oauth: ["how-to/logins#log-in-with-openid-connect-keycloak-entra-id"],
  "azure ad": ["how-to/logins#log-in-with-openid-connect-keycloak-entra-id"],
  "password reset": ["how-to/logins#ask-for-a-password"],
  "restrict by ip": ["how-to/logins#open-images-in-the-reading-room-only"],
  windows: ["reference/runtimes#windows-and-macos"],
  robots: ["faq#how-do-i-keep-search-engines-bots-and-ai-crawlers-away"],
  "robots.txt": ["operations/crawlers#robotstxt-and-known-crawlers"],
  bots: ["faq#how-do-i-keep-search-engines-bots-and-ai-crawlers-away"],
  "sort order": ["concepts/presentation#describe-a-folder"],
  rtl: ["concepts/presentation#describe-a-folder"],
  "hide a folder": ["concepts/presentation"],
  "change port": ["start/install#is-it-running"],
  EADDRINUSE: ["operations/troubleshooting#it-does-not-start"],
  "delete cache": ["how-to/purge"],
  "clear the cache": ["how-to/purge"],
  "log rotation": ["operations/monitoring#logs"],
  logrotate: ["operations/monitoring#logs"],
  multipage: ["faq#why-is-the-second-page-2"],
  "multi-page tiff": ["faq#why-is-the-second-page-2"],
  tiff: ["how-to/convert-and-warm"],
  pyramid: ["how-to/convert-and-warm#convert-slow-files"],
  "thumbnail size": ["concepts/presentation#what-viewers-receive"],
  "dark mode": ["concepts/viewing#choose-the-viewer"],
  translation: ["concepts/viewing#choose-the-viewer"],
  cookie: ["how-to/viewer-logins", "concepts/authorization"],
  iframe: ["how-to/embed-viewer"],
  wordpress: ["how-to/embed-viewer"],
  "docker compose": ["operations/deploy#with-compose"],
  "docker-compose": ["operations/deploy#with-compose"],
  kubernetes: ["operations/deploy#on-kubernetes"],
  helm: ["operations/deploy#on-kubernetes"],
  systemd: ["operations/deploy#as-a-service-of-systemd"],
  "out of memory": ["operations/troubleshooting#memory-grows-or-the-system-ends-the-process"],
  oom: ["operations/troubleshooting#memory-grows-or-the-system-ends-the-process"],
  "403": ["operations/troubleshooting#401-access-is-denied"],
  "429": ["operations/troubleshooting#429-rate-limit"],
  "500": ["operations/troubleshooting#500-an-image-cannot-be-read"],
  "502": ["operations/troubleshooting#502-or-504-the-proxy-gets-no-response"],
  "503": ["operations/troubleshooting#503-try-again"],
  "bad gateway": ["operations/troubleshooting#502-or-504-the-proxy-gets-no-response"],
  "blank viewer": ["operations/troubleshooting#viewers-load-nothing-or-ids-begin-with-http"],
  "mixed content": ["operations/troubleshooting#viewers-load-nothing-or-ids-begin-with-http"],
  "upside down": ["operations/troubleshooting#the-image-lies-on-its-side"],
  restore: ["operations/upgrading#backup"],
  rename: ["how-to/map-identifiers", "faq"],
  migrate: ["coming-from/cantaloupe", "operations/upgrading"],
  exif: ["concepts/fidelity#metadata"],
  gps: ["concepts/fidelity#metadata"],
  cmyk: ["concepts/fidelity#colour"],
  "16 bit": ["concepts/fidelity#depth-and-alpha"],
  copyright: ["how-to/manifest-metadata"],
  licence: ["faq", "how-to/manifest-metadata"],
  license: ["how-to/manifest-metadata", "faq"],
  "disable download": ["faq#can-i-forbid-downloads"],
  "api key": ["faq#are-there-api-keys"],
  gdpr: ["faq#does-it-send-data-anywhere"],
  analytics: ["faq#does-it-send-data-anywhere"],
  pdf: ["faq#what-about-pdf-video-heic-avif-and-jpeg-xl"],
  video: ["faq#what-about-pdf-video-heic-avif-and-jpeg-xl"],
  "deep zoom": ["faq#which-iiif-apis-does-it-implement"],
  mysql: ["faq#do-i-need-a-database"],
  upload: ["faq#can-readers-upload-images-or-annotate-them"],
  annotations: ["concepts/presentation#annotations"],
  azure: ["how-to/logins", "how-to/s3-bucket"],
  nfs: ["concepts/sources#folders"],
  "load balancer": ["operations/scaling"],
  "high availability": ["operations/scaling"],
  "environment variables": ["reference/configuration"],
  "health check": ["operations/monitoring"],
  grafana: ["operations/monitoring"],
  chatgpt: ["how-to/mcp"],
  glossary: ["reference/terms"],
  "symbolic link": ["concepts/sources#folders"],
  ".htaccess": ["how-to/logins#ask-for-a-password"],
  allowlist: ["how-to/logins#open-images-in-the-reading-room-only"],
  "google indexing": ["faq#how-do-i-keep-search-engines-bots-and-ai-crawlers-away"],
  "http instead of https": ["operations/troubleshooting#viewers-load-nothing-or-ids-begin-with-http"],
  "wrong colors": ["operations/troubleshooting#colours-differ-or-the-image-is-dark"],
  "page order": ["concepts/presentation#describe-a-folder"],
  "windows service": ["reference/runtimes#windows-and-macos"],
  "change language": ["concepts/viewing#choose-the-viewer"],
  geotiff: ["reference/formats"],
};

const folder = mkdtempSync(join(tmpdir(), "smalti-search-"));
let sections: readonly Section[];
let index: ReturnType<typeof createIndex>;
beforeAll(async () => {
  await buildSite(folder);
  sections = JSON.parse(readFileSync(join(folder, "assets/sections.json"), "utf8")) as readonly Section[];
  index = createIndex(sections);
});
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

test("every section that has words of readers is there", () => {
  const addresses = new Set(sections.map(({ address }) => address));
  const words = readSearchWords(docsFolder);
  expect(words.size).toBeGreaterThan(50);
  expect([...words.keys()].filter((address) => !addresses.has(address))).toEqual([]);
});

test.each(Object.entries(wanted))("%s leads to %j", (words, [first, ...others]) => {
  const ids = find(index, words)
    .slice(0, 3)
    .map(({ id }) => String(id).replace(".html", ""));
  const pages = ids.map((id) => id.replace(/#.*$/, ""));
  expect(first.includes("#") ? ids[0] : pages[0]).toBe(first);
  expect(pages).toEqual(expect.arrayContaining(others));
});
