// Access by rules and logins over HTTP: each verdict with its status, tier and headers, and what image
// information advertises.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { purgeEntry, purgeImage } from "../../../../src/server/images/purge.ts";
import { served } from "../../../served.ts";
import { at, authSection, type Gated, gated, pictures } from "./gated.ts";

let folder: string;
let site: Gated;
let staff: Record<string, string>;
let credentials: Record<string, Record<string, string>>;

beforeAll(async () => {
  folder = await pictures();
  site = await gated({ folder, more: "aliases: [{ prefix: /old/, version: 2 }]" });
  staff = { Cookie: await site.cookie("staff") };
  credentials = {
    nothing: {},
    "a staff cookie": staff,
    "a staff token": { Authorization: await site.bearer("staff") },
    "a terms cookie": { Cookie: await site.cookie("terms") },
    "a terms token": { Authorization: await site.bearer("terms") },
    "a room cookie": { Cookie: await site.cookie("room") },
    "the header": { "X-Reader": "ann" },
    "an empty header": { "X-Reader": "" },
    "what Apache sends for nobody": { "X-Reader": "(null)" },
    "the header in two lines": { "X-Reader": "ann, bob" },
    "the header in two lines, the first empty": { "X-Reader": ", ann" },
    "the header in two lines, the second empty": { "X-Reader": "ann, " },
    "the header in two lines, both empty": { "X-Reader": ", " },
    "a header with a comma in its value": { "X-Reader": "CN=ann,OU=readers" },
    "a wrong cookie and a staff token": {
      Cookie: "service_session=x",
      Authorization: await site.bearer("staff"),
    },
    "a wrong token and a staff cookie": { ...staff, Authorization: "Bearer x" },
    "two cookies, the second of staff": { Cookie: `service_session=x; a=b; ${staff.Cookie}` },
  };
});
afterAll(() => site.close());

const get = (target: string, headers: Record<string, string> = {}, method = "GET") =>
  site.app.get(target, { headers, method });

const widthOf = async (response: Response) =>
  (await sharp(Buffer.from(await response.arrayBuffer())).metadata()).width;

/** Who may see each image; all others get `otherwise`: a status, or the width of what they see. */
const images = {
  "public.png": { for: undefined, vary: null },
  "private/a.png": {
    for: [
      "a staff cookie",
      "a staff token",
      "a wrong cookie and a staff token",
      "a wrong token and a staff cookie",
      "two cookies, the second of staff",
    ],
    otherwise: 401,
    vary: "Cookie, Authorization",
  },
  "terms.png": { for: ["a terms cookie", "a terms token"], otherwise: 100, vary: "Cookie, Authorization" },
  "room.png": { for: [], otherwise: 401, vary: "Cookie, Authorization" },
  "proxied.png": {
    for: ["the header", "a header with a comma in its value"],
    otherwise: 401,
    vary: "Cookie, Authorization, X-Reader",
  },
} as const;

const cases = Object.entries(images).flatMap(([name, rule]) =>
  [
    "nothing",
    "a staff cookie",
    "a staff token",
    "a terms cookie",
    "a terms token",
    "a room cookie",
    "the header",
    "an empty header",
    "what Apache sends for nobody",
    "the header in two lines",
    "the header in two lines, the first empty",
    "the header in two lines, the second empty",
    "the header in two lines, both empty",
    "a header with a comma in its value",
    "a wrong cookie and a staff token",
    "a wrong token and a staff cookie",
    "two cookies, the second of staff",
  ].map((who) => {
    const allowed = rule.for === undefined || (rule.for as readonly string[]).includes(who);
    return { name, who, allowed, rule };
  }),
);

