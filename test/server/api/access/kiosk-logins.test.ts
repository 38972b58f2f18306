// Logins to a kiosk count while their reader is inside: on every surface, by cookie and by token, and never
// instead of other logins.

import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browserOf, postedBy } from "../auth/served.ts";
import { at, bcrypt, type Gated, gated, pictures } from "./gated.ts";

const inside = "192.0.2.5";
const outside = "203.0.113.9";
const viewer = "https://viewer.example.org";

let folder: string;
let site: Gated;
beforeAll(async () => {
  folder = await pictures();
  site = await gated({
    folder,
    more: `trusted_proxies: ["10.0.0.1"]`,
    auth: `
  cors: { token_origins: ["${viewer}"] }
  profiles:
    staff: { pattern: active, access_service: { backend: builtin, users: { ann: "${bcrypt}" } } }
    terms: { pattern: clickthrough, access_service: { backend: builtin } }
    room: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.4/30] } }
  rules:
    - { match: private/*, profile: [staff, room] }
    - { match: terms.png, profile: terms }
    - { match: room.png, profile: room }
`,
  });
});
afterAll(async () => {
  await site?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const get = (target: string, peer: string, headers: Record<string, string>) =>
  site.app.get(target, { peer, headers });
const statusOf = async (target: string, peer: string, headers: Record<string, string>) =>
  (await get(target, peer, headers)).status;
const probeOf = async (name: string, peer: string, headers: Record<string, string>) =>
  (await (await get(`/iiif/auth/probe/${name}`, peer, headers)).json()) as Record<string, unknown>;

test.each([
  ["a cookie", async () => ({ Cookie: await site.cookie("room") })],
  ["a token", async () => ({ Authorization: await site.bearer("room") })],
])("%s of a kiosk login opens images inside only, also after a visit outside", async (_, credentials) => {
  const headers = await credentials();
  for (const name of ["room.png", "private%2Fa.png"])
    for (const target of [at(name), at(name, "info.json"), at(name, "full/max/0/default.png", "/iiif/2/")]) {
      const statuses: number[] = [];
      for (const peer of [inside, outside, inside]) statuses.push(await statusOf(target, peer, headers));
      expect([target, ...statuses]).toEqual([target, 200, 401, 200]);
    }
});

test("the probe refuses a kiosk login outside, and says why and what to do", async () => {
  const headers = { Authorization: await site.bearer("room") };
  expect((await probeOf("room.png", inside, headers)).status).toBe(200);
  expect(await probeOf("room.png", outside, headers)).toMatchObject({
    status: 401,
    heading: { en: ["No access"] },
    note: { en: [expect.stringMatching(/certain network addresses.*Try again from there\.$/)] },
  });
  expect(await probeOf("private%2Fa.png", outside, headers)).toMatchObject({
    status: 401,
    note: { en: [expect.stringMatching(/Log in, or try again from there\.$/)] },
  });
});

test("documents show no more to a kiosk login outside than to a reader without one", async () => {
  const headers = { Cookie: await site.cookie("room") };
  for (const target of ["/iiif/presentation/3/private", "/iiif/presentation/2/private", "/?in=private"]) {
    const [there, here, anonymous] = await Promise.all([
      get(target, inside, headers),
      get(target, outside, headers),
      get(target, outside, {}),
    ]);
    const text = await here.text();
    expect(text).toBe(await anonymous.text());
    expect(text).not.toBe(await there.text());
  }
});

test("no token is issued for a kiosk login outside, in either version, and the reason is named", async () => {
  const headers = { Cookie: await site.cookie("room") };
  const query = `?messageId=1&origin=${encodeURIComponent(viewer)}`;
  const message = async (path: string, peer: string) =>
    (await postedBy(await get(path + query, peer, headers))).message;
  expect(await message("/iiif/auth/token", inside)).toHaveProperty("accessToken");
  expect(await message("/iiif/auth/token", outside)).toMatchObject({ profile: "missingAspect" });
  expect(await message("/iiif/auth/v1/token", inside)).toHaveProperty("accessToken");
  expect(await message("/iiif/auth/v1/token", outside)).toMatchObject({
    error: "missingCredentials",
    description: expect.stringContaining("certain network addresses"),
  });
});

test("a session with other logins keeps them outside, and its token too", async () => {
  const reader = browserOf(site.app);
  await reader.visit("/iiif/auth/login/room", { peer: inside });
  await reader.visit("/iiif/auth/login/terms", { form: {}, peer: outside });
  const headers = { Cookie: `service_session=${reader.cookie()}` };
  expect(await statusOf(at("terms.png"), outside, headers)).toBe(200);
  expect(await statusOf(at("room.png"), outside, headers)).toBe(401);
  const issued = (await (await get("/iiif/auth/v1/token", outside, headers)).json()) as {
    accessToken: string;
  };
  const bearer = { Authorization: `Bearer ${issued.accessToken}` };
  expect(await statusOf(at("terms.png"), outside, bearer)).toBe(200);
  expect(await statusOf(at("room.png"), outside, bearer)).toBe(401);
  expect(await statusOf(at("room.png"), inside, headers)).toBe(200);
});

test("a login to another profile of the same rule counts anywhere", async () => {
  expect(await statusOf(at("private%2Fa.png"), outside, { Cookie: await site.cookie("staff") })).toBe(200);
});

test.each([
  ["10.0.0.1", inside, 200],
  ["10.0.0.1", `${inside}, ${outside}`, 401],
  ["10.0.0.1", "unknown", 401],
  [outside, inside, 401],
])("from %s with X-Forwarded-For %s a kiosk login gets %i", async (peer, forwarded, status) => {
  const headers = { Cookie: await site.cookie("room"), "X-Forwarded-For": forwarded };
  expect(await statusOf(at("room.png"), peer, headers)).toBe(status);
});
