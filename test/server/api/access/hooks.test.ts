// Rules, logins and hooks together: the order in which they are consulted, and their precedence.

import sharp from "sharp";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { masterOf, type Origin, startOrigin } from "../../../servers/origin.ts";
import { startWebhook, type WebhookService } from "../../hooks/webhook-service.ts";
import { at, authSection, fineColumns, type Gated, gated, pictures } from "./gated.ts";

let folder: string;
let webhook: WebhookService;
const open: Gated[] = [];

beforeAll(async () => {
  folder = await pictures();
  webhook = await startWebhook();
});
afterAll(() => webhook.close());
beforeEach(() => {
  webhook.asked.length = 0;
  webhook.answer = () => null;
});
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ app }) => app.service.close()));
});

interface Started {
  readonly functions?: readonly string[];
  readonly more?: string;
  readonly auth?: string;
}

async function start({ functions = ["authorize"], more = "", auth }: Started = {}): Promise<Gated> {
  const hook = `hook: { engine: webhook, webhook: { url: "${webhook.url}", functions: [${functions}] } }`;
  const site = await gated({ folder, more: `${hook}\n${more}`, ...(auth !== undefined && { auth }) });
  open.push(site);
  return site;
}

const info = (name: string) => at(name, "info.json");
const probe = (name: string) => `/iiif/auth/probe/${name}`;