describe.each(cases)("$name with $who", ({ name, who, allowed, rule }) => {
  const otherwise = "otherwise" in rule ? rule.otherwise : 0;
  const status = allowed || otherwise === 100 ? 200 : 401;

  test("as an image", async () => {
    const response = await get(at(name), credentials[who]);
    expect(response.status).toBe(status);
    if (status === 200) expect(await widthOf(response)).toBe(allowed ? 800 : otherwise);
    if (status === 401) expect(await response.json()).toMatchObject({ code: "access_denied", status: 401 });
    const head = await get(at(name), credentials[who], "HEAD");
    expect(head.status).toBe(status);
    for (const { headers } of [response, head]) {
      if (rule.vary === null) expect(headers.get("Vary")).toBeNull();
      else
        expect(headers.get("Vary")).toBe(
          status === 401 ? `Accept-Encoding, Accept, ${rule.vary}` : rule.vary,
        );
      expect(headers.get("Cache-Control")).toMatch(
        rule.vary === null ? /^public, max-age=/ : status === 200 ? /^private, no-cache$/ : /^no-store$/,
      );
      if (rule.vary !== null) expect(headers.get("Last-Modified")).toBeNull();
      expect(headers.has("ETag")).toBe(status === 200);
    }
  });

  test("as image information", async () => {
    for (const mount of ["/iiif/2/", "/iiif/3/", "/old/"]) {
      const response = await get(at(name, "info.json", mount), credentials[who]);
      expect([mount, response.status]).toEqual([mount, status]);
      expect(await response.json()).toMatchObject({ width: 800, height: 600 });
      expect(response.headers.get("Cache-Control")).toMatch(
        rule.vary === null ? /^public, max-age=/ : /^private, no-cache$/,
      );
      expect(response.headers.get("Vary")).toBe(
        rule.vary === null ? "Accept-Encoding, Accept" : `Accept-Encoding, Accept, ${rule.vary}`,
      );
      expect(response.headers.has("ETag")).toBe(status === 200);
    }
  });
});

test("an identifier that a rule names is 401 as an image and 404 as image information if there is none", async () => {
  expect((await get(at("private/none.png"))).status).toBe(401);
  expect((await get(at("private/none.png", "info.json"))).status).toBe(404);
  expect((await get(at("private/none.png"), staff)).status).toBe(404);
});

describe("a login counts no more", () => {
  const sessions = () => site.app.service.auth!.sessions;
  const status = async (headers: Record<string, string>) => (await get(at("private/a.png"), headers)).status;

  test("when its grant has expired", async () => {
    expect(await status({ Cookie: await site.cookie("staff", -1) })).toBe(401);
  });

  test("when its token has expired", async () => {
    const Authorization = await site.bearer("staff", 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await status({ Authorization })).toBe(401);
  });

  test("after the logout, its tokens neither", async () => {
    const Cookie = await site.cookie("staff");
    const id = Cookie.split("=")[1] as string;
    const token = await sessions().issueToken(id, 60_000);
    const Authorization = `Bearer ${token?.id}`;
    expect([await status({ Cookie }), await status({ Authorization })]).toEqual([200, 200]);
    await sessions().logOut(id);
    expect([await status({ Cookie }), await status({ Authorization })]).toEqual([401, 401]);
  });

  test("after another login, which takes over its grants", async () => {
    const Cookie = await site.cookie("terms");
    const next = { Cookie: await site.cookie("staff", 60_000, Cookie.split("=")[1]) };
    expect([await status({ Cookie }), await status(next)]).toEqual([401, 200]);
    expect(await widthOf(await get(at("terms.png"), next))).toBe(800);
    expect(await widthOf(await get(at("terms.png"), { Cookie }))).toBe(100);
  });
});

describe("the tiers", () => {
  const request = "full/50,/0/default.png";

  test("have separate entries, by the names in the specification", async () => {
    const parts = { ...site.app.service, aliases: [] };
    for (const [headers, name, tier] of [
      [{}, "public.png", ""],
      [credentials["a terms cookie"], "terms.png", "|v1|full"],
      [{}, "terms.png", "|v1|substitute"],
      [staff, "private/a.png", "|v1|full"],
    ] as const) {
      await (await get(at(name, request), headers)).arrayBuffer();
      expect([name, tier, await purgeEntry(parts, "render", at(name, request) + tier)]).toEqual([
        name,
        tier,
        1,
      ]);
      expect(await purgeEntry(parts, "render", at(name, request) + tier)).toBe(0);
    }
  });

  test("are all removed by a purge of the image, after which each is rendered again", async () => {
    const fetchBoth = () =>
      Promise.all([
        get(at("terms.png", request)),
        get(at("terms.png", request), credentials["a terms cookie"]),
      ]);
    await fetchBoth();
    expect((await fetchBoth()).map(({ headers }) => headers.get("Cache-Status"))).toEqual([
      "smalti; hit",
      "smalti; hit",
    ]);
    await purgeImage({ ...site.app.service, aliases: [] }, "terms.png");
    expect((await fetchBoth()).map(({ headers }) => headers.get("Cache-Status"))).toEqual([
      "smalti; fwd=miss",
      "smalti; fwd=miss",
    ]);
  });

  test("have separate validators, and a validator is worthless without access", async () => {
    const [shown, whole] = await Promise.all([
      get(at("terms.png")),
      get(at("terms.png"), credentials["a terms cookie"]),
    ]);
    const [substitute, full] = [shown.headers.get("ETag") ?? "", whole.headers.get("ETag") ?? ""];
    expect(substitute).not.toBe(full);
    const conditional = async (name: string, headers: Record<string, string>) =>
      (await get(at(name), headers)).status;
    expect(await conditional("terms.png", { "If-None-Match": substitute })).toBe(304);
    expect(await conditional("terms.png", { "If-None-Match": full })).toBe(200);
    const etag = (await get(at("private/a.png"), staff)).headers.get("ETag") ?? "";
    expect(await conditional("private/a.png", { ...staff, "If-None-Match": etag })).toBe(304);
    expect(await conditional("private/a.png", { "If-None-Match": etag })).toBe(401);
    expect(await conditional("private/a.png", { "If-None-Match": "*" })).toBe(401);
  });

  test("never respond to If-Modified-Since with 304", async () => {
    for (const date of [new Date(), new Date("2100-01-01")])
      for (const target of [at("private/a.png"), at("private/a.png", "info.json")])
        expect((await get(target, { ...staff, "If-Modified-Since": date.toUTCString() })).status).toBe(200);
  });
});

