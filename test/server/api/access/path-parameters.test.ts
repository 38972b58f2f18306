// Gated masters on a web server that leaves out path parameters, as Tomcat and its like do.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { at, authSection, fineColumns, type Gated, gated, pictures } from "./gated.ts";

let server: Server;
let url: string;
let site: Gated;
let staff: string;
const sent: string[] = [];

beforeAll(async () => {
  const png = await fineColumns().png().toBuffer();
  server = createServer((request, response) => {
    // Simulates a proxy that decodes what it forwards (Servlet 6.0, section 3.5.2): parameters removed, then
    // decoded, then resolved.
    const raw = (request.url ?? "").split("?")[0]?.replace(/%3b/gi, ";").replace(/%2f/gi, "/") ?? "";
    const names = raw.split("/").map((segment) => decodeURIComponent(segment.replace(/;.*$/, "")));
    const path = new URL(names.filter((name) => name !== "").join("/"), "http://h/").pathname;
    const isThere = ["/private/a.png", "/public/a.png", "/private"].includes(path);
    if (isThere) sent.push(path);
    response.writeHead(isThere ? 200 : 404, { "Content-Type": "image/png" }).end(isThere ? png : "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  const folder = await pictures();
  site = await gated({
    folder,
    more: `sources:
  - { name: own, type: http, prefix: own/, url: "{identifier}", allowed_hosts: ["127.0.0.1:${port}"], allow_private: true }
  - { name: shop, type: http, prefix: shop/, url: "${url}/{identifier}", allow_private: true }`,
    auth: `${authSection}    - { match: shop/private/a.png, profile: staff }
    - { match: "own/${url}/private/a.png", profile: staff }
`,
  });
  staff = await site.cookie("staff");
});
afterAll(async () => {
  await site.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const get = (identifier: string, headers: Record<string, string> = {}) =>
  site.app.get(at(encodeURIComponent(identifier)), { headers });

describe.each([
  ["below the address of a source", () => "shop/"],
  ["as a URL", () => `own/${url}/`],
])("a master %s", (_, prefix) => {
  test.each([
    "private/a.png",
    "private/a.png;x",
    "private/a.png;jsessionid=1;v=2",
    "private/a.png;2",
    "private/a.png;x;2",
    "private;x/a.png",
    "private;x=1/a.png;y",
    "private;/a.png",
    ";x/private/a.png",
    "private/;x/a.png",
  ])("is hidden from readers without a login under the name %s, and shown to the others", async (name) => {
    sent.length = 0;
    expect((await get(prefix() + name)).status).toBe(401);
    expect(sent).toEqual([]);
    expect((await get(prefix() + name, { Cookie: staff })).status).toBe(200);
    expect(new Set(sent)).toEqual(new Set(["/private/a.png"]));
  });

  test.each([
    "public/..;/private/a.png",
    "public/..;x=1/private/a.png",
    ".;/private/a.png",
    "x;y/..;/private/a.png",
  ])("is not requested under the name %s, which leads to another folder", async (name) => {
    sent.length = 0;
    expect([400, 401]).toContain((await get(prefix() + name)).status);
    expect((await get(prefix() + name, { Cookie: staff })).status).toBe(400);
    expect(sent).toEqual([]);
  });

  test("next to it is public with or without parameters", async () => {
    for (const name of ["public/a.png", "public;x/a.png", "public/a.png;v=2"])
      expect((await get(prefix() + name)).status).toBe(200);
  });
});

test.each([
  "private%3Bx/a.png",
  "private/a.png%3bx",
  "private;x%2Fa.png",
  "private/%61.png;x",
  "public/%2e%2e;/private/a.png",
  "public/.%2E%3Bx/private/a.png",
  "public%2f..;%2fprivate/a.png",
])("escapes in the URL %s change nothing of that", async (path) => {
  sent.length = 0;
  expect([400, 401]).toContain((await get(`own/${url}/${path}`)).status);
  expect(sent).toEqual([]);
});
