// Hooks that decide by what a client sends: no client gets what another one's headers or address decided.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Access, Decision } from "../../../../src/server/access/access.ts";
import { purgeImage } from "../../../../src/server/images/purge.ts";
import { type Served, served } from "../../../served.ts";
import { type Question, startWebhook, type WebhookService } from "../../hooks/webhook-service.ts";
import { colourOf, colours, imagePath, makePictures, type Pictures } from "./pictures.ts";

let pictures: Pictures;
let webhook: WebhookService;
const open: Served[] = [];

beforeAll(async () => {
  pictures = await makePictures();
  webhook = await startWebhook();
});
afterAll(async () => {
  await webhook.close();
  pictures.remove();
});
beforeEach(() => {
  webhook.asked.length = 0;
  webhook.answer = () => null;
});
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ service }) => service.close()));
});

/** A service with the webhook for some functions, and more of `hook:`. */
async function start(functions: readonly string[], more = "", access?: Access): Promise<Served> {
  const hook = `hook: { engine: webhook, webhook: { url: "${webhook.url}", functions: [${functions}] } ${more} }`;
  const app = await served(pictures.settings(hook), {}, access && { access });
  open.push(app);
  return app;
}

const green = { key: "green.png", source: "vault" };
const byGroup = ({ input }: Question) => (input.headers["x-group"] === "staff" ? { key: "red.png" } : green);

describe("a resolve hook that decides by a header", () => {
  const start_ = async () => {
    webhook.answer = byGroup;
    return start(["resolve"], ", headers: [X-Group]");
  };
  const clients = [
    [{ "X-Group": "staff" }, colours.red],
    [{}, colours.green],
    [{ "X-Group": "other" }, colours.green],
  ] as const;

  test("never lets two clients share a response, sequentially or concurrently", async () => {
    const app = await start_();
    for (let round = 0; round < 2; round++)
      for (const [headers, colour] of clients)
        expect(await colourOf(await app.get(imagePath("ms-1"), { headers }))).toBe(colour);
    const crowd = Array.from(
      { length: 30 },
      (_, nth) => clients[nth % clients.length] as (typeof clients)[number],
    );
    const answers = await Promise.all(
      crowd.map(async ([headers]) =>
        colourOf(await app.get(imagePath("ms-1", "full/30,/0/default.png"), { headers })),
      ),
    );
    expect(answers).toEqual(crowd.map(([, colour]) => colour));
  });

  test.each(["full/max/0/default.png", "full/max/0/default.jpg"])(
    "gives %s of each client a separate entity tag, and no 304 for another client's",
    async (rest) => {
      const app = await start_();
      const tags: string[] = [];
      for (const [headers] of clients) {
        const response = await app.get(imagePath("ms-1", rest), { headers });
        expect(response.headers.get("Vary")).toMatch(/\bX-Group$/);
        expect(response.headers.get("Cache-Control")).toMatch(/^public, /);
        const etag = response.headers.get("ETag") as string;
        tags.push(etag);
        for (const method of ["GET", "HEAD"])
          for (const [other] of clients) {
            const conditional = { headers: { ...other, "If-None-Match": etag }, method };
            const same =
              (other["X-Group" as never] === "staff") === (headers["X-Group" as never] === "staff");
            expect((await app.get(imagePath("ms-1", rest), conditional)).status).toBe(same ? 304 : 200);
          }
        const head = await app.get(imagePath("ms-1", rest), { headers, method: "HEAD" });
        expect(head.headers.get("ETag")).toBe(etag);
        expect(head.headers.get("Content-Length")).toBe(response.headers.get("Content-Length"));
      }
      expect(new Set(tags).size).toBe(2);
    },
  );

  test("names the header in Vary of image information, in addition to the usual ones", async () => {
    const app = await start_();
    const response = await app.get(imagePath("ms-1", "info.json"));
    expect(response.headers.get("Vary")).toBe("Accept-Encoding, Accept, X-Group");
    expect(response.headers.get("Cache-Control")).toMatch(/^public, /);
  });

  test("purges the derivatives of every group", async () => {
    const app = await start_();
    for (const [headers] of clients) await app.get(imagePath("ms-1"), { headers });
    const { purged } = await purgeImage({ ...app.service, aliases: [] }, "ms-1");
    expect(purged).toMatchObject({ render: 2, info: 2 });
    for (const [headers] of clients.slice(0, 2))
      expect((await app.get(imagePath("ms-1"), { headers })).headers.get("Cache-Status")).toBe(
        "smalti; fwd=miss",
      );
  });

  test("that fails leaves derivatives unpurged, which the response says", async () => {
    const app = await start_();
    for (const [headers] of clients) await app.get(imagePath("ms-1"), { headers });
    webhook.answer = (_, response) => void response.writeHead(400).end();
    await expect(purgeImage({ ...app.service, aliases: [] }, "ms-1")).rejects.toMatchObject({
      code: "hook_failed",
    });
    webhook.answer = byGroup;
    for (const [headers] of clients.slice(0, 2))
      expect((await app.get(imagePath("ms-1"), { headers })).headers.get("Cache-Status")).toBe(
        "smalti; fwd=miss",
      );
  });
});

