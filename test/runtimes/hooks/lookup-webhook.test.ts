// Hooks on every runtime: a template, a mapping file that changes, and a web service.

import { createHmac } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { maxAtOnce } from "../../../src/server/hooks/webhook.ts";
import { startWebhook, type WebhookService } from "../../server/hooks/webhook-service.ts";
import { runtimesFor } from "../selection.ts";
import { type Started, startServer } from "../server.ts";

const status = async (server: Started, identifier: string, headers: Record<string, string> = {}) => {
  const response = await fetch(
    `${server.url}/iiif/3/${encodeURIComponent(identifier)}/full/50,/0/default.jpg`,
    {
      headers,
      redirect: "manual",
    },
  );
  await response.arrayBuffer();
  return response.status;
};

describe.each(runtimesFor("lookups"))("hooks on $name", (runtime) => {
  describe("with a template", () => {
    let server: Started;
    beforeAll(async () => {
      const template = "{{ .Segments | last | lower }}.png";
      server = await startServer(runtime, {
        extra: `hook: { engine: lookup, lookup: { template: '${template}' } }\n`,
      });
    });
    afterAll(() => server.close());

    it("map identifiers", async () => {
      expect(await status(server, "ms/BASE")).toBe(200);
      expect(await status(server, "base.png")).toBe(404);
    });
  });

  describe("with a mapping file", () => {
    let server: Started;
    const put = (directory: string, text: string) => {
      writeFileSync(join(directory, "map.new"), text);
      renameSync(join(directory, "map.new"), join(directory, "map.csv"));
    };
    beforeAll(async () => {
      server = await startServer(runtime, {
        arrange: (images) => put(join(images, ".."), "identifier,key,status\na,base.png,\nb,base.png,403\n"),
        extra: "hook: { engine: lookup, lookup: { file: ./map.csv } }\n",
      });
    });
    afterAll(() => server.close());

    it("map and gate images, and see that the file changes", async () => {
      expect(await status(server, "a")).toBe(200);
      expect(await status(server, "b")).toBe(403);
      expect(await status(server, "c")).toBe(404);
      put(server.directory, "identifier,key,status\nc,base.png,\nb,base.png,403\n");
      await expect.poll(() => status(server, "c")).toBe(200);
      expect(await status(server, "a")).toBe(404);
    });
  });

  describe("with a web service", () => {
    let server: Started;
    let webhook: WebhookService;
    beforeAll(async () => {
      webhook = await startWebhook(({ function: name, input }, response, nth) => {
        if (input.identifier === "crowded") {
          const said = name === "resolve" ? { key: "base.png" } : { allow: true };
          return void setTimeout(() => response.end(JSON.stringify(said)), 100);
        }
        if (nth % 3 === 2) return void response.writeHead(503).end();
        if (input.identifier === "broken") return void response.writeHead(404).end();
        if (input.identifier === "slow") return undefined;
        if (name === "resolve") return { key: "base.png" };
        return {
          allow: input.headers["x-group"] === "staff",
          redirect: input.identifier === "moved" ? "https://example.org/" : null,
        };
      });
      // workerd gets its variables as bindings of its configuration.
      const secret = runtime.hosted ? "" : "secret_env: HOOK_SECRET,";
      const options = `{ url: "${webhook.url}", functions: [resolve, authorize], ${secret} timeout: 10s }`;
      server = await startServer(runtime, {
        extra: `hook: { engine: webhook, headers: [X-Group], webhook: ${options} }\n`,
        env: { HOOK_SECRET: "secret" },
      });
    });
    afterAll(async () => {
      await server.close();
      await webhook.close();
    });

    it("map and gate images, with a second attempt after a failure", async () => {
      const staff = { "X-Group": "staff" };
      for (let nth = 0; nth < 3; nth++) {
        expect(await status(server, "a", staff)).toBe(200);
        expect(await status(server, "a")).toBe(401);
      }
      expect(await status(server, "moved")).toBe(303);
      const [{ headers, body }] = webhook.asked as [(typeof webhook.asked)[number]];
      const expected = createHmac("sha256", "secret")
        .update(`${headers["x-timestamp"]}.${body}`)
        .digest("hex");
      expect(headers["x-signature"]).toBe(runtime.hosted ? undefined : expected);
    });

    it("wait for their turn above the limit of concurrent calls", async () => {
      const crowd = Array.from({ length: 2 * maxAtOnce.asked }, () => status(server, "crowded"));
      expect(new Set(await Promise.all(crowd))).toEqual(new Set([200]));
    });

    it("fail closed if it responds with nonsense, or not in time", async () => {
      // The authorize hook fails too, and takes precedence.
      expect(await status(server, "broken")).toBe(503);
      expect(await status(server, "slow")).toBe(503);
    });
  });
});
