// Two clients behind a caching proxy: it never gives one of them what a hook decided for the other.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Served, served } from "../../../served.ts";
import { hasNginx, startNginx } from "../../../servers/nginx.ts";
import { type Question, startWebhook, type WebhookService } from "../../hooks/webhook-service.ts";
import { colourOf, colours, imagePath, makePictures, type Pictures } from "./pictures.ts";

let pictures: Pictures;
let webhook: WebhookService;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  pictures = await makePictures();
  webhook = await startWebhook();
});
afterAll(async () => {
  await webhook.close();
  pictures.remove();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Starts a proxy in front of a service whose webhook has these functions. */
async function proxied(functions: string, more: string): Promise<string> {
  const app = await served(
    pictures.settings(
      `hook: { engine: webhook, webhook: { url: "${webhook.url}", functions: [${functions}] } ${more} }`,
    ),
  );
  closing.push(() => app.service.close());
  return startCache(app);
}

/**
 * Serves `app` through a proxy that caches whatever it may, for as long as it may, and says in `X-Proxy` if a
 * response came from its cache (HIT) or not.
 */
async function startCache(app: Served): Promise<string> {
  const origin = createServer(async (request, response) => {
    const { host: _, ...headers } = request.headers as Record<string, string>;
    const answer = await app.get(request.url ?? "/", { method: request.method ?? "GET", headers });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => origin.listen(0, "127.0.0.1", resolve));
  closing.push(async () => {
    origin.closeAllConnections();
    await new Promise((resolve) => origin.close(resolve));
  });
  const nginx = await startNginx({
    server: () => `location / {
      proxy_pass http://127.0.0.1:${(origin.address() as AddressInfo).port};
      proxy_cache all;
      proxy_cache_key $request_uri;
      proxy_cache_lock on;
      proxy_cache_revalidate on;
      add_header X-Proxy $upstream_cache_status always;
    }`,
  });
  closing.push(nginx.close);
  return nginx.url;
}

const green = { key: "green.png", source: "vault" };
const isStaff = ({ input }: Question) => /staff/.test(JSON.stringify(input.headers));

describe.skipIf(!hasNginx)("behind a caching nginx", () => {
  test.each([
    ["X-Group", "X-Group", "staff"],
    ["Accept-Language", "Accept-Language", "staff"],
    ["Cookie", "Cookie", "group=staff"],
    ["Authorization", "Authorization", "Bearer staff"],
  ])("two clients with another %s get each their own image", async (_, name, value) => {
    webhook.answer = (question) => (isStaff(question) ? { key: "red.png" } : green);
    const url = await proxied("resolve", `, headers: [${name}]`);
    const cached = new Set<string | null>();
    for (let round = 0; round < 3; round++)
      for (const [headers, colour] of [
        [{ [name]: value }, colours.red],
        [{ [name]: "none" }, colours.green],
      ] as const) {
        const response = await fetch(url + imagePath("ms-1"), { headers });
        cached.add(response.headers.get("X-Proxy"));
        expect(await colourOf(response)).toBe(colour);
        const etag = response.headers.get("ETag") as string;
        const again = await fetch(url + imagePath("ms-1"), {
          headers: { ...headers, "If-None-Match": etag },
        });
        // nginx requests without the condition if it may not store the response.
        if (again.status !== 304) expect(await colourOf(again)).toBe(colour);
      }
    // Without hits the test would prove nothing; private responses are requested every time.
    expect(cached.has("HIT")).toBe(!/Cookie|Authorization/.test(name));
  });

  test.each(["full/max/0/default.png", "info.json"])(
    "%s that one client may have is not given to another",
    async (rest) => {
      webhook.answer = (question) => ({ allow: isStaff(question) });
      const url = await proxied("authorize", ", headers: [X-Group]");
      for (let round = 0; round < 3; round++)
        for (const [group, status] of [
          ["staff", 200],
          ["other", 401],
        ] as const) {
          const response = await fetch(url + imagePath("red.png", rest), { headers: { "X-Group": group } });
          expect([group, response.status]).toEqual([group, status]);
          expect(response.headers.get("X-Proxy")).not.toBe("HIT");
          await response.arrayBuffer();
        }
    },
  );

  test("if one client is redirected, or gets another image, the other is not affected", async () => {
    webhook.answer = (question) =>
      isStaff(question)
        ? { allow: true }
        : {
            allow: false,
            ...(/r1/.test(question.input.identifier)
              ? { redirect: "https://example.org/" }
              : { substitute: "vault/green.png" }),
          };
    const url = await proxied("authorize", ", headers: [X-Group]");
    for (let round = 0; round < 3; round++)
      for (const group of ["other", "staff"]) {
        const init = { headers: { "X-Group": group }, redirect: "manual" } as const;
        const sent = await fetch(`${url}${imagePath("r1")}`, init);
        expect(sent.status).toBe(group === "staff" ? 404 : 303);
        const shown = await fetch(url + imagePath("red.png"), init);
        expect(await colourOf(shown)).toBe(group === "staff" ? colours.red : colours.green);
      }
  });
});
