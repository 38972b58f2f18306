// Agents that the operator denies everything.

import { describe, expect, test } from "vitest";
import { served } from "../../served.ts";

const image = "/iiif/3/base.png/full/20,/0/default.jpg";
const page = "/view/base.png";
const yaml = 'crawlers: { denied_agents: [GPTBot, "my tool"] }';
const gpt =
  "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)";
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0";

describe("crawlers.denied_agents", () => {
  test.each(["off", "observe", "limit"])("are refused with mode: %s", async (mode) => {
    const app = await served(yaml.replace("{ ", `{ mode: ${mode}, `));
    for (const path of [
      image,
      "/iiif/3/base.png/info.json",
      "/iiif/presentation/3/base.png/manifest",
      "/",
      page,
    ])
      for (const agent of [gpt, "MY TOOL/1.0"]) {
        const response = await app.get(path, { headers: { "User-Agent": agent } });
        expect([path, response.status, response.headers.get("Cache-Control")]).toEqual([
          path,
          403,
          "no-store",
        ]);
        if (path.startsWith("/iiif/")) expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
        expect(await response.json()).toMatchObject({
          status: 403,
          code: "agent_denied",
        });
      }
    for (const agent of [firefox, "curl/8.5.0"])
      expect((await app.get(image, { headers: { "User-Agent": agent } })).status).toBe(200);
    expect((await app.get(image)).status).toBe(200);
  });

  test("may read what crawlers may fetch, and ask whether the service lives", async () => {
    const app = await served(yaml);
    for (const [path, status] of [
      ["/robots.txt", 200],
      ["/health", 200],
      ["/static/home/home.css", 200],
      ["/.well-known/security.txt", 404],
    ] as const)
      expect([path, (await app.get(path, { headers: { "User-Agent": gpt } })).status]).toEqual([
        path,
        status,
      ]);
    const preflight = await app.get(image, { method: "OPTIONS", headers: { "User-Agent": gpt } });
    expect(preflight.status).toBe(204);
  });

  test("change with the configuration", async () => {
    const app = await served(yaml);
    const config = app.service.config();
    app.service.reload({ ...config, crawlers: { ...config.crawlers, denied_agents: ["curl"] } });
    const statuses = [gpt, "curl/8.5.0"].map(
      async (agent) => (await app.get(image, { headers: { "User-Agent": agent } })).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 403]);
  });

  test.each([
    ["a text of all browsers", "mozilla", "browsers"],
    ["a text of one browser", "Firefox/", "browsers"],
    ["a short text", "ab", "3 to 100"],
    ["spaces", '"   "', "3 to 100"],
    ["a line break", '"a\\nbc"', "3 to 100"],
    ["a long text", "x".repeat(101), "3 to 100"],
  ])("are not %s", async (_, text, message) => {
    await expect(served(`crawlers: { denied_agents: [${text}] }`)).rejects.toThrow(message);
  });
});
