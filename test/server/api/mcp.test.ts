// The Model Context Protocol at /mcp, by the official clients of both of its generations and by messages that
// no client sends.
// @module-tag slow

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { McpServer } from "@modelcontextprotocol/server";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Access, publicGrant } from "../../../src/server/access/access.ts";
import { grain } from "../../grain.ts";
import { type Served, served } from "../../served.ts";
import { at, type Gated, gated, pictures } from "./access/gated.ts";
import { type Content, generations, type McpSession } from "./mcp-clients.ts";

const on = "mcp: { enabled: true }\n";
const url = "http://127.0.0.1:8080/mcp";

/** Requests of a client go to the application by this. */
const fetchOf =
  (app: Served) =>
  async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { pathname, host } = new URL(input);
    return app.get(pathname, { ...init, host });
  };

describe.each(Object.entries(generations))("a session of %s", (name, connect) => {
  let app: Gated;
  let session: McpSession;
  const open = (headers = {}) => connect(url, { fetch: fetchOf(app.app), headers });
  beforeAll(async () => {
    app = await gated({ folder: await pictures(), more: on });
    session = await open();
  });
  afterAll(async () => {
    await session.close();
    await app.close();
  });

  test("agrees on the version, and gets a description of the tools", () => {
    expect(session.version).toBe(name.slice(0, 10));
    expect(session.instructions).toContain("get_region");
  });

  test("lists its tools with their arguments", async () => {
    const tools = await session.tools();
    expect(tools.map(({ name }) => name)).toEqual(["browse", "search_text", "get_image_info", "get_region"]);
    expect(tools[3]?.inputSchema).toMatchObject({
      type: "object",
      properties: { region: { type: "string", default: "full" } },
      required: ["identifier"],
      additionalProperties: false,
    });
    // The later generation has no ping.
    if (session.version !== "2026-07-28") expect(await session.ping()).toEqual({});
  });

  test("browses the images that the caller may have, and nothing else", async () => {
    const listed = async (by: McpSession, id = "") => {
      const { content, isError, text } = await by.call("browse", { id });
      expect(isError).toBe(false);
      const { folders, images } = JSON.parse(content[0]?.text ?? "");
      // Not by a link either.
      expect(text).not.toMatch(by === session ? /private|room|proxied/ : "proxied");
      return [...folders, ...images];
    };
    // An image with a substitute is listed for everybody.
    expect(await listed(session)).toEqual(["blue.png", "public.png", "terms.png"]);
    const refused = await session.call("browse", { id: "private" });
    expect(refused).toMatchObject({ isError: true, content: [{ type: "text" }] });
    expect((await session.call("browse", { id: "private/none" })).text).toBe(refused.text);
    const reader = await open({ Authorization: await app.bearer("staff") });
    expect(await listed(reader)).toEqual(["private", "blue.png", "public.png", "terms.png"]);
    expect(await listed(reader, "private/")).toEqual(["private/a.png", "private/é ü.png"]);
    await reader.close();
  });

  test("gets links to existing documents of the Presentation API", async () => {
    const links = [
      (await session.call("browse")).content.at(-1),
      (await session.call("get_image_info", { identifier: "public.png" })).content.at(-1),
    ];
    const types = [];
    for (const link of links) {
      expect(link).toMatchObject({ type: "resource_link", mimeType: "application/ld+json" });
      const { pathname, origin } = new URL(link?.uri ?? "");
      expect(origin).toBe("https://images.example.org");
      const { id, type } = await (await app.app.get(pathname)).json();
      expect(id).toBe(link?.uri);
      types.push(type);
    }
    expect(types).toEqual(["Collection", "Manifest"]);
  });

  test("returns the facts of an image as image information does", async () => {
    const { content, isError } = await session.call("get_image_info", { identifier: "public.png" });
    const info = await (await app.app.get("/iiif/3/public.png/info.json")).json();
    expect(isError).toBe(false);
    expect(JSON.parse(content[0]?.text ?? "")).toMatchObject({
      identifier: "public.png",
      pages: 1,
      access: "public",
      info,
    });
  });

  test("returns the pixels that the address of the image has", async () => {
    const { content, text } = await session.call("get_region", {
      identifier: "public.png",
      region: "10,20,300,200",
      size: "150,",
      format: "png",
    });
    const [image] = content;
    expect(image).toMatchObject({ type: "image", mimeType: "image/png" });
    const rest = "10,20,300,200/150,100/0/default.png";
    expect(text).toContain(`https://images.example.org/iiif/3/public.png/${rest}`);
    const pixels = (file: Uint8Array | string) =>
      sharp(typeof file === "string" ? Buffer.from(file, "base64") : file)
        .raw()
        .toBuffer({ resolveWithObject: true });
    const seen = await pixels(image?.data ?? "");
    const address = await app.app.get(at("public.png", rest));
    const other = await pixels(new Uint8Array(await address.arrayBuffer()));
    expect(seen.info).toMatchObject({ width: 150, height: 100 });
    expect(seen.data.equals(other.data)).toBe(true);
  });

  test("is denied a gated image, and gets it with a token", async () => {
    for (const tool of ["get_image_info", "get_region"]) {
      const denied = await session.call(tool, { identifier: "private/a.png" });
      expect(denied.isError).toBe(true);
      expect(denied.content.map(({ type }) => type)).toEqual(["text"]);
      expect(denied.text).toContain("https://images.example.org/iiif/auth/login/staff");
      expect(denied.text).not.toContain("800");
      // Its existence is not revealed either.
      expect((await session.call(tool, { identifier: "private/none.png" })).text).toBe(denied.text);
    }
    const reader = await open({ Authorization: await app.bearer("staff") });
    const seen = await reader.call("get_region", { identifier: "private/a.png" });
    expect(seen.content[0]?.type).toBe("image");
    await reader.close();
  });
});