interface Tree {
  readonly id?: string;
  readonly "@id"?: string;
  readonly service?: readonly Tree[];
}
/** All addresses in a tree of services, from the top. */
const ids = (tree: Tree): readonly (string | undefined)[] => [
  tree.id ?? tree["@id"],
  ...(tree.service ?? []).flatMap(ids),
];

describe("image information of a gated image", () => {
  test.each(["/iiif/2/", "/iiif/3/", "/old/"])("names both trees under %s, of 2.0 first", async (mount) => {
    const body = await (await get(at("private%2Fa.png", "info.json", mount))).json();
    const root = "https://images.example.org";
    expect(body.service.map(ids)).toEqual([
      [
        `${root}/iiif/auth/probe/private%2Fa.png`,
        `${root}/iiif/auth/login/staff`,
        `${root}/iiif/auth/token`,
        `${root}/iiif/auth/logout`,
      ],
      [`${root}/iiif/auth/v1/login/staff`, `${root}/iiif/auth/v1/token`, `${root}/iiif/auth/v1/logout`],
    ]);
    expect(body.id ?? body["@id"]).toBe(`${root}${mount}private%2Fa.png`);
    expect(body["@context"]).toEqual(
      mount === "/iiif/3/"
        ? ["http://iiif.io/api/auth/2/context.json", "http://iiif.io/api/image/3/context.json"]
        : "http://iiif.io/api/image/2/context.json",
    );
  });

  test("names them to those who have access and in place of which something less is shown too", async () => {
    for (const [name, headers] of [
      ["private/a.png", staff],
      ["terms.png", {}],
      ["terms.png", credentials["a terms cookie"]],
    ] as const)
      expect((await (await get(at(name, "info.json"), headers)).json()).service).toHaveLength(2);
  });

  test("names only the probe if a proxy knows the readers", async () => {
    const { service } = await (await get(at("proxied.png", "info.json"))).json();
    expect(service).toEqual([
      {
        id: "https://images.example.org/iiif/auth/probe/proxied.png",
        type: "AuthProbeService2",
        profile: "AuthProbeService2",
      },
    ]);
  });

  test("of a public image names none, and has its usual context", async () => {
    const body = await (await get(at("public.png", "info.json"))).json();
    expect(body).not.toHaveProperty("service");
    expect(body["@context"]).toBe("http://iiif.io/api/image/3/context.json");
  });

  test("has the public address of the service behind a proxy in all ids", async () => {
    const behind = await gated({ folder, more: 'base_url: ""' });
    const headers = {
      "X-Forwarded-Proto": "https",
      "X-Forwarded-Host": "a.example",
      "X-Forwarded-Prefix": "/images",
    };
    const response = await behind.app.get(at("terms.png", "info.json"), { headers });
    const { service } = await response.json();
    for (const id of service.flatMap(ids)) expect(id).toMatch(/^https:\/\/a\.example\/images\/iiif\/auth\//);
    expect(response.headers.get("Vary")).toMatch(
      /X-Forwarded-Prefix, Cookie, Authorization|Cookie, Authorization, .*X-Forwarded-Prefix/,
    );
    await behind.app.service.close();
  });
});

test("the start page shows what its caller may have", async () => {
  const shown = async (headers: Record<string, string>) => {
    const response = await get("/", headers);
    expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
    expect(response.headers.get("Vary")).toContain("Cookie, Authorization");
    const text = await response.text();
    return ["public.png", "terms.png", "room.png", "proxied.png"].filter((name) =>
      text.includes(`data-id="${name}"`),
    );
  };
  expect(await shown({})).toEqual(["public.png", "terms.png"]);
  // It counts in the room only.
  expect(await shown(credentials["a room cookie"] ?? {})).toEqual(["public.png", "terms.png"]);
  expect(await shown({ "X-Reader": "ann" })).toEqual(["public.png", "terms.png", "proxied.png"]);
});

test("the latest 128 decisions of each kind are kept, the newest first, and no kind pushes out another", async () => {
  const { decisions } = site.app.service;
  const before = Date.now();
  await get(at("public.png"));
  await get(at("private%2Fa.png"), staff);
  await get(at("private/a.png", "info.json"));
  await get(at("terms.png"));
  const records = decisions.latest();
  expect(records.slice(0, 4).map(({ at, subject, gated, ...record }) => record)).toEqual([
    { identifier: "terms.png", profile: "terms", verdict: "deny → substitute", status: 200 },
    { identifier: "private/a.png", profile: "staff", verdict: "deny", status: 401 },
    { identifier: "private/a.png", profile: "staff", verdict: "allow", status: 200 },
    { identifier: "public.png", profile: "", verdict: "allow", status: 200 },
  ]);
  expect(records[0]?.at).toBeGreaterThanOrEqual(before);
  const granted = decisions.latest(["granted"]);
  expect(granted[0]).toMatchObject({ subject: "image", gated: true, identifier: "private/a.png" });
  for (let n = 0; n < 150; n++) {
    await get(at("private/none.png"), {}, "HEAD");
    await get(at("none.png"), {}, "HEAD");
  }
  expect(decisions.latest(["denied"])).toHaveLength(128);
  expect(decisions.latest(["public"])).toHaveLength(128);
  expect(decisions.latest(["granted"])).toEqual(granted);
  expect(decisions.latest()).toHaveLength(256 + granted.length + decisions.latest(["listed"]).length);
});

describe("with an authorize hook", () => {
  let hooked: Gated;
  beforeAll(async () => {
    const file = join(folder, "hooks.js");
    writeFileSync(
      file,
      `export function authorize({ identifier }) {
        if (identifier === "terms.png") return { allow: false, substitute: "blue.png", profile: "by-hook" };
        if (identifier === "room.png") return { allow: true };
        if (identifier === "proxied.png") return { allow: false, redirect: "https://b.example/elsewhere" };
        if (identifier === "private/a.png") return { allow: false, status: 451 };
      }`,
    );
    hooked = await gated({ folder, more: `hook: { engine: js, js: { file: ${JSON.stringify(file)} } }` });
  });
  afterAll(() => hooked.app.service.close());

  test.each([
    ["terms.png", {}, 200, { profile: "by-hook", verdict: "deny → substitute", status: 200 }],
    ["room.png", {}, 401, { profile: "room", verdict: "deny", status: 401 }],
    [
      "proxied.png",
      { "X-Reader": "ann" },
      303,
      { profile: "proxy", verdict: "deny → redirect", status: 303 },
    ],
    ["public.png", {}, 200, { profile: "", verdict: "allow", status: 200 }],
  ])("%s gets the response of rule and hook: %j", async (name, headers, status, record) => {
    const response = await hooked.app.get(at(name), { headers });
    expect(response.status).toBe(status);
    expect(hooked.app.service.decisions.latest()[0]).toMatchObject({ identifier: name, ...record });
    if (name === "terms.png") expect(await widthOf(response)).toBe(40);
    if (status === 303) expect(response.headers.get("Location")).toBe("https://b.example/elsewhere");
  });

  test.each([
    ["terms.png", {}, { status: 401, substitute: [{ type: "Image" }] }],
    ["room.png", {}, { status: 401 }],
    [
      "proxied.png",
      { "X-Reader": "ann" },
      { status: 303, location: { id: "https://b.example/elsewhere", type: "Image" } },
    ],
    ["private/a.png", {}, { status: 451, heading: { en: ["Staff only"] } }],
    ["public.png", {}, { status: 200 }],
  ])("the probe of %s predicts it: %j", async (name, headers, result) => {
    const before = hooked.app.service.decisions.latest()[0];
    const response = await hooked.app.get(`/iiif/auth/probe/${name}`, { headers });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ type: "AuthProbeResult2", ...result });
    expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
    const latest = hooked.app.service.decisions.latest()[0];
    expect(latest).not.toBe(before);
    expect(latest?.identifier).toBe(name);
  });

  test("a login does not lift a refusal of the hook, and the document of a refusal still says where to log in", async () => {
    const Cookie = await hooked.cookie("staff");
    expect((await hooked.app.get(at("private/a.png"), { headers: { Cookie } })).status).toBe(451);
    const info = await hooked.app.get(at("private/a.png", "info.json"), { headers: { Cookie } });
    expect(info.status).toBe(451);
    expect((await info.json()).service).toHaveLength(2);
  });
});