describe("responses are private", () => {
  test.each([
    ["by the address", ", client_ip: true", {}, "192.0.2.9"],
    ["by Cookie", ", headers: [Cookie]", { Cookie: "group=staff" }, undefined],
    ["by Authorization", ", headers: [authorization]", { Authorization: "Bearer staff" }, undefined],
    [
      "by a header that proxies add",
      ", headers: [X-Forwarded-For]",
      { "X-Forwarded-For": "staff" },
      undefined,
    ],
  ])("if a resolve hook decides %s", async (_, more, headers, peer) => {
    webhook.answer = ({ input }) =>
      /staff|192\.0\.2\.9/.test(JSON.stringify(input)) ? { key: "red.png" } : green;
    const app = await start(["resolve"], more);
    const vary = /headers: \[(.*)\]/.exec(more)?.[1];
    for (const rest of ["full/max/0/default.png", "info.json"])
      for (const client of [{ headers, ...(peer && { peer }) }, {}]) {
        const response = await app.get(imagePath("a", rest), client);
        expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
        expect(response.headers.get("Last-Modified")).toBeNull();
        expect(response.headers.get("Vary") ?? "").toBe(
          [rest === "info.json" ? "Accept-Encoding, Accept" : undefined, vary].filter(Boolean).join(", "),
        );
        if (rest !== "info.json")
          expect(await colourOf(response)).toBe("headers" in client ? colours.red : colours.green);
      }
  });
});

describe("the order is authorize, resolve, open", () => {
  test("with the same input for each function", async () => {
    const app = await start(["resolve", "authorize"], ", headers: [X-Group]");
    webhook.answer = ({ function: name }) => (name === "resolve" ? green : { allow: true });
    await app.get(`${imagePath("a b;3", "info.json")}?x=y`, { headers: { "X-Group": "x", Cookie: "a=b" } });
    expect(webhook.asked.map(({ function: name }) => name)).toEqual(["authorize", "resolve"]);
    for (const { input } of webhook.asked)
      expect(input).toEqual({
        identifier: "a b",
        page: 3,
        request_path: "/iiif/3/a%20b%3B3/info.json",
        headers: { "x-group": "x" },
      });
  });

  test("so that who may not have an image does not learn whether it is there", async () => {
    const app = await start(["resolve", "authorize"]);
    webhook.answer = ({ function: name, input }) =>
      name === "resolve" ? input.identifier === "there" && green : { allow: false };
    for (const name of ["there", "not-there"]) expect((await app.get(imagePath(name))).status).toBe(401);
  });

  test("nor whether the hook fails for it", async () => {
    const app = await start(["resolve", "authorize"]);
    webhook.answer = ({ function: name, input }, response) =>
      name === "authorize" ? { allow: input.identifier === "mine" } : void response.writeHead(400).end();
    expect((await app.get(imagePath("theirs"))).status).toBe(401);
    expect((await app.get(imagePath("mine"))).status).toBe(500);
  });
});