/** Posts one message without a client; returns the response. */
async function post(
  app: Served,
  body: unknown,
  { host = "localhost", ...headers }: Readonly<Record<string, string>> = {},
) {
  const response = await app.get("/mcp", {
    method: "POST",
    host,
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const rpc = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });
const callOf = (name: string, args: unknown) => rpc("tools/call", { name, arguments: args });
const initialize = rpc("initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
});

describe("invalid input", () => {
  let app: Served;
  beforeAll(async () => {
    app = await served(on);
  });
  afterAll(() => app.service.close());

  test.each<[string, unknown, number, number]>([
    ["no JSON", "{", 400, -32700],
    ["nothing", "", 400, -32700],
    ["null", null, 400, -32600],
    ["a number", 5, 400, -32600],
    ["a text", '"ping"', 400, -32600],
    ["an object that is no message", {}, 400, -32600],
    ["another version of JSON-RPC", { ...initialize, jsonrpc: "1.0" }, 400, -32600],
    ["several messages", [rpc("ping"), rpc("ping")], 400, -32600],
    ["no message at all", [], 400, -32600],
    ["an array within an array within an array", `${"[".repeat(30_000)}${"]".repeat(30_000)}`, 400, -32600],
    ["an unknown method", rpc("prompts/list"), 200, -32601],
    ["an unknown tool", callOf("remove", {}), 200, -32602],
    ["a tool with a name of JavaScript", callOf("constructor", {}), 200, -32602],
    ["a tool without a name", rpc("tools/call"), 200, -32602],
    ["a body that is too long", `{"a":"${"x".repeat(70_000)}"}`, 413, -32600],
  ])("%s is refused in the words of JSON-RPC", async (_what, body, status, code) => {
    const answer = await post(app, body);
    expect({ status: answer.status, code: JSON.parse(answer.text).error?.code }).toEqual({ status, code });
  });

  test.each<[string, object]>([
    ["arguments that are none", { name: "get_region", arguments: "base.png" }],
    ["no identifier", { name: "get_region", arguments: {} }],
    ["an identifier that is no text", { name: "get_image_info", arguments: { identifier: 5 } }],
    ["an argument that nobody knows", { name: "browse", arguments: { path: "/" } }],
    ["a way out of the source", { name: "get_region", arguments: { identifier: "../base.png" } }],
    ["a way out of the folder", { name: "browse", arguments: { id: "a/../../b" } }],
    ["no image", { name: "get_region", arguments: { identifier: "none.png" } }],
    ["an image as a folder", { name: "browse", arguments: { id: "base.png" } }],
    ["a broken file", { name: "get_image_info", arguments: { identifier: "bad-text.jpg" } }],
    ["a cursor of its own", { name: "browse", arguments: { cursor: "50" } }],
    ["a broken region", { name: "get_region", arguments: { identifier: "base.png", region: "1,2,3" } }],
    ["a region outside", { name: "get_region", arguments: { identifier: "base.png", region: "9999,0,9,9" } }],
    ["a broken size", { name: "get_region", arguments: { identifier: "base.png", size: "big" } }],
    ["a format for nobody", { name: "get_region", arguments: { identifier: "base.png", format: "tif" } }],
    ["too many pixels", { name: "get_region", arguments: { identifier: "base.png", size: "^4000," } }],
  ])("%s makes a tool explain the error", async (_what, params) => {
    const { status, text } = await post(app, rpc("tools/call", params));
    const { result, error } = JSON.parse(text);
    expect(status).toBe(200);
    // Arguments that are no object are no call of a tool.
    if (error) return expect(error.code).toBe(-32602);
    expect(result.isError).toBe(true);
    expect(result.content[0].text.length).toBeGreaterThan(20);
    expect(text).not.toMatch(/fixtures|node_modules|\bat \//);
  });

  test.each(["GET", "HEAD", "DELETE", "PUT"])("%s is 405", async (method) => {
    const answer = await app.get("/mcp", { method, host: "localhost" });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("Allow")).toBe("POST, OPTIONS");
  });

  test("another type than JSON is 415", async () => {
    expect((await post(app, initialize, { "Content-Type": "text/plain" })).status).toBe(415);
  });

  test("no stream is opened for changes that never come", async () => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const { text } = await post(
      app,
      rpc("subscriptions/listen", { _meta: meta, notifications: { toolsListChanged: true } }),
      { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen" },
    );
    expect(JSON.parse(text).error.message).toContain("limit");
  });

  test("may not be cached", async () => {
    const { headers } = await post(app, initialize);
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("Mcp-Session-Id")).toBeNull();
  });
});