describe("while the session store does not respond", () => {
  let broken: Gated;
  const cookie = { Cookie: `service_session=${"A".repeat(43)}` };
  const bearer = { Authorization: `Bearer ${"A".repeat(43)}` };
  beforeAll(async () => {
    const session = "session: { backend: redis, redis: { addr: '127.0.0.1:1', timeout: 50ms } }";
    broken = await gated({ folder, auth: `${authSection}  ${session}\n` });
  });
  afterAll(() => broken.app.service.close());

  test.each([
    ["private/a.png", cookie],
    ["private/a.png", bearer],
    ["terms.png", cookie],
  ])("%s is 503 for callers who present something: %j", async (name, headers) => {
    for (const rest of [undefined, "info.json"]) {
      const response = await broken.app.get(at(name, rest), { headers });
      expect(response.status).toBe(503);
      expect(response.headers.get("Retry-After")).toBe("1");
      expect(response.headers.get("Cache-Control")).toBe("no-store");
    }
  });

  test("nobody else is affected", async () => {
    const status = async (name: string, headers: Record<string, string>) =>
      (await broken.app.get(at(name), { headers })).status;
    expect(await status("private/a.png", {})).toBe(401);
    expect(await status("private/a.png", { Cookie: "other=1", Authorization: "Basic YTpi" })).toBe(401);
    expect(await status("private/a.png", { Cookie: "service_session=no-id" })).toBe(401);
    expect(await status("public.png", cookie)).toBe(200);
    expect(await status("proxied.png", { ...cookie, "X-Reader": "ann" })).toBe(200);
    expect(await status("terms.png", {})).toBe(200);
  });

  test("the start page omits entries that it cannot decide on", async () => {
    const response = await broken.app.get("/", { headers: cookie });
    const text = await response.text();
    expect(text).toContain("public.png");
    for (const name of ["terms.png", "room.png"]) expect(text).not.toContain(name);
    expect(text, "how many there are").not.toMatch(/These are \d/);
    expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
  });
});

