// About 220 spellings of one gated identifier on each surface that shows images: none of 5,000 requests gets
// a pixel, a size, or access, with no credentials, with the login of another profile, and under rules of one
// profile and of several.
// @module-tag slow

import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { generations } from "../mcp-clients.ts";
import { bcrypt, type Gated, gated, pictures } from "./gated.ts";

const auth = `
  profiles:
    staff: { pattern: active, access_service: { backend: builtin, users: { ann: "${bcrypt}" } } }
    terms: { pattern: clickthrough, access_service: { backend: builtin }, substitute: { max_size: "!100,100" } }
    room: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.4/30] } }
    proxy: { pattern: external, access_service: { backend: header, header: X-Reader } }
  rules:
    - { match: private/*, profile: PROFILES }
    - { match: terms.png, profile: terms }
`;

let folder: string;
/** Under a rule of one profile, and of several. */
let sites: readonly Gated[];
beforeAll(async () => {
  folder = await pictures();
  const more =
    "mcp: { enabled: true }\ntrusted_proxies: [10.0.0.0/8]\naliases: [{ prefix: /old/, version: 2 }]";
  sites = await Promise.all(
    ["staff", "[staff, room, proxy]"].map((profiles) =>
      gated({ folder, more, auth: auth.replace("PROFILES", profiles) }),
    ),
  );
});
afterAll(async () => {
  await Promise.all((sites ?? []).map(({ app }) => app.service.close()));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const plain = "private/a.png";
const hex = (text: string) =>
  [...text].map((char) => `%${char.charCodeAt(0).toString(16).padStart(2, "0")}`).join("");

/** Spellings of the slash, and text inserted around or into the name. */
const slashes = [
  "/",
  "%2F",
  "%2f",
  "//",
  "%2F%2F",
  "/./",
  "/%2e/",
  "/x/../",
  "/x%2F..%2F",
  "/%2e%2e/private/",
  "\\",
  "%5C",
  "%252F",
  "%c0%af",
  "%e0%80%af",
  "%ef%bc%8f",
  "%E2%88%95",
  "/;/",
  ";/",
  ";x=1/",
  "%0A/",
  "%09/",
  "%00/",
  "/%EF%BB%BF",
  "%E2%80%8B/",
  "|",
  ":",
] as const;
const wrappings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `/${text}`,
  (text) => `./${text}`,
  (text) => `%2E/${text}`,
  (text) => `${text};1`,
  (text) => `${text}%3B1`,
  (text) => `${text};2`,
];
/** Each character by its escape, all of them, in other cases, and with something behind. */
const others = [
  ...[...plain].map((char, at) => `${plain.slice(0, at)}${hex(char)}${plain.slice(at + 1)}`),
  hex(plain),
  hex(plain).toUpperCase(),
  hex(plain).replaceAll("%", "%25"),
  "PRIVATE/a.png",
  "Private/A.png",
  "private/A.PNG",
  "ｐrivate/a.png",
  "pr\u0131vate/a.png",
  ...[
    "%00",
    "%00.jpg",
    "%20",
    ".",
    "..",
    "%2F",
    "/.",
    "?x",
    "%3Fx",
    "#x",
    "%23x",
    "~",
    "::$DATA",
    "%7Cv1%7Cfull",
  ].map((tail) => `${plain}${tail}`),
  "file:///private/a.png",
  "a:private/a.png",
  "*",
  "private",
  "private/*",
];
const spellings = [
  ...new Set([
    ...slashes.flatMap((slash) => wrappings.map((wrap) => wrap(`private${slash}a.png`))),
    ...others,
  ]),
];

/** Every address at which an identifier can be asked for. */
const surfaces: Readonly<Record<string, (identifier: string) => string>> = {
  "image of 3": (id) => `/iiif/3/${id}/full/50,/0/default.png`,
  "image of 2": (id) => `/iiif/2/${id}/full/50,/0/default.png`,
  "image of an alias": (id) => `/old/${id}/full/50,/0/default.png`,
  "a region": (id) => `/iiif/3/${id}/0,0,10,10/max/0/default.jpg`,
  "info.json of 3": (id) => `/iiif/3/${id}/info.json`,
  "info.json of 2": (id) => `/iiif/2/${id}/info.json`,
  probe: (id) => `/iiif/auth/probe/${id}`,
  "manifest of 3": (id) => `/iiif/presentation/3/${id}`,
  "manifest of 2": (id) => `/iiif/presentation/2/${id}`,
  canvas: (id) => `/iiif/presentation/3/${id}/canvas/1`,
  view: (id) => `/view/${id}`,
};

/**
 * Marks that only readers with access receive, by the beginning of the surface's name; a picture by default.
 */
const marks: readonly (readonly [surface: string, mark: RegExp])[] = [
  ["manifest", /"thumbnail"/],
  ["canvas", /"thumbnail"/],
  ["view", /og:image/],
];

/** True if a response reveals anything about the image: pixels, an address of it, or its existence. */
async function gives(surface: string, response: Response, isThere: () => Promise<boolean>): Promise<boolean> {
  const text = await response.text();
  if (/^image\//.test(response.headers.get("Content-Type") ?? "")) return true;
  // It says 200 of what no rule names, and then there has to be nothing.
  if (surface === "probe")
    return response.status === 200 && JSON.parse(text).status === 200 && (await isThere());
  // The document of a refusal has the size, since viewers need it to offer the login.
  if (surface.startsWith("info.json")) return response.status === 200;
  const [, mark] = marks.find(([name]) => surface.startsWith(name)) ?? [];
  return mark?.test(text) ?? false;
}

const callers = [
  ["nothing", async () => ({})],
  ["the login of another profile", async (site: Gated) => ({ Cookie: await site.cookie("terms") })],
  [
    "a forged address and a header that no proxy sent",
    async () => ({
      "X-Forwarded-For": "192.0.2.5",
      "X-Real-IP": "192.0.2.5",
      Forwarded: "for=192.0.2.5",
      "X-Reader": "ann",
    }),
  ],
] as const;

test("there are enough of them, and the right login sees the image under all that name it", async () => {
  expect(spellings.length * Object.keys(surfaces).length).toBeGreaterThan(1500);
  for (const site of sites) {
    const headers = { Cookie: await site.cookie("staff") };
    let seen = 0;
    for (const spelling of spellings) {
      const response = await site.app.get(surfaces["image of 3"]!(spelling), { headers });
      if (response.status === 200) seen++;
      await response.arrayBuffer();
    }
    expect(seen).toBeGreaterThan(25);
  }
});

test.each(Object.keys(surfaces))("the right login gets what others do not: %s", async (surface) => {
  for (const site of sites) {
    const headers = { Cookie: await site.cookie("staff") };
    const get = async (each: string) => {
      const response = await site.app.get(surfaces[each]!("private%2Fa.png"), { headers });
      const elsewhere = response.status === 301 ? response.headers.get("Location") : undefined;
      return elsewhere ? site.app.get(new URL(elsewhere).pathname, { headers }) : response;
    };
    const isThere = async () => (await get("image of 3")).status === 200;
    expect(await gives(surface, await get(surface), isThere)).toBe(true);
  }
});

test("no spelling gets past its rule: tools for language models", async () => {
  for (const site of sites) {
    const session = async (headers: Record<string, string>) => {
      const fetch = (url: string | URL, init: RequestInit = {}) => {
        const { pathname, host } = new URL(url);
        return site.app.get(pathname, { ...init, host });
      };
      return generations["2026-07-28"]!("https://images.example.org/mcp", { fetch, headers });
    };
    const staff = await session({ Cookie: await site.cookie("staff") });
    expect((await staff.call("get_image_info", { identifier: plain })).isError).toBe(false);
    const nobody = await session({});
    for (const spelling of spellings) {
      const { isError, content } = await nobody.call("get_image_info", { identifier: spelling });
      const isRefused = isError || !content.some(({ text = "" }) => /800/.test(text));
      expect([spelling, isRefused]).toEqual([spelling, true]);
    }
    await Promise.all([staff.close(), nobody.close()]);
  }
});

test.each(Object.keys(surfaces))("no spelling gets past its rule: %s", async (surface) => {
  for (const [n, spelling] of spellings.entries()) {
    // Each spelling with one of the callers, each caller with every third.
    const [caller, headersOf] = callers[n % callers.length]!;
    for (const [at, site] of sites.entries()) {
      const headers = (await headersOf(site)) as Record<string, string>;
      const get = (each: string) => site.app.get(surfaces[each]!(spelling), { headers, peer: "203.0.113.9" });
      const isThere = async () => (await get("image of 3")).status === 200;
      const response = await get(surface);
      expect([spelling, caller, at, await gives(surface, response, isThere)]).toEqual([
        spelling,
        caller,
        at,
        false,
      ]);
      expect(response.status).not.toBe(500);
    }
  }
});