describe("access to the endpoint", () => {
  const page = (origin: string, more = {}) => ({ Origin: origin, ...more });
  const derived = `${on}`;
  const configured = `base_url: https://images.example.org/iiif-server\n${on}`;
  const proxied = `trusted_proxies: [192.0.2.0/24]\n${on}`;
  const both = `base_url: https://images.example.org\n${proxied}`;
  const named =
    "mcp: { enabled: true, allowed_origins: [https://viewer.example.org], allowed_hosts: [Images.internal] }\n";
  const rebound = { host: "evil.example.com:8080" };

  test.each<[string, string, Record<string, string>, number]>([
    ["localhost", derived, { host: "localhost:8080" }, 200],
    ["an address", derived, { host: "192.0.2.7:8080" }, 200],
    ["an address of version 6", derived, { host: "[::1]:8080" }, 200],
    ["a name that anybody can have", derived, rebound, 403],
    ["the same for a page of that name", derived, page("http://evil.example.com:8080", rebound), 403],
    ["a name that anybody forwards", derived, { ...rebound, "X-Forwarded-Host": "localhost" }, 403],
    [
      "an origin that anybody forwards",
      derived,
      page("http://evil.example", { "X-Forwarded-Host": "evil.example" }),
      403,
    ],
    ["a page of this server", derived, page("http://localhost:8080", { host: "localhost:8080" }), 200],
    ["a page of another port", derived, page("http://localhost:3000", { host: "localhost:8080" }), 403],
    ["a page of another site", derived, page("https://evil.example"), 403],
    ["a page of no site", derived, page("null"), 403],
    ["the public name", configured, { host: "images.example.org" }, 200],
    ["another name beside it", configured, rebound, 403],
    ["a page of the public name", configured, page("https://images.example.org"), 200],
    ["a page of a name that begins so", configured, page("https://images.example.org.evil.example"), 403],
    ["what a trusted proxy forwards", proxied, { ...rebound, "X-Forwarded-Host": "images.example.org" }, 200],
    [
      "a page of what it forwards",
      proxied,
      page("http://images.example.org", { "X-Forwarded-Host": "images.example.org" }),
      200,
    ],
    [
      "another page behind it",
      proxied,
      page("https://evil.example", { "X-Forwarded-Host": "images.example.org" }),
      403,
    ],
    ["a name that it does not forward", proxied, rebound, 403],
    [
      "a page that says it forwards another name",
      proxied,
      page("http://evil.example.com:8080", { ...rebound, "X-Forwarded-Host": "localhost" }),
      403,
    ],
    [
      "another name than the public one that a proxy forwards",
      both,
      { "X-Forwarded-Host": "evil.example.com" },
      403,
    ],
    [
      "a page of that name",
      both,
      page("http://evil.example.com", { "X-Forwarded-Host": "evil.example.com" }),
      403,
    ],
    [
      "the public name that a proxy forwards",
      both,
      { host: "smalti:8080", "X-Forwarded-Host": "images.example.org" },
      200,
    ],
    ["a name of a network that a proxy does not forward", both, { host: "smalti:8080" }, 403],
    ["a name of the operator's", named, { host: "images.internal:8080" }, 200],
    ["a page of the operator's choice", named, page("https://viewer.example.org"), 200],
  ])("%s", async (_what, yaml, headers, status) => {
    const app = await served(yaml);
    const answer = await post(app, initialize, headers);
    expect(answer.status).toBe(status);
    if (status === 403) expect(JSON.parse(answer.text).error.message).toMatch(/^Expected .* mcp\.allowed_/);
    await app.service.close();
  });

  test("a page that the operator allows may read responses, and send the protocol's headers", async () => {
    const app = await served(named);
    const origin = "https://viewer.example.org";
    const preflight = await app.get("/mcp", {
      method: "OPTIONS",
      host: "localhost",
      headers: { Origin: origin },
    });
    expect(preflight.headers.get("Access-Control-Allow-Origin")).toBe(origin);
    expect(preflight.headers.get("Access-Control-Allow-Headers")).toMatch(
      /Authorization.*MCP-Protocol-Version/,
    );
    const other = await post(app, initialize, { Origin: "https://evil.example" });
    expect(other.headers.get("Access-Control-Allow-Origin")).toBeNull();
    await app.service.close();
  });
});