test.each([
  ["trusted_proxies", "trusted_proxies: [10.0.0.0/8, 198.51.100.0/24]", authSection],
  ["auth.trusted_proxies", "", `\n  trusted_proxies: [10.0.0.0/8]${authSection}`],
])("with %s a header names readers only if one of them sends it", async (_, more, auth) => {
  const behind = await gated({ folder, more, auth });
  const from = async (peer?: string) =>
    (
      await behind.app.get(at("proxied.png"), {
        headers: { "X-Reader": "ann", "X-Forwarded-For": "10.0.0.1" },
        ...(peer && { peer }),
      })
    ).status;
  expect(await from("10.1.2.3")).toBe(200);
  expect(await from("192.0.2.1")).toBe(401);
  expect(await from()).toBe(401);
  await behind.app.service.close();
});

test("a refused image challenges its client by Bearer, which makes no browser ask for a password", async () => {
  for (const target of [at("private/a.png"), at("private/a.png", "info.json"), at("private/none.png")])
    for (const method of ["GET", "HEAD"]) {
      const response = await get(target, {}, method);
      // RFC 9110, section 15.5.2; RFC 6750, section 3.
      if (response.status === 401)
        expect(response.headers.get("WWW-Authenticate")).toMatch(/^Bearer realm="[^"]+"$/);
      else expect([target, response.status]).toEqual([target, 404]);
    }
  for (const target of [at("public.png"), at("terms.png"), at("terms.png", "info.json")])
    expect((await get(target)).headers.get("WWW-Authenticate")).toBeNull();
});

test("without the section nothing is gated, advertised or recorded", async () => {
  const open = await served(`sources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)} }]`);
  const response = await open.get(at("private/a.png"), { headers: { Cookie: "service_session=x" } });
  expect(response.status).toBe(200);
  expect(response.headers.get("Cache-Control")).toMatch(/^public/);
  expect(await (await open.get(at("private/a.png", "info.json"))).json()).not.toHaveProperty("service");
  expect(open.service.auth).toBeUndefined();
  expect(open.service.decisions.latest()).toEqual([]);
  await open.service.close();
});