describe("while the session store does not respond", () => {
  // Nothing listens at port 1.
  const auth = `${authSection}  session: { backend: redis, redis: { addr: '127.0.0.1:1', timeout: 50ms } }\n`;
  const presented: Record<string, string>[] = [
    { Cookie: `service_session=${"A".repeat(43)}` },
    { Authorization: `Bearer ${"A".repeat(43)}` },
  ];

  test.each([
    [{ allow: false }, 401],
    [{ allow: false, status: 451 }, 451],
    [{ allow: true, redirect: "https://b.example/elsewhere" }, 303],
    [{ allow: false, substitute: "blue.png" }, 200],
    [{ allow: false, substitute: "none.png", status: 403 }, 403],
  ])("refusals of the hook still work: %j is %i", async (said, status) => {
    const { app } = await start({ auth });
    webhook.answer = () => said;
    for (const headers of presented)
      expect((await app.get(at("private/a.png"), { headers })).status).toBe(status);
  });

  test("and so does the probe, with the heading of the profile", async () => {
    const { app } = await start({ auth });
    webhook.answer = () => ({ allow: false });
    const response = await app.get(probe("private%2Fa.png"), { headers: presented[0]! });
    expect(await response.json()).toMatchObject({ status: 401, heading: { en: ["Staff only"] } });
  });

  test.each([null, { allow: true }])("everything that needs the login is 503: %j", async (said) => {
    const { app } = await start({ auth });
    webhook.answer = () => said;
    for (const headers of presented) {
      for (const target of [at("private/a.png"), info("private/a.png")])
        expect((await app.get(target, { headers })).status).toBe(503);
      const asked = await app.get(probe("private%2Fa.png"), { headers });
      expect([asked.status, asked.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
      expect(await asked.json()).toMatchObject({
        type: "AuthProbeResult2",
        status: 503,
        heading: { en: ["Not available at the moment"] },
        note: { en: [expect.stringContaining("Try again")] },
      });
    }
  });
});

describe("a failing hook refuses with 503, gated and public images alike", () => {
  const failures: Readonly<Record<string, WebhookService["answer"]>> = {
    "an error": (_, response) => void response.writeHead(400).end(),
    nonsense: () => ({ allow: "yes" }),
    "a misspelled member": () => ({ allow: true, redirct: "https://b.example/" }),
    "an answer that is late": () => new Promise(() => {}),
  };

  test.each(Object.keys(failures))("%s", async (failure) => {
    const hook = `hook: { engine: webhook, webhook: { url: "${webhook.url}", functions: [authorize], timeout: 100ms } }`;
    const site = await gated({ folder, more: hook });
    open.push(site);
    const Cookie = await site.cookie("staff");
    webhook.answer = failures[failure]!;
    for (const name of ["private/a.png", "terms.png", "public.png", "none.png"])
      for (const target of [at(name), info(name)])
        for (const headers of [{}, { Cookie }]) {
          const response = await site.app.get(target, { headers });
          expect([target, response.status]).toEqual([target, 503]);
          expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
          expect(response.headers.get("Cache-Control")).toBe("no-store");
          expect(await response.json()).toMatchObject({ code: "authorize_failed" });
        }
    const asked = await site.app.get(probe("public.png"));
    expect([asked.status, ((await asked.json()) as { status: number }).status]).toEqual([200, 503]);
    // Pages that list images show them as to those who may have none.
    expect(await (await site.app.get("/")).text()).not.toContain("public.png");
  });
});

describe("an image that a hook refuses, with a profile that has a substitute", () => {
  const ofTerms = async (said: unknown, headers: Record<string, string> = {}) => {
    const { app } = await start();
    webhook.answer = () => said;
    const image = await app.get(at("terms.png"), { headers });
    const { width } = image.ok ? await sharp(await image.arrayBuffer()).metadata() : { width: undefined };
    return {
      status: image.status,
      width,
      probe: await (await app.get(probe("terms.png"), { headers })).json(),
    };
  };

  test("is refused, since it may have been withdrawn", async () => {
    const { status, probe } = await ofTerms({ allow: false, status: 451, reason: "Withdrawn." });
    expect(status).toBe(451);
    expect(probe).toMatchObject({ status: 451, note: { none: ["Withdrawn."] } });
    expect(probe).not.toHaveProperty("substitute");
    expect(probe).toHaveProperty("heading");
  });

  test.each([true, false])("is the image of max_size for substitute: true, if allow is %s", async (allow) => {
    const { status, width, probe } = await ofTerms({ allow, substitute: true, reason: "A preview." });
    expect([status, width]).toEqual([200, 100]);
    expect(probe).toMatchObject({
      status: 401,
      substitute: [
        { id: "https://images.example.org/iiif/3/terms.png/full/max/0/default.jpg", type: "Image" },
      ],
      note: { none: ["A preview."] },
    });
  });

  test("also for readers who have logged in", async () => {
    const site = await start();
    webhook.answer = () => ({ allow: false, substitute: true });
    const headers = { Cookie: await site.cookie("terms") };
    const image = await site.app.get(at("terms.png"), { headers });
    expect((await sharp(await image.arrayBuffer()).metadata()).width).toBe(100);
  });

  test("without max_size there is no such image", async () => {
    const { app } = await start();
    webhook.answer = () => ({ allow: true, substitute: true });
    for (const name of ["private/a.png", "public.png"])
      expect([name, (await app.get(at(name))).status]).toEqual([name, 401]);
  });
});

test("a refusal of the hook is recorded with the profile of the rule, and varies like all responses for it", async () => {
  const site = await start();
  const Cookie = await site.cookie("staff");
  webhook.answer = () => ({ allow: false, status: 403 });
  const refused = await site.app.get(at("private/a.png"), { headers: { Cookie } });
  expect(refused.headers.get("Vary")).toBe("Accept-Encoding, Accept, Cookie, Authorization");
  const [record] = site.app.service.decisions.latest();
  expect(record).toMatchObject({ profile: "staff", verdict: "deny", status: 403 });
  webhook.answer = () => ({ allow: true });
  const shown = await site.app.get(at("private/a.png"), { headers: { Cookie } });
  expect([shown.status, shown.headers.get("Vary")]).toEqual([200, "Cookie, Authorization"]);
});

describe("a resolve hook", () => {
  const functions = ["resolve"];
  const resolving = { functions, auth: authSection };

  test("is called for no image that its caller may not have", async () => {
    const { app } = await start(resolving);
    webhook.answer = () => ({ key: "private/a.png" });
    expect((await app.get(at("private/a.png"))).status).toBe(401);
    expect((await app.get(probe("private/a.png"))).status).toBe(200);
    expect(webhook.asked).toEqual([]);
    expect((await app.get(at("public.png"))).status).toBe(200);
    expect(webhook.asked).toHaveLength(1);
  });

  test("that fails changes neither responses to denied callers nor image information without its document", async () => {
    const site = await start(resolving);
    webhook.answer = (_, response) => void response.writeHead(400).end();
    expect((await site.app.get(at("private/a.png"))).status).toBe(401);
    for (const method of ["GET", "HEAD"]) {
      const response = await site.app.get(info("private/a.png"), { method });
      expect(response.status).toBe(401);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      expect(response.headers.get("Vary")).toBe("Accept-Encoding, Accept, Cookie, Authorization");
      if (method === "GET") expect(await response.json()).toMatchObject({ code: "access_denied" });
    }
    const headers = { Cookie: await site.cookie("staff") };
    expect((await site.app.get(info("private/a.png"), { headers })).status).toBe(500);
  });

  test("that has no such image is 404 for image information, even for denied callers", async () => {
    const { app } = await start(resolving);
    webhook.answer = () => false;
    expect((await app.get(info("private/a.png"))).status).toBe(404);
    expect((await app.get(at("private/a.png"))).status).toBe(401);
  });

  test("chooses the master that image information describes for denied callers too", async () => {
    const { app } = await start(resolving);
    webhook.answer = () => ({ key: "blue.png" });
    const response = await app.get(info("private/a.png"));
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ width: 40, height: 20 });
  });
});