describe("pictures for models", () => {
  let app: Served;
  let folder: string;
  const look = async (args: object) => {
    const { text } = await post(app, callOf("get_region", args));
    const { content, isError = false } = JSON.parse(text).result;
    const [first] = content as readonly Content[];
    if (isError) return { problem: first?.text ?? "", width: 0, height: 0, bytes: 0, text };
    const file = Buffer.from(first?.data ?? "", "base64");
    const { width = 0, height = 0, format } = await sharp(file).metadata();
    return { problem: "", width, height, format, bytes: file.length, text: content[1].text as string };
  };
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "smalti-mcp-"));
    const plain = { width: 4000, height: 3000, channels: 3, background: "#336699" } as const;
    await sharp({ create: plain }).jpeg().toFile(join(folder, "large.jpg"));
    await grain(1568, 1568, 60).png().toFile(join(folder, "grain.png"));
    const source = `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)} }]\n`;
    app = await served(`${source}${on}`);
  });
  afterAll(async () => {
    await app.service.close();
    rmSync(folder, { recursive: true, maxRetries: 5 });
  });

  test("fit in 1568 pixels a side by default, and contain their address", async () => {
    const whole = await look({ identifier: "large.jpg" });
    expect(whole).toMatchObject({ width: 1568, height: 1176, format: "jpeg" });
    expect(whole.text).toContain("Region 0,0,4000,3000");
    expect(await look({ identifier: "large.jpg", region: "pct:50,50,50,50" })).toMatchObject({
      width: 1568,
      height: 1176,
      text: expect.stringContaining("Region 2000,1500,2000,1500"),
    });
    expect(await look({ identifier: "large.jpg", region: "0,0,1000,500" })).toMatchObject({
      width: 1000,
      height: 500,
    });
    const turned = { identifier: "large.jpg", size: "200,", rotation: 90, format: "webp" };
    expect(await look(turned)).toMatchObject({ width: 150, height: 200, format: "webp" });
  });

  test("are made smaller if they would have too many bytes, unless a size was requested", async () => {
    const usual = await look({ identifier: "grain.png", format: "png" });
    expect(usual.bytes).toBeLessThan(700_001);
    expect(usual.width).toBeGreaterThan(256);
    // Three bytes of noise a pixel do not become fewer.
    const asked = await look({ identifier: "grain.png", format: "png", size: "max" });
    expect(asked.problem).toMatch(/^Expected a picture of at most 3145728 bytes/);
    expect(asked.text.length).toBeLessThan(1000);
  });

  test("have at most four megapixels", async () => {
    expect((await look({ identifier: "large.jpg", size: "2000," })).width).toBe(2000);
    expect((await look({ identifier: "large.jpg", size: "max" })).problem).toMatch(
      /^Expected a picture of at most 4194304 pixels; 4000 x 3000 are more/,
    );
  });

  test("keep to the limits of the service", async () => {
    const source = `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)} }]\n`;
    const limited = await served(`${source}image: { max_output_width: 800 }\n${on}`);
    const ask = async (args: object) =>
      JSON.parse((await post(limited, callOf("get_region", { identifier: "large.jpg", ...args }))).text)
        .result;
    const file = Buffer.from((await ask({})).content[0].data, "base64");
    expect(await sharp(file).metadata()).toMatchObject({ width: 800, height: 600 });
    expect(await ask({ size: "900," })).toMatchObject({ isError: true });
    await limited.service.close();
  });
});

