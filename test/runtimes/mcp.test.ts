// The Model Context Protocol on every runtime: sessions of the official clients over the wire, and the
// scenarios of the official suite.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generations } from "../server/api/mcp-clients.ts";
import { runtimesFor } from "./selection.ts";
import { type Started, startServer } from "./server.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const suite = `${root}test/runtimes/node_modules/@modelcontextprotocol/conformance/dist/index.js`;

const staff =
  "{ pattern: clickthrough, label: { en: [Terms] }, heading: { en: [Terms] }, access_service: { backend: builtin } }";
const extra = `mcp: { enabled: true }
auth: { profiles: { staff: ${staff} }, rules: [{ match: "deep/*", profile: staff }] }
`;

describe.each(runtimesFor("mcp"))("MCP on $name", (runtime) => {
  let server: Started;
  beforeAll(async () => {
    server = await startServer(runtime, { extra });
  });
  afterAll(() => server.close());

  it.each(Object.entries(generations))("serves a session of %s", async (name, connect) => {
    const session = await connect(`${server.url}/mcp`);
    expect(session.version).toBe(name.slice(0, 10));
    expect((await session.tools()).map((tool) => tool.name)).toEqual([
      "browse",
      "search_text",
      "get_image_info",
      "get_region",
    ]);
    const listed = JSON.parse((await session.call("browse")).content[0]?.text ?? "");
    expect(listed.images).toContain("base.png");
    expect(listed.folders).toEqual([]);
    const told = await session.call("get_image_info", { identifier: "base.png" });
    expect(JSON.parse(told.content[0]?.text ?? "").info).toMatchObject({ width: 600, height: 400 });
    const args = { identifier: "base.png", region: "100,50,300,200", format: "png" };
    const [image] = (await session.call("get_region", args)).content;
    const seen = await sharp(Buffer.from(image?.data ?? "", "base64"))
      .raw()
      .toBuffer();
    const fixture = `${root}test/fixtures/base.png`;
    const region = { left: 100, top: 50, width: 300, height: 200 };
    const own = await sharp(fixture).extract(region).raw().toBuffer();
    expect(seen.equals(own)).toBe(true);
    expect(await session.call("get_region", { identifier: "deep/base.png" })).toMatchObject({
      isError: true,
      text: expect.stringContaining(`${server.url}/iiif/auth/login/staff`),
    });
    expect(await session.call("get_region", { identifier: "none.png" })).toMatchObject({ isError: true });
    await expect(session.call("remove")).rejects.toThrow();
    await session.close();
  });

  it("refuses malformed and overlong messages", async () => {
    const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
    const statusOf = async (body: string) => {
      const response = await fetch(`${server.url}/mcp`, { method: "POST", headers, body });
      const { error } = (await response.json()) as { error: { code: number } };
      return [response.status, error.code];
    };
    expect(await statusOf("{")).toEqual([400, -32700]);
    expect(await statusOf("[]")).toEqual([400, -32600]);
    expect(await statusOf(`"${"x".repeat(70_000)}"`)).toEqual([413, -32600]);
    const get = await fetch(`${server.url}/mcp`);
    await get.arrayBuffer();
    expect(get.status).toBe(405);
  });

  it.each(["server-initialize", "ping", "tools-list", "dns-rebinding-protection"])(
    "passes the scenario %s of the official suite",
    async (scenario) => {
      // The suite wants a Node that is newer than the oldest one of the project; Bun runs it as well.
      const line = [suite, "server", "--url", `${server.url}/mcp`, "--scenario", scenario];
      const { stdout } = await promisify(execFile)(`${root}test/runtimes/node_modules/.bin/bun`, line);
      expect(stdout).toMatch(/Passed: (\d+)\/\1, 0 failed/);
    },
  );
});