describe("a hook that fails", () => {
  const broken = (_: unknown, response: Parameters<WebhookService["answer"]>[1]) =>
    void response.writeHead(400).end();

  test("fails the request if it was to name the master", async () => {
    const app = await start(["resolve"]);
    webhook.answer = broken;
    for (const rest of ["full/max/0/default.png", "info.json"])
      for (const method of ["GET", "HEAD"]) {
        const response = await app.get(imagePath("red.png", rest), { method });
        expect(response.status).toBe(500);
        expect(response.headers.get("Cache-Control")).toBe("no-store");
        if (method === "GET") expect(await response.json()).toMatchObject({ code: "hook_failed" });
      }
  });

  test("refuses if it was to decide on access, even to clients with a cached copy", async () => {
    const app = await start(["authorize"]);
    const etag = (await app.get(imagePath("red.png"))).headers.get("ETag") as string;
    webhook.answer = broken;
    for (const method of ["GET", "HEAD"]) {
      const response = await app.get(imagePath("red.png"), { method, headers: { "If-None-Match": etag } });
      expect(response.status).toBe(503);
    }
    expect((await app.get(imagePath("red.png", "info.json"))).status).toBe(503);
    const page = await app.get("/");
    expect(page.headers.get("Cache-Control")).toBe("private, no-cache");
    expect(await page.text()).not.toContain("red.png");
  });

  test("denies if its substitute cannot be determined", async () => {
    const app = await start(["resolve", "authorize"]);
    webhook.answer = ({ function: name, input }, response) => {
      if (name === "authorize") return { allow: false, substitute: "other", status: 403 };
      return input.identifier === "other" ? broken(undefined, response) : green;
    };
    expect((await app.get(imagePath("a"))).status).toBe(403);
  });
});

describe("behind access rules", () => {
  const denied: Decision = {
    allowed: false,
    status: 401,
    reason: "Log in first.",
    cachedBy: "caller",
    vary: ["Cookie"],
  };
  const confined = { kind: "confined", width: 10, height: 10, upscale: false } as const;
  const lesser: Decision = {
    allowed: true,
    tier: "substitute",
    maxSize: confined,
    cachedBy: "caller",
    vary: ["Cookie"],
  };
  const rules: Access = {
    decide: ({ identifier }) => (identifier === "red.png" ? denied : lesser),
  };

  test("a hook cannot lift a denial", async () => {
    const app = await start(["authorize"], "", rules);
    for (const said of [null, { allow: true }, { allow: true, status: 404 }]) {
      webhook.answer = () => said;
      const response = await app.get(imagePath("red.png"));
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ detail: "Log in first." });
      expect(response.headers.get("Vary")).toBe("Accept-Encoding, Accept, Cookie");
    }
  });

  test("a hook cannot lift it by naming the image, or a page of it, as its own substitute", async () => {
    const app = await start(["authorize"], "", rules);
    const said = (name: string, allow: boolean) => {
      webhook.answer = () => ({ allow, substitute: name });
    };
    for (const allow of [true, false])
      for (const name of ["red.png", "red.png;1"]) {
        said(name, allow);
        expect((await app.get(imagePath("red.png"))).status).toBe(401);
      }
    // Nor does a client receive the whole image where hooks substitute a smaller one.
    for (const allow of [true, false]) {
      said("blue.png", allow);
      expect((await app.get(imagePath("blue.png"))).status).toBe(401);
    }
  });

  test("a hook preserves a substitute, replaces it, or removes it", async () => {
    const app = await start(["authorize"], "", rules);
    const width = async () => {
      const response = await app.get(imagePath("blue.png"));
      expect(response.status).toBe(200);
      return [await colourOf(response.clone()), new DataView(await response.arrayBuffer()).getUint32(16)];
    };
    expect(await width()).toEqual([colours.blue, 10]);
    webhook.answer = () => ({ allow: false, substitute: "vault/green.png" });
    expect(await width()).toEqual([colours.green, 40]);
    webhook.answer = () => ({ allow: false });
    expect((await app.get(imagePath("blue.png"))).status).toBe(401);
  });
});

test("/ready says that a failing service gets no requests for a while", async () => {
  const app = await start(["resolve"]);
  webhook.answer = (_, response) => void response.writeHead(500).end();
  const ready = async () => {
    // Each failure lengthens the pause without requests.
    for (let nth = 0; nth < 6; nth++) await app.get(imagePath("a"));
    const response = await app.get("/ready");
    return { status: response.status, body: (await response.json()) as unknown };
  };
  await expect.poll(ready).toMatchObject({
    status: 503,
    body: {
      status: "unready",
      hooks: [
        { name: "webhook", healthy: false, error: expect.stringContaining("is not asked for a moment") },
      ],
    },
  });
});