describe("a long folder", () => {
  let folder: string;
  const names = Array.from({ length: 700 }, (_, i) => `page ${i + 1}${i % 7 === 3 ? " hidden" : ""}.jpg`);
  const hidden: Access = {
    decide: ({ identifier }) =>
      identifier.includes("hidden") || identifier.startsWith("gone")
        ? { allowed: false, status: 401, reason: "No.", cachedBy: "caller", vary: [] }
        : publicGrant,
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "smalti-mcp-"));
    for (const name of names) writeFileSync(join(folder, name), "");
    mkdirSync(join(folder, "gone"));
    for (let i = 0; i < 1200; i++) writeFileSync(join(folder, "gone", `${i}.jpg`), "");
  });
  afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

  const open = () =>
    served(
      `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)} }]\n${on}`,
      {},
      { access: hidden },
    );
  const browse = async (app: Served, args: object) => {
    const { text } = await post(app, callOf("browse", args));
    return JSON.parse(JSON.parse(text).result.content[0].text);
  };

  test("comes in pages of 50, in natural order, and no page or cursor names hidden entries", async () => {
    const app = await open();
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await browse(app, { ...(cursor && { cursor }) });
      expect(JSON.stringify(page)).not.toContain("hidden");
      cursor = page.next_cursor;
      expect(page.images.length + page.folders.length).toBeLessThanOrEqual(50);
      if (cursor) expect(page.images.length + page.folders.length).toBe(50);
      seen.push(...page.images);
    } while (cursor);
    expect(seen).toEqual(names.filter((name) => !name.includes("hidden")));
    await app.service.close();
  });

  test("continues at the same position when files are added and removed meanwhile", async () => {
    const app = await open();
    const { images } = await browse(app, {});
    const last = images.at(-1);
    expect((await browse(app, { cursor: "image.0.page 48x.jpg" })).images[0]).toBe("page 49.jpg");
    expect((await browse(app, { cursor: `image.0.${last}` })).images[0]).toBe("page 58.jpg");
    await app.service.close();
  });

  test("of hidden images alone is read to its end without any of them", async () => {
    const app = await open();
    let pages = 0;
    let cursor: string | undefined;
    do {
      const page = await browse(app, { id: "gone", ...(cursor && { cursor }) });
      expect(page.images).toEqual([]);
      cursor = page.next_cursor;
      pages++;
    } while (cursor);
    // At most 500 of them are decided on at a time.
    expect(pages).toBe(3);
    await app.service.close();
  });
});