describe("a substitute that is the same master by another name lifts no denial", () => {
  let origin: Origin;
  let site: Gated;
  beforeAll(async () => {
    const png = await fineColumns().png().toBuffer();
    // A server that takes two slashes for one, and any query and path parameter.
    const same = [
      "private/a.png",
      "private//a.png",
      "private/a.png?x=1",
      "private/a.png?x=2",
      "private/a.png;x",
    ];
    const masters = [...same, "public/a.png"].map((path) => [path, masterOf(png)]);
    origin = await startOrigin(Object.fromEntries(masters));
  });
  afterAll(() => origin.close());
  beforeEach(async () => {
    site = await start({
      more: `sources:
  - { name: a, type: filesystem, root: ${JSON.stringify(folder)}, prefix: museum/ }
  - { name: web, type: http, prefix: web/, url: "{identifier}", allowed_hosts: ["127.0.0.1:${origin.port}"], allow_private: true }`,
      auth: `${authSection}    - { match: "web/${origin.url}/private/*", profile: staff }\n`,
    });
  });

  const url = () => `web/${origin.url}/private/a.png`;
  const upper = () => `web/HTTP://127.0.0.1:${origin.port}/private/a.png`;
  test.each<readonly [string, () => string, () => string]>([
    ["the same name", () => "private/a.png", () => "private/a.png"],
    ["with the prefix of the default source", () => "private/a.png", () => "museum/private/a.png"],
    ["without it", () => "museum/private/a.png", () => "private/a.png"],
    ["a page", () => "private/a.png", () => "private/a.png;1"],
    ["another page", () => "private/a.png;2", () => "private/a.png;1"],
    ["a page with the prefix", () => "private/a.png", () => "museum/private/a.png;1"],
    ["the page that was asked for, without it", () => "museum/private/a.png;1", () => "private/a.png"],
    ["a URL with its scheme in upper case", url, upper],
    ["a URL with its scheme in lower case", upper, url],
    ["an escaped letter of a URL", url, () => `web/${origin.url}/priv%61te/a.png`],
    ["an escaped slash of a URL", url, () => `web/${origin.url}/private%2Fa.png`],
    ["two slashes in a URL", url, () => `web/${origin.url}/private//a.png`],
    ["one slash behind the scheme", url, () => `web/http:/127.0.0.1:${origin.port}/private/a.png`],
    ["a host as a number", url, () => `web/http://2130706433:${origin.port}/private/a.png`],
    ["a fragment", url, () => `web/${origin.url}/private/a.png#x`],
    ["a query", url, () => `web/${origin.url}/private/a.png?x=1`],
    ["another query", () => `${url()}?x=1`, () => `web/${origin.url}/private/a.png?x=2`],
    ["a path parameter of a URL", url, () => `web/${origin.url}/private/a.png;x`],
    ["a page of a URL", url, () => `web/${origin.url}/private/%61.png;1`],
  ])("%s", async (_, asked, substitute) => {
    const target = at(encodeURIComponent(asked()));
    for (const allow of [true, false]) {
      webhook.answer = () => ({ allow, substitute: substitute() });
      expect([allow, (await site.app.get(target)).status]).toEqual([allow, 401]);
    }
  });

  test("but another master is shown", async () => {
    for (const substitute of ["blue.png", `web/${origin.url}/public/a.png`]) {
      webhook.answer = () => ({ allow: false, substitute });
      expect((await site.app.get(at("private/a.png"))).status).toBe(200);
      expect((await site.app.get(at(encodeURIComponent(url())))).status).toBe(200);
    }
  });

  test("nor does a login make one of it", async () => {
    webhook.answer = () => ({ allow: false, status: 403, substitute: "museum/private/a.png;1" });
    const headers = { Cookie: await site.cookie("staff") };
    expect((await site.app.get(at("private/a.png"), { headers })).status).toBe(403);
  });
});
