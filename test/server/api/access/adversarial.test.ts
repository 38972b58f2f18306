// Attempts to see a gated image without the right to: none gets a pixel, a validator or a fact that it should
// not.

import { createHash } from "node:crypto";
import { cpSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixturesFolder } from "../../../host.ts";
import { masterOf, type Origin, startOrigin } from "../../../servers/origin.ts";
import { at, authSection, fineColumns, type Gated, gated, pictures } from "./gated.ts";

let folder: string;
let site: Gated;
let origin: Origin;
let staff: string;
let token: string;
let terms: string;

beforeAll(async () => {
  folder = await pictures();
  cpSync(join(fixturesFolder, "tif-multipage-3sizes.tif"), join(folder, "pages.tif"));
  const png = await fineColumns().png().toBuffer();
  origin = await startOrigin({ "private/a.png": masterOf(png), "public/a.png": masterOf(png) });
  const sources = `sources:
  - { name: a, type: filesystem, root: ${JSON.stringify(folder)} }
  - { name: web, type: http, prefix: web/, url: "{identifier}", allowed_hosts: ["127.0.0.1:${origin.port}"], allow_private: true }
aliases: [{ prefix: /old/, version: 2 }]`;
  const auth = `${authSection}    - { match: pages.tif, profile: staff }
    - { match: "web/${origin.url}/private/*", profile: staff }
`;
  site = await gated({ folder, more: sources, auth });
  staff = await site.cookie("staff");
  token = await site.bearer("staff");
  terms = await site.cookie("terms");
  // Whatever caches keep for those who may is there.
  for (const name of ["private/a.png", "private%2Fa.png", "pages.tif", "pages.tif;2"])
    expect((await get(at(name), { Cookie: staff })).status).toBe(200);
  expect((await get(at("terms.png"), { Cookie: terms })).status).toBe(200);
});
afterAll(async () => {
  await site.close();
  await origin.close();
});

const get = (target: string, headers: Record<string, string> = {}, method = "GET", peer = "203.0.113.9") =>
  site.app.get(target, { headers, method, peer });