describe("hooks, caps and records", () => {
  const js = (file: string) =>
    `hook: { engine: js, headers: [X-Group], js: { file: ${JSON.stringify(file)} } }\n${on}`;
  let folder: string;
  const hooked = async (code: string) => {
    const file = join(folder, `${code.length}.js`);
    writeFileSync(file, code);
    return served(js(file));
  };
  const toldBy = async (app: Served, name: string, args: object, headers = {}) => {
    const { result } = JSON.parse((await post(app, callOf(name, args), headers)).text);
    return {
      isError: result.isError === true,
      text: result.content.at(0).text ?? "",
      type: result.content[0].type,
    };
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "smalti-mcp-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

  test("an authorize hook sees the request and is obeyed", async () => {
    const app = await hooked(`export const authorize = ({ identifier, request_path: path, headers }) =>
      identifier === "base.png" ? { allow: path === "/mcp" && headers["x-group"] === "staff", reason: "Staff alone." }
      : identifier === "gif-static.gif" ? { allow: false, redirect: "https://elsewhere.example.org/a" }
      : { allow: true };`);
    for (const tool of ["get_image_info", "get_region"]) {
      expect(await toldBy(app, tool, { identifier: "base.png" })).toMatchObject({
        isError: true,
        text: "Staff alone.",
      });
      expect((await toldBy(app, tool, { identifier: "base.png" }, { "X-Group": "staff" })).isError).toBe(
        false,
      );
      expect(await toldBy(app, tool, { identifier: "gif-static.gif" })).toMatchObject({
        isError: true,
        text: expect.stringContaining("https://elsewhere.example.org/a"),
      });
    }
    const listed = async (headers: object) => (await toldBy(app, "browse", {}, headers)).text;
    expect(await listed({})).not.toContain('"base.png"');
    expect(await listed({ "X-Group": "staff" })).toContain('"base.png"');
    const denied = app.service.decisions.latest().filter(({ identifier }) => identifier === "base.png");
    expect(denied.map(({ verdict }) => verdict)).toEqual(expect.arrayContaining(["allow", "deny"]));
    await app.service.close();
  });

  test("with a hook that maps identifiers, folders are not listed, and the mapped images are shown", async () => {
    const app = await hooked('export const resolve = ({ identifier }) => ({ key: identifier + ".png" });');
    expect(await toldBy(app, "browse", {})).toMatchObject({
      isError: true,
      text: expect.stringContaining("presentation.derive"),
    });
    expect((await toldBy(app, "get_region", { identifier: "base" })).type).toBe("image");
    await app.service.close();
  });

  test("the caps hold while a tool works", async () => {
    const app = await served(`limits: { max_in_flight_per_ip: 2 }\n${on}`);
    const ask = () =>
      post(app, callOf("get_region", { identifier: "base.png", rotation: 10, size: "^900," }));
    const statuses = (await Promise.all([ask(), ask(), ask(), ask()])).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, 429, 429]);
    expect((await ask()).status).toBe(200);
    await app.service.close();
  });
});

