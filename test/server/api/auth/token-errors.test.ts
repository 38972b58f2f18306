// The errors of the token services in words: what is wrong and what to do, in all languages (Authorization
// Flow 2.0, section 4.5; Authentication 1.0, section 2.3.3).

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Served } from "../../../served.ts";
import { type Browser, browserOf, postedBy, servedWithAuth, viewer } from "./served.ts";

const own = "https://images.example.org";
const languages = ["de", "en", "es", "fr", "it", "nl"];

let app: Served;
let broken: Served;
let kiosk: Browser;
beforeAll(async () => {
  app = await servedWithAuth();
  // Nothing listens at port 1.
  broken = await servedWithAuth({
    more: "session: { backend: redis, redis: { addr: '127.0.0.1:1', timeout: 50ms } }",
  });
  kiosk = browserOf(app);
  await kiosk.visit("/iiif/auth/login/room", { peer: "192.0.2.5" });
});
afterAll(() => Promise.all([app, broken].map(({ service }) => service.close())));

interface Texts {
  readonly [language: string]: readonly string[];
}

interface Asked {
  readonly by?: () => Browser;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const usual = { messageId: "1", origin: viewer };
const somebody = { Cookie: `service_session=${"A".repeat(43)}` };

/** How each error comes about; whether its reader would have access in the viewer of the service itself. */
const errors: readonly (readonly [profile: string, asked: Asked, elsewhere: boolean, reason: RegExp])[] = [
  ["invalidRequest", { query: { origin: viewer } }, true, /one messageId and one origin/],
  ["invalidOrigin", { query: { ...usual, origin: "https://other.example" } }, true, /another site/],
  ["missingAspect", {}, true, /blocks cookies of other sites/],
  ["missingAspect", { by: () => kiosk }, false, /certain network addresses.*from there/],
  ["invalidAspect", { headers: { Cookie: "service_session=x" } }, false, /Log in again/],
  ["expiredAspect", { headers: somebody }, false, /Log in again/],
  ["unavailable", { by: () => browserOf(broken), headers: somebody }, false, /Try again/],
];

const ask = (path: string, { by = () => browserOf(app), query = usual, headers = {} }: Asked) =>
  by().visit(`${path}?${new URLSearchParams(query)}`, { headers });

describe.each(errors)("the error %s", (profile, asked, elsewhere, reason) => {
  test("has a heading and a note in each language, with the reason and the way out", async () => {
    const { message } = await postedBy(await ask("/iiif/auth/token", asked));
    expect(message).toMatchObject({ type: "AuthAccessTokenError2", profile });
    const { heading, note } = message as { heading: Texts; note: Texts };
    for (const texts of [heading, note]) {
      expect(Object.keys(texts).sort()).toEqual(languages);
      const said = Object.values(texts).map((list) => list[0]);
      expect(Object.values(texts).every((list) => list.length === 1)).toBe(true);
      // Every language says it in its own words.
      expect(new Set(said).size).toBe(languages.length);
    }
    expect(note.en?.[0]).toMatch(reason);
    for (const [text] of Object.values(note)) {
      expect(text).not.toMatch(/[{}]/);
      if (elsewhere) expect(text).toContain(`${own}/view/`);
      else expect(text).not.toContain("/view/");
    }
  });

  test.each([
    ["de-CH, en;q=0.5", "de"],
    ["fr", "fr"],
    ["pt, ja", "en"],
  ])("names the language of %s first, and is in that language in 1.0", async (accepted, language) => {
    const headers = { ...asked.headers, "Accept-Language": accepted };
    const two = await postedBy(await ask("/iiif/auth/token", { ...asked, headers }));
    const { heading, note } = two.message as { heading: Texts; note: Texts };
    expect([Object.keys(heading)[0], Object.keys(note)[0]]).toEqual([language, language]);
    // Version 1.0 has a response without messageId too, as JSON.
    if (asked.query?.messageId === undefined && asked.query) return;
    const one = await postedBy(await ask("/iiif/auth/v1/token", { ...asked, headers }));
    expect(one.message.description).toBe(note[language]?.[0]);
  });
});

test("a service without a viewer of its own names none", async () => {
  const bare = await servedWithAuth({ base: `${own}\npresentation: { enabled: false }` });
  try {
    const { message } = await postedBy(await ask("/iiif/auth/token", { by: () => browserOf(bare) }));
    expect(JSON.stringify(message)).toContain("blocks cookies of other sites");
    expect(JSON.stringify(message)).not.toContain("/view/");
  } finally {
    await bare.service.close();
  }
});