/** Expects neither the picture nor any sign of it. */
async function expectNothing(
  response: Response,
  statuses: readonly number[] = [400, 401, 404],
): Promise<void> {
  expect(statuses).toContain(response.status);
  for (const name of [
    "ETag",
    "Last-Modified",
    "Content-Disposition",
    "Content-Range",
    "Link",
    "X-Ignored-Profile",
    "Cache-Status",
  ])
    expect([name, response.headers.get(name)]).toEqual([name, null]);
  expect(response.headers.get("Content-Type") ?? "").not.toMatch(/^image\//);
  expect(response.headers.get("Cache-Control") ?? "no-store").toBe("no-store");
  const body = await response.text();
  expect(body).not.toMatch(/800|600|smalti-auth|PNG/);
}

const decomposed = encodeURIComponent("é ü.png".normalize("NFD"));

describe("no spelling of an identifier gets past its rule", () => {
  test.each([
    "private/a.png",
    "private%2Fa.png",
    "private%2fa.png",
    "%70rivate/a.png",
    "%70%72%69%76%61%74%65%2f%61%2epng",
    "private//a.png",
    "/private/a.png",
    "//private///a.png",
    "private%2F%2Fa.png",
    "%2Fprivate%2Fa.png",
    "private/./a.png",
    "./private/a.png",
    "private/%2e/a.png",
    "%2E/private/a.png",
    "private/x/../a.png",
    "blue.png/../private/a.png",
    "blue.png%2F..%2Fprivate%2Fa.png",
    "private/%2e%2e/private/a.png",
    "private\\a.png",
    "private%5Ca.png",
    "private%252Fa.png",
    "private%252fa.png",
    "private%c0%afa.png",
    "private%ef%bc%8fa.png",
    "private/a.png;1",
    "private/a.png%3B1",
    "private/a.png;2",
    "private/a.png;01",
    "private/a.png;1;1",
    "private;1/a.png",
    "private;/a.png",
    "private/;a.png",
    "private/a.png;",
    "PRIVATE/a.png",
    "private/A.PNG",
    "private/a.png%00",
    "private/a.png%00.jpg",
    "private/a.png%20",
    "private/a.png.",
    "private/a.png%2F",
    "private/a.png/.",
    "private%0A/a.png",
    "%EF%BB%BFprivate/a.png",
    "a:private/a.png",
    "C:/private/a.png",
    "file:///private/a.png",
    "private/a.png%7Cv1%7Cfull",
    "private/a.png%3Fx",
    "private/a.png%23x",
    `private/${encodeURIComponent("é ü.png")}`,
    `private/${decomposed}`,
    "pages.tif",
    "pages.tif;1",
    "pages.tif;2",
    "pages.tif%3b3",
    "pages.tif;2;1",
  ])("%s", async (identifier) => {
    for (const mount of ["/iiif/3/", "/iiif/2/", "/old/"])
      for (const method of ["GET", "HEAD"])
        await expectNothing(await get(at(identifier, "full/50,/0/default.png", mount), {}, method));
  });

  test.each([
    ["https://images.example.org/iiif/3/private/a.png/full/max/0/default.png"],
    ["//images.example.org/iiif/3/private/a.png/full/max/0/default.png"],
    ["/iiif/3/../3/private/a.png/full/max/0/default.png"],
    ["/iiif/%33/private/a.png/full/max/0/default.png"],
    ["//iiif/3/private/a.png/full/max/0/default.png"],
    ["/static/../iiif/3/private/a.png/full/max/0/default.png"],
    ["/old/../iiif/3/private/a.png/full/max/0/default.png"],
    ["/iiif/3/private/a.png/full/max/0/default.png?access_token=x"],
    ["/iiif/3/private/a.png/full/max/0/default.png%7Cv1%7Cfull"],
    ["/iiif/3/private/a.png/full/max/0/default.png|v1|full"],
    ["/iiif/3/private/a.png/full/max/0/default.png?download"],
    ["/iiif/3/blue.png/full/max/0/default.png/../../../../../private/a.png/full/max/0/default.png"],
  ])("as the target %s", async (target) => {
    await expectNothing(await get(target));
  });
});

describe("no spelling of a URL gets past its rule", () => {
  const at3 = (url: string) => at(`web/${encodeURIComponent(url)}`);
  const spelled: readonly ((port: string) => string)[] = [
    (port) => `http://127.0.0.1:${port}/private/a.png`,
    (port) => `HTTP://127.0.0.1:${port}/private/a.png`,
    (port) => `http:/127.0.0.1:${port}/private/a.png`,
    (port) => `http://127.0.0.1:${port}/%70rivate/a.png`,
    (port) => `http://127.0.0.1:${port}/private/%61.png`,
    (port) => `http://127.0.0.1:${port}/public/%2e%2e/private/a.png`,
    (port) => `http://127.0.0.1:${port}/public/.%2E/private/a.png`,
    (port) => `http://127.0.0.1:${port}/%2e/private/a.png`,
    (port) => `http://127.0.0.1:${port}/pri\tvate/a.png`,
    (port) => `http://127.0.0.1:${port}/pri\nvate/a.png`,
    (port) => `http://127.0.0.1:${port}/private/a.png#x`,
    (port) => `http://127.0.0.1:${port}/private/a.png?x`,
    (port) => `http://127.0.0.1:${port}/private/a.png;1`,
    (port) => `http://127.0.0.1:${port}/private/a.png `,
    (port) => `http://127.1:${port}/private/a.png`,
    (port) => `http://2130706433:${port}/private/a.png`,
    (port) => `http://0x7f.1:${port}/private/a.png`,
    (port) => `http://127.0.0.1:0${port}/private/a.png`,
    (port) => `http://127.0.0.1.:${port}/private/a.png`,
    (port) => `http://x@127.0.0.1:${port}/private/a.png`,
    (port) => `http://x:y@127.0.0.1:${port}/private/a.png`,
    (port) => `http://１２７.0.0.1:${port}/private/a.png`,
    (port) => `http://127.0.0.1:${port}\\private/a.png`,
    (port) => `http://127.0.0.1:${port}/public/../private/a.png`,
    (port) => `http://127.0.0.1:${port}//private/a.png`,
    (port) => `http://127.0.0.1:${port}/private%2fa.png`,
    (port) => `http://127.0.0.1:${port}/%2fprivate/a.png`,
    (port) => `http://127.0.0.1:${port}/private%5ca.png`,
    (port) => `http://127.0.0.1:${port}/public%2f..%2fprivate%2fa.png`,
    (port) => `http://127.0.0.1:${port}/private%252fa.png`,
  ];

  test.each(spelled.map((spell) => [spell("PORT"), spell] as const))("%j", async (_, spell) => {
    await expectNothing(await get(at3(spell(String(origin.port)))), [400, 401, 404, 500]);
    expect(origin.asked.filter(({ path, status }) => path.includes("private") && status < 300)).toEqual([]);
  });

  test("while readers with access see it, and everybody sees public images next to it", async () => {
    const image = await get(at3(`${origin.url}/private/a.png`), { Cookie: staff });
    expect(image.status).toBe(200);
    expect((await get(at3(`${origin.url}/public/a.png`))).status).toBe(200);
    origin.asked.length = 0;
  });
});

describe("no proof of a login is accepted but a live one for the profile", () => {
  const idOf = (cookie: string) => cookie.slice(cookie.indexOf("=") + 1);
  const digest = (text: string, form: "base64url" | "hex") => createHash("sha256").update(text).digest(form);
  const proofs: Record<string, () => Record<string, string> | Promise<Record<string, string>>> = {
    "an empty cookie": () => ({ Cookie: "service_session=" }),
    "a random id": () => ({ Cookie: `service_session=${"x".repeat(43)}` }),
    "an id of the right form": () => ({ Cookie: `service_session=${digest("guess", "base64url")}` }),
    "the digest of an id, as a store keeps it": () => ({
      Cookie: `service_session=${digest(idOf(staff), "base64url")}`,
    }),
    "the digest in hex": () => ({ Cookie: `service_session=${digest(idOf(staff), "hex")}` }),
    "a shortened id": () => ({ Cookie: staff.slice(0, -1) }),
    "a longer id": () => ({ Cookie: `${staff}A` }),
    "an id with padding": () => ({ Cookie: `${staff}=` }),
    "an id in other case": () => ({ Cookie: `service_session=${swapped(idOf(staff))}` }),
    "an escaped id": () => ({ Cookie: `service_session=%${idOf(staff)}` }),
    "the id in a cookie of another name": () => ({ Cookie: staff.replace("service_session", "session") }),
    "the name in other case": () => ({ Cookie: staff.replace("service_session", "Service_Session") }),
    "a name that ends alike": () => ({ Cookie: `x${staff}` }),
    "a very long cookie": () => ({ Cookie: `service_session=${"A".repeat(6000)}` }),
    "many cookies": () => ({ Cookie: `${"service_session=a; ".repeat(200)}service_session=b` }),
    "a path for an id": () => ({ Cookie: "service_session=../../etc/passwd" }),
    "a name of an object": () => ({ Cookie: "service_session=__proto__" }),
    "the session id as a token": () => ({ Authorization: `Bearer ${idOf(staff)}` }),
    "the token as a cookie": () => ({ Cookie: `service_session=${token.slice("Bearer ".length)}` }),
    "a random token": () => ({ Authorization: `Bearer ${"x".repeat(43)}` }),
    "an empty token": () => ({ Authorization: "Bearer " }),
    "the token without its scheme": () => ({ Authorization: token.slice("Bearer ".length) }),
    "the token under another scheme": () => ({ Authorization: token.replace("Bearer", "Basic") }),
    "two tokens": () => ({ Authorization: `${token}, Bearer x` }),
    "the token in another header": () => ({ "X-Authorization": token, "Proxy-Authorization": token }),
    "a login to another profile": () => ({ Cookie: terms }),
    "a token of another profile": async () => ({ Authorization: await site.bearer("terms") }),
    "a login to a profile that there is not": async () => ({ Cookie: await site.cookie("nobody") }),
    "a profile of that name with a sign more": async () => ({ Cookie: await site.cookie("staff ") }),
    "the header of another profile": () => ({ "X-Reader": "ann" }),
    "the usual header of proxies": () => ({ "X-Forwarded-User": "ann", "Remote-User": "ann" }),
    "an expired grant": async () => ({ Cookie: await site.cookie("staff", -1) }),
    "the id before a further login": async () => {
      const before = await site.cookie("staff");
      await site.cookie("terms", 60_000, idOf(before));
      return { Cookie: before };
    },
    "an id that was logged out": async () => {
      const Cookie = await site.cookie("staff");
      await site.app.service.auth?.sessions.logOut(idOf(Cookie));
      return { Cookie };
    },
  };
  const swapped = (text: string) =>
    [...text].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join("");

  test.each(Object.keys(proofs))("%s", async (name) => {
    const headers = (await proofs[name]?.()) ?? {};
    for (const identifier of ["private/a.png", "pages.tif;2"])
      for (const method of ["GET", "HEAD"])
        await expectNothing(await get(at(identifier), headers, method), [401]);
    const info = await get(at("private/a.png", "info.json"), headers);
    expect([info.status, info.headers.get("ETag")]).toEqual([401, null]);
  });
});

describe("claims in a request give no access", () => {
  test.each([
    [{ "X-Forwarded-For": "192.0.2.7" }],
    [{ "X-Forwarded-For": "192.0.2.7, 203.0.113.9" }],
    [{ Forwarded: "for=192.0.2.7" }],
    [{ "X-Real-IP": "192.0.2.7", "Client-IP": "192.0.2.7" }],
    [{ "X-Original-URL": "/iiif/3/public.png/full/max/0/default.png" }],
    [{ "X-Rewrite-URL": "/iiif/3/public.png/full/max/0/default.png" }],
    [{ "X-Forwarded-Prefix": "/iiif/3/public.png" }],
    [{ "X-HTTP-Method-Override": "GET" }],
    [{ Origin: "https://images.example.org", Referer: "https://images.example.org/" }],
    [{ "If-None-Match": "*" }],
    [{ "If-Modified-Since": new Date("2100-01-01").toUTCString() }],
    [{ Range: "bytes=0-99" }],
    [{ Range: "bytes=-1", "If-Range": '"x"' }],
    [{ "Cache-Control": "only-if-cached" }],
    [{ Accept: "image/png" }],
  ])("%j", async (headers) => {
    for (const name of ["private/a.png", "room.png", "proxied.png"])
      for (const method of ["GET", "HEAD"])
        await expectNothing(await get(at(name), headers as unknown as Record<string, string>, method), [401]);
  });

  test.each([
    ["192.0.2.8", {}],
    ["203.0.113.9", { "X-Forwarded-For": "192.0.2.7" }],
    [
      "203.0.113.9",
      { Forwarded: "for=192.0.2.7", "X-Real-IP": "192.0.2.7", "CF-Connecting-IP": "192.0.2.7" },
    ],
    ["10.0.0.1", { "X-Forwarded-For": "192.0.2.7" }],
  ])("from the address %s with %j", async (peer, headers) => {
    await expectNothing(
      await get(at("room.png"), headers as unknown as Record<string, string>, "GET", peer),
      [401],
    );
  });

  test.each(["POST", "PUT", "DELETE", "PATCH"])("the method %s", async (method) => {
    await expectNothing(await get(at("private/a.png"), {}, method), [405]);
  });

  test("OPTIONS is the same for every image", async () => {
    const [gatedOne, none] = await Promise.all([
      get(at("private/a.png"), {}, "OPTIONS"),
      get(at("nothing.png"), {}, "OPTIONS"),
    ]);
    expect(gatedOne.status).toBe(204);
    expect([...gatedOne.headers]).toEqual([...none.headers]);
  });
});

describe("the services reveal nothing and let nobody in", () => {
  test("a probe is the same for an existing image and a missing one", async () => {
    const said = async (identifier: string, headers: Record<string, string> = {}) =>
      (await (await get(`/iiif/auth/probe/${identifier}`, headers)).json()) as { status: number };
    expect(await said("private%2Fnone.png")).toEqual(await said("private%2Fa.png"));
    expect((await said("private%2Fa.png")).status).toBe(401);
    expect((await said("private/a.png;2", { Cookie: terms })).status).toBe(401);
    expect((await said("private/a.png", { Cookie: staff })).status).toBe(200);
  });

  test.each([
    ["192.0.3.1", {}],
    ["203.0.113.9", { "X-Forwarded-For": "192.0.2.7" }],
    ["203.0.113.9", { Forwarded: "for=192.0.2.7", "X-Real-IP": "192.0.2.7" }],
    ["10.0.0.1", { "X-Forwarded-For": "192.0.2.7" }],
  ])("a kiosk lets nobody in from %s with %j", async (peer, headers) => {
    const response = await get("/iiif/auth/login/room", headers as Record<string, string>, "GET", peer);
    expect(response.status).toBe(401);
    expect(response.headers.get("Set-Cookie")).toBeNull();
  });

  test("a login to one profile opens no image of another", async () => {
    const response = await get("/iiif/auth/login/room", {}, "GET", "192.0.2.7");
    const [Cookie = ""] = (response.headers.get("Set-Cookie") ?? "").split(";");
    expect(Cookie).toMatch(/^service_session=./);
    expect((await get(at("room.png"), { Cookie }, "GET", "192.0.2.7")).status).toBe(200);
    await expectNothing(await get(at("room.png"), { Cookie }), [401]);
    await expectNothing(await get(at("private/a.png"), { Cookie }, "GET", "192.0.2.7"), [401]);
  });
});

describe("caches keep the tiers apart", () => {
  test("a validator of the whole image proves nothing, nor does a substitute's", async () => {
    const whole = await get(at("terms.png"), { Cookie: terms });
    const etag = whole.headers.get("ETag") ?? "";
    const shown = await get(at("terms.png"), { "If-None-Match": etag });
    expect(shown.status).toBe(200);
    expect((await sharp(Buffer.from(await shown.arrayBuffer())).metadata()).width).toBe(100);
    const closed = (await get(at("private/a.png"), { Cookie: staff })).headers.get("ETag") ?? "";
    await expectNothing(await get(at("private/a.png"), { "If-None-Match": closed }), [401]);
    await expectNothing(await get(at("private/a.png"), { "If-None-Match": `W/${closed}` }, "HEAD"), [401]);
  });

  test("a refusal is the same whether the image exists, is cached, or is none", async () => {
    const texts = await Promise.all(
      ["private/a.png", "private/none.png", "missing/x.png", "private"].map(async (name) => {
        const response = await get(at(name));
        expect(response.status).toBe(401);
        return [[...response.headers].filter(([header]) => header !== "date"), await response.text()];
      }),
    );
    for (const text of texts) expect(text).toEqual(texts[0]);
  });
});

describe("no set of requests rebuilds more than the substitute shows", () => {
  test.each([
    "0,0,1,1/max",
    "0,0,8,8/^800,800",
    "1,0,1,1/^64,64",
    "3,3,5,5/max",
    "0,0,256,256/max",
    "0,0,512,512/256,",
    "256,0,256,256/max",
    "square/^1000,",
    "pct:0,0,1,1/^500,",
    "pct:49.9,49.9,0.1,0.1/max",
    "799,599,1,1/^99,99",
    "full/799,",
    "full/^!2000,2000",
    "full/pct:100",
    "full/800,600",
    "full/800,1",
  ])("%s", async (request) => {
    for (const rest of ["0/default.png", "90/gray.png", "!45/color.tif", "0/default.webp"]) {
      const response = await get(at("terms.png", `${request}/${rest}`));
      expect(response.status).toBe(200);
      const { data, info } = await sharp(Buffer.from(await response.arrayBuffer()))
        .flatten({ background: "#808080" })
        .toColourspace("b-w")
        .raw()
        .toBuffer({ resolveWithObject: true });
      // A turn by 45 degrees makes the box around a picture at most half as large again.
      expect(Math.max(info.width, info.height)).toBeLessThanOrEqual(150);
      // One column of the master would be 0 or 255. White in the corners of a turned picture is no pixel of
      // it.
      if (!rest.startsWith("!45")) for (const value of data) expect(Math.abs(value - 128)).toBeLessThan(80);
    }
  });

  test("nor do the metadata of a master, which may contain a thumbnail of it", async () => {
    const secret = "Taken in the archive";
    const file = join(folder, "terms.jpg");
    await fineColumns()
      .jpeg()
      .withExif({ IFD0: { ImageDescription: secret } })
      .withMetadata({ orientation: 6 })
      .toFile(file);
    const preserving = await gated({
      folder,
      more: "image: { metadata: preserve }",
      auth: authSection.replace("match: terms.png", "match: terms.jpg"),
    });
    const shown = async (headers: Record<string, string>) => {
      const response = await preserving.app.get(at("terms.jpg", "full/max/0/default.jpg"), { headers });
      const bytes = Buffer.from(await response.arrayBuffer());
      return { told: bytes.includes(secret), orientation: (await sharp(bytes).metadata()).orientation };
    };
    expect(await shown({ Cookie: await preserving.cookie("terms") })).toEqual({ told: true, orientation: 6 });
    expect(await shown({})).toEqual({ told: false, orientation: 6 });
    await preserving.app.service.close();
  });
});

test("an image is gated by each name that its source has for it", async () => {
  const own = await gated({
    folder,
    more: `sources: [{ name: a, type: filesystem, prefix: museum/, root: ${JSON.stringify(folder)} }]`,
    auth: authSection.replace("match: private/*", "match: museum/private/*"),
  });
  for (const name of ["museum/private/a.png", "private/a.png"])
    await expectNothing(await own.app.get(at(name)), [401]);
  for (const name of ["museum/blue.png", "blue.png"]) expect((await own.app.get(at(name))).status).toBe(200);
  await own.app.service.close();
});