describe("several sources", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "smalti-mcp-"));
    for (const name of ["one", "two/in", "three"]) mkdirSync(join(folder, name), { recursive: true });
    for (const name of ["one/a.jpg", "one/b", "two/c.png", "two/in/d.tif", "three/e.jpg"])
      writeFileSync(join(folder, name), "");
  });
  afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));
  const root = (name: string) => JSON.stringify(join(folder, name));
  const browse = async (app: Served, id = "") => {
    const { result } = JSON.parse((await post(app, callOf("browse", { id }))).text);
    return result.isError ? result.content[0].text : JSON.parse(result.content[0].text);
  };

  test("are folders next to those of the default one, under their prefixes", async () => {
    const app = await served(`sources:
  - { name: one, type: filesystem, root: ${root("one")} }
  - { name: two, type: filesystem, root: ${root("two")}, prefix: more/two/ }
  - { name: three, type: filesystem, root: ${root("three")}, prefix: staff/ }
  - { name: web, type: http, url: "http://127.0.0.1:9/{identifier}", prefix: web/ }
auth:
  profiles: { terms: { pattern: clickthrough, label: { en: [T] }, heading: { en: [T] }, access_service: { backend: builtin } } }
  rules: [{ match: "staff/*", profile: terms }]
${on}`);
    expect(await browse(app)).toMatchObject({ id: "", folders: ["more/two"], images: ["a.jpg"] });
    expect(await browse(app, "more/two")).toMatchObject({
      parent: "",
      folders: ["more/two/in"],
      images: ["more/two/c.png"],
    });
    expect(await browse(app, "more/two/in")).toMatchObject({
      parent: "more/two",
      folders: [],
      images: ["more/two/in/d.tif"],
    });
    expect(await browse(app, "staff")).toContain("login");
    expect(await browse(app, "web/pictures")).toContain("cannot list");
    expect(await browse(app, "none")).toContain("no folder");
    await app.service.close();
  });

  test("are browsed and searched under the labels of manifest files, without hidden entries", async () => {
    const described = join(folder, "described");
    mkdirSync(join(described, "book"), { recursive: true });
    for (const name of ["a.jpg", "b.jpg"]) writeFileSync(join(described, "book", name), "");
    writeFileSync(
      join(described, "book/manifest.yaml"),
      "label: { en: A book of hours, de: Ein Stundenbuch }\ncanvases: { a.jpg: Cover, b.jpg: { hide: true } }",
    );
    const app = await served(
      `sources: [{ name: one, type: filesystem, root: ${JSON.stringify(described)} }]\n${on}`,
    );
    const asked = async (args: object) =>
      JSON.parse(JSON.parse((await post(app, callOf("browse", args))).text).result.content[0].text);
    expect(await asked({})).toMatchObject({ folders: ["book"], labels: { book: "A book of hours" } });
    expect(await asked({ id: "book" })).toMatchObject({
      name: "A book of hours",
      images: ["book/a.jpg"],
      labels: { "book/a.jpg": "Cover" },
    });
    expect(await asked({ search: "stundenbuch" })).toMatchObject({ folders: ["book"], images: [] });
    expect(await asked({ search: "hours cover" })).toMatchObject({ folders: [], images: ["book/a.jpg"] });
    expect(await asked({ search: "b.jpg" })).toMatchObject({ folders: [], images: [] });
    await app.service.close();
  });

  test("that cannot be listed say so", async () => {
    const app = await served(
      `sources: [{ name: web, type: http, url: "http://127.0.0.1:9/{identifier}" }]\n${on}`,
    );
    expect(await browse(app)).toContain("cannot list");
    await app.service.close();
  });
});

test.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
  "a client of %s gets a response in that version",
  async (protocolVersion) => {
    const app = await served(on);
    const asked = { ...initialize, params: { ...initialize.params, protocolVersion } };
    const { result } = JSON.parse((await post(app, asked)).text);
    expect(result).toMatchObject({ protocolVersion, serverInfo: { name: "smalti" } });
    const listed = await post(app, rpc("tools/list"), { "MCP-Protocol-Version": protocolVersion });
    expect(JSON.parse(listed.text).result.tools).toHaveLength(4);
    await app.service.close();
  },
);

describe("sessions", { tags: ["slow"] }, () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;

  /** The server that each request has had. */
  const made: WeakRef<McpServer>[] = [];
  const { connect: connectServer } = McpServer.prototype;
  beforeAll(() => {
    // A spy of Vitest would keep them.
    McpServer.prototype.connect = function (transport) {
      made.push(new WeakRef(this));
      return connectServer.call(this, transport);
    };
  });
  afterAll(() => {
    McpServer.prototype.connect = connectServer;
  });

  test.each(Object.entries(generations))("of %s leave nothing behind", async (_name, connect) => {
    const app = await gated({ folder: await pictures(), more: on });
    const sessions = async (count: number) => {
      for (let nth = 0; nth < count; nth++) {
        const session = await connect(url, { fetch: fetchOf(app.app) });
        await session.tools();
        await session.call("browse");
        await session.call("get_image_info", { identifier: "public.png" });
        await session.call("get_region", { identifier: "public.png", size: "100," });
        await session.call("get_region", { identifier: "private/a.png" });
        await session.close();
      }
    };
    const left = () => {
      collect();
      return made.filter((server) => server.deref()).length;
    };
    const open = () => process.getActiveResourcesInfo().length;
    await sessions(1);
    const before = open();
    made.length = 0;
    await sessions(5);
    expect(made.length).toBeGreaterThanOrEqual(25);
    await expect.poll(left).toBe(0);
    await expect.poll(open).toBeLessThanOrEqual(before);
    await app.close();
  });
});

test("nothing is at /mcp unless it is enabled", async () => {
  const app = await served();
  expect((await post(app, initialize)).status).toBe(404);
  await app.service.close();
});
