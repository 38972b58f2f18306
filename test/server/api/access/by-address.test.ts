// Kiosks by address: readers in the room see the whole picture on every surface, without a cookie or a login;
// all others see what they saw before, even after derivatives were cached for the room.

import { rmSync } from "node:fs";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { at, type Gated, gated, pictures } from "./gated.ts";

const inRoom = "192.0.2.5";
const outside = "203.0.113.9";
const proxy = "10.0.0.1";

let folder: string;
let site: Gated;
beforeAll(async () => {
  folder = await pictures();
  site = await gated({
    folder,
    more: `trusted_proxies: ["${proxy}"]`,
    auth: `
  profiles:
    room: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.4/30, "2001:db8::/32"] }, substitute: { max_size: "!100,100" } }
    strict: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.4/30] } }
  rules:
    - { match: room.png, profile: room }
    - { match: private/*, profile: strict }
`,
  });
});
afterAll(async () => {
  await site?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const get = (target: string, peer: string, headers: Record<string, string> = {}) =>
  site.app.get(target, { peer, headers });
const widthOf = async (response: Response) =>
  (await sharp(Buffer.from(await response.arrayBuffer())).metadata()).width;

test.each([
  [inRoom, undefined, 800],
  ["2001:db8::7", undefined, 800],
  ["::ffff:192.0.2.5", undefined, 800],
  [outside, undefined, 100],
  [proxy, inRoom, 800],
  [proxy, `${outside}, ${inRoom}`, 800],
  [proxy, `${inRoom}, ${outside}`, 100],
  [proxy, `${inRoom}, unknown`, 100],
  [proxy, undefined, 100],
  [outside, inRoom, 100],
])("from %s with X-Forwarded-For %s the picture has %i columns", async (peer, forwarded, width) => {
  const headers: Record<string, string> = forwarded === undefined ? {} : { "X-Forwarded-For": forwarded };
  const response = await get(at("room.png"), peer, headers);
  expect([response.status, response.headers.get("Cache-Control"), await widthOf(response)]).toEqual([
    200,
    "private, no-cache",
    width,
  ]);
  expect(response.headers.has("Set-Cookie")).toBe(false);
});

test("image information and the probe say the same", async () => {
  const of = async (target: string, peer: string) => {
    const response = await get(target, peer);
    const { status } = (await response.json()) as { status?: number };
    return status ?? response.status;
  };
  const strict = at("private%2Fa.png", "info.json");
  expect([await of(strict, inRoom), await of(strict, outside)]).toEqual([200, 401]);
  for (const name of ["room.png", "private%2Fa.png"]) {
    const probe = `/iiif/auth/probe/${name}`;
    expect([await of(probe, inRoom), await of(probe, outside)]).toEqual([200, 401]);
  }
});

test("a refusal says that the address counts, not a login, and names no address", async () => {
  const image = await get(at("private%2Fa.png"), outside);
  const { status, detail } = (await image.json()) as { status: number; detail: string };
  expect([image.status, status]).toEqual([401, 401]);
  expect(detail).toMatch(
    /^This image is open only to certain network addresses, such as those of a reading room/,
  );
  expect(detail).not.toMatch(/log ?in|\d/);
  const page = await get(at("private%2Fa.png"), outside, { Accept: "text/html" });
  expect(await page.text()).not.toMatch(/needs a login|192\.0\.2/);
  const probe = await get("/iiif/auth/probe/private%2Fa.png", outside);
  const result = await probe.text();
  expect(JSON.parse(result)).toMatchObject({ status: 401, heading: { en: ["No access"] } });
  expect(result).not.toMatch(/login|192\.0\.2/);
});

test.each(["room.png", "private%2Fa.png"])(
  "entries that the room has of %s are confirmed to nobody else",
  async (name) => {
    for (const target of [at(name), at(name, "info.json")]) {
      const tag = (await get(target, inRoom)).headers.get("ETag") ?? "";
      expect(tag).not.toBe("");
      expect((await get(target, inRoom, { "If-None-Match": tag })).status).toBe(304);
      expect((await get(target, outside, { "If-None-Match": tag })).status).not.toBe(304);
    }
  },
);

test("a manifest that was made for the room is not that of others", async () => {
  const target = "/iiif/presentation/3/private";
  const [first, others, again] = [
    await get(target, inRoom),
    await get(target, outside),
    await get(target, inRoom),
  ];
  for (const { headers } of [first, others]) expect(headers.get("Cache-Control")).toBe("private, no-cache");
  const [text, otherText] = [await first.text(), await others.text()];
  expect(await again.text()).toBe(text);
  expect(text).toContain('"thumbnail"');
  expect(otherText).not.toContain('"thumbnail"');
  const tag = first.headers.get("ETag") ?? "";
  expect((await get(target, outside, { "If-None-Match": tag })).status).toBe(200);
});
