// The Model Context Protocol at /mcp, by the official clients of both of its generations and by messages that no client sends.

import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Served, served } from "../served.ts";
import { at, type Gated, gated, pictures } from "./gated.ts";
import { generations, type McpSession } from "./mcp-clients.ts";

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

  test("agrees on the version, and is told what the tools are for", () => {
    expect(session.version).toBe(name.slice(0, 10));
    expect(session.instructions).toContain("get_region");
  });

  test("returns the facts of an image as image information does", async () => {
    const { text, isError } = await session.call("get_image_info", { identifier: "public.png" });
    const info = await (await app.app.get("/iiif/3/public.png/info.json")).json();
    expect(isError).toBe(false);
    expect(JSON.parse(text)).toMatchObject({ identifier: "public.png", pages: 1, access: "public", info });
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
      // Whether it exists is not said either.
      expect((await session.call(tool, { identifier: "private/none.png" })).text).toBe(denied.text);
    }
    const reader = await open({ Authorization: await app.bearer("staff") });
    const seen = await reader.call("get_region", { identifier: "private/a.png" });
    expect(seen.content[0]?.type).toBe("image");
    await reader.close();
  });
});

test("nothing is at /mcp unless it is enabled", async () => {
  const app = await served();
  expect((await app.get("/mcp", { method: "POST", body: "{}" })).status).toBe(404);
  await app.service.close();
});
