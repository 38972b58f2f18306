// Anyone who has shown a login as a user is known where crawlers are told from readers.

import { afterAll, beforeAll, expect, test } from "vitest";
import { at, type Gated, gated, pictures } from "./gated.ts";

let site: Gated;
beforeAll(async () => {
  site = await gated({ folder: await pictures(), more: "crawlers: { mode: limit }" });
});
afterAll(() => site.close());

/** Asks for an image as a program. Returns the status, and the class that the request counted to. */
async function ask(identifier: string, headers: Record<string, string>) {
  const counts = () => site.app.service.visitors.current()?.counts();
  const before = counts()?.known.requests ?? 0;
  const { status } = await site.app.get(at(identifier, "full/20,/0/default.png"), {
    headers: { "User-Agent": "curl/8.5.0", ...headers },
  });
  return { status, isKnown: (counts()?.known.requests ?? 0) > before };
}

test("a cookie and a token of a user are known for the images that need them", async () => {
  const known = { status: 200, isKnown: true };
  expect(await ask("private/a.png", { Cookie: await site.cookie("staff") })).toEqual(known);
  expect(await ask("private/a.png", { Authorization: await site.bearer("staff") })).toEqual(known);
  expect(await ask("public.png", {})).toEqual({ status: 200, isKnown: false });
});

test("a forged cookie, a forged token and one for another image are not known", async () => {
  const forged = "A".repeat(43);
  for (const headers of [
    { Cookie: `service_session=${forged}` },
    { Authorization: `Bearer ${forged}` },
    { Cookie: await site.cookie("terms") },
  ]) {
    expect(await ask("private/a.png", headers)).toEqual({ status: 401, isKnown: false });
    // Nobody looks at a login for a public image, so that none is verified.
    expect(await ask("public.png", headers)).toEqual({ status: 200, isKnown: false });
  }
});

test("a click on a notice makes nobody known", async () => {
  const { sessions, fingerprints } = site.app.service.auth!;
  const fingerprint = (await fingerprints.of("terms", "")) ?? "";
  const now = Date.now();
  const grant = { profile: "terms", user: "", fingerprint, grantedAt: now, expiresAt: now + 60_000 };
  const { id } = await sessions.logIn(grant);
  expect(await ask("terms.png", { Cookie: `service_session=${id}` })).toEqual({
    status: 200,
    isKnown: false,
  });
});
