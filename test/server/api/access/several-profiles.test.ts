// Rules with several profiles: access through any of them, and what all others are told.

import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { at, bcrypt, type Gated, gated, pictures } from "./gated.ts";

const profiles = `
  profiles:
    staff:
      pattern: active
      heading: { en: [Staff only] }
      note: { en: [Ask the desk.] }
      access_service: { backend: builtin, users: { ann: "${bcrypt}" } }
    terms: { pattern: clickthrough, access_service: { backend: builtin }, substitute: { max_size: "!100,100" } }
    room: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.4/30] } }
    proxy: { pattern: external, access_service: { backend: header, header: X-Reader } }
  rules:
    - { match: private/*, profile: [staff, room, proxy] }
    - { match: terms.png, profile: [terms, staff] }
    - { match: room.png, profile: [staff, terms] }
`;
let folder: string;
let site: Gated;
beforeAll(async () => {
  folder = await pictures();
  site = await gated({ auth: profiles, folder });
});
afterAll(async () => {
  await site?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test("any of them gives access, and no other", async () => {
  const statusWith = async (headers: Record<string, string>, peer?: string) =>
    (await site.app.get(at("private%2Fa.png"), { headers, ...(peer !== undefined && { peer }) })).status;
  expect([
    await statusWith({}),
    await statusWith({ Cookie: await site.cookie("terms") }),
    await statusWith({ Authorization: await site.bearer("terms") }),
  ]).toEqual([401, 401, 401]);
  expect([
    await statusWith({ Cookie: await site.cookie("staff") }),
    await statusWith({ Authorization: await site.bearer("staff") }),
    await statusWith({ Cookie: await site.cookie("room") }, "192.0.2.5"),
    await statusWith({ "X-Reader": "ann" }),
    await statusWith({}, "192.0.2.5"),
  ]).toEqual([200, 200, 200, 200, 200]);
});

test("a refusal mentions that some addresses need no login", async () => {
  const { detail } = (await (await site.app.get(at("private%2Fa.png"))).json()) as { detail: string };
  expect(detail).toMatch(/^This image needs a login, except from certain network addresses\. /);
});

test("info.json has an access service for each login in one probe service, then those of 1.0", async () => {
  const response = await site.app.get(at("private%2Fa.png", "info.json"));
  expect([response.status, response.headers.get("Vary")]).toEqual([
    401,
    expect.stringContaining("Cookie, Authorization, X-Reader"),
  ]);
  const { service } = (await response.json()) as { service: Record<string, unknown>[] };
  expect(service).toMatchObject([
    {
      type: "AuthProbeService2",
      errorHeading: { en: ["Staff only"] },
      service: [
        { id: "https://images.example.org/iiif/auth/login/staff", profile: "active" },
        { id: "https://images.example.org/iiif/auth/login/room", profile: "kiosk" },
      ],
    },
    { "@id": "https://images.example.org/iiif/auth/v1/login/staff" },
    { "@id": "https://images.example.org/iiif/auth/v1/login/room" },
  ]);
  expect(service[0]?.service).toHaveLength(2);
});

test("the probe has the heading and note of the first", async () => {
  const response = await site.app.get("/iiif/auth/probe/private%2Fa.png");
  expect(await response.json()).toMatchObject({
    status: 401,
    heading: { en: ["Staff only"] },
    note: { en: ["Ask the desk."] },
  });
});

test("the first determines what others see: its substitute, or nothing", async () => {
  expect((await site.app.get(at("terms.png"))).status).toBe(200);
  expect((await site.app.get(at("room.png"))).status).toBe(401);
});

test("a manifest has the same services, and the record of decisions names all profiles", async () => {
  const response = await site.app.get("/iiif/presentation/3/private");
  const text = await response.text();
  for (const name of ["staff", "room"]) expect(text).toContain(`/iiif/auth/login/${name}`);
  expect(site.app.service.decisions.latest(["denied"]).map(({ profile }) => profile)).toContain(
    "staff, room, proxy",
  );
});
