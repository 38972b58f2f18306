// Attempts to smuggle a request or a header past a proxy, sent as bytes: input that two programs may read
// differently gives no access.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Serving } from "../../../../src/base/platform.ts";
import { nodePlatform } from "../../../../src/server/platform/node.ts";
import { rawExchange } from "../../platform/server/raw-http.ts";
import { at, type Gated, gated, pictures } from "./gated.ts";

const platform = nodePlatform(new URL("../../../../dist/", import.meta.url));

let site: Gated;
let serving: Serving;
let port: number;
beforeAll(async () => {
  site = await gated({ folder: await pictures() });
  serving = await platform.serve!({
    hostname: "127.0.0.1",
    port: 0,
    readTimeoutMs: 500,
    writeTimeoutMs: 5000,
    keepAliveMs: 75_000,
    async fetch(request) {
      const body = request.body ? await request.arrayBuffer().catch(() => undefined) : undefined;
      return site.app.get(platform.rawTarget(request) ?? "", {
        method: request.method,
        headers: request.headers,
        peer: platform.clientAddress(request) ?? "",
        ...(body && body.byteLength > 0 && { body }),
      });
    },
  });
  port = Number(new URL(serving.urls[0] ?? "").port);
});
afterAll(async () => {
  await serving.stop(0);
  await site.close();
});

const proxied = at("proxied.png", "full/20,/0/default.png");
const head = (more: string, target = proxied, method = "GET") =>
  `${method} ${target} HTTP/1.1\r\nHost: images.example.org\r\n${more}`;
const last = "Connection: close\r\n\r\n";
/** A request that only the proxy in front may send. */
const inner = head(`X-Reader: ann\r\n${last}`);
const login = "/iiif/auth/login/terms";
const form = "Content-Type: application/x-www-form-urlencoded\r\n";
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

const statuses = (answer: string) =>
  [...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));

test("the header that a proxy sends for its reader gives access", async () => {
  const answer = await rawExchange(port, inner);
  expect(statuses(answer)).toEqual([200]);
  expect(answer).toMatch(/^content-type: image\/png/im);
});

describe("no request comes in the body of another", () => {
  test.each([
    [
      "with a length and in chunks",
      `Content-Length: ${inner.length + 5}\r\nTransfer-Encoding: chunked\r\n`,
      `0\r\n\r\n${inner}`,
    ],
    ["in chunks and with a length", `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n`, chunk(inner)],
    ["with two lengths", `Content-Length: 0\r\nContent-Length: ${inner.length}\r\n`, inner],
    ["with two lengths in one line", `Content-Length: 0, ${inner.length}\r\n`, inner],
    ["with a length that has a sign", `Content-Length: +0\r\n`, inner],
    ["with a length in hexadecimal digits", `Content-Length: 0x0\r\n`, inner],
    ["with a length and a space before its colon", `Content-Length : ${inner.length}\r\n`, inner],
    ["in a coding that is almost chunked", "Transfer-Encoding: xchunked\r\n", `0\r\n\r\n${inner}`],
    [
      "in chunks that are not the last coding",
      "Transfer-Encoding: chunked, identity\r\n",
      `0\r\n\r\n${inner}`,
    ],
    [
      "in two codings",
      "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n",
      `0\r\n\r\n${inner}`,
    ],
    [
      "in chunks by a folded line",
      `Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n`,
      `0\r\n\r\n${inner}`,
    ],
    [
      "behind a chunk whose length is wrong",
      "Transfer-Encoding: chunked\r\n",
      `1\r\n0\r\n0\r\n\r\nx${inner}`,
    ],
    ["behind a chunk of a length with a sign", "Transfer-Encoding: chunked\r\n", `-1\r\n${inner}`],
  ])("%s", async (_, headers, body) => {
    const answer = await rawExchange(port, head(`${form}${headers}\r\n${body}`, login, "POST"));
    expect(answer).not.toMatch(/image\/png|service_session=/i);
    expect(statuses(answer).filter((status) => status < 400)).toEqual([]);
  });

  test("nor in that of a GET", async () => {
    const answer = await rawExchange(port, head(`Content-Length: ${inner.length}\r\n${last}${inner}`));
    expect(statuses(answer)).toEqual([401]);
  });
});

describe("no header comes in the guise of another", () => {
  test.each([
    ["with an underscore", "X_Reader: ann\r\n"],
    ["with a space before its colon", "X-Reader : ann\r\n"],
    ["with a space before its name", " X-Reader: ann\r\n"],
    ["in a folded line", "X-Other: a\r\n X-Reader: ann\r\n"],
    ["in a folded line by a tab", "X-Other: a\r\n\tX-Reader: ann\r\n"],
    ["behind a bare carriage return", "X-Other: a\rX-Reader: ann\r\n"],
    ["behind a NUL", "X-Other: a\u0000\r\n X-Reader: ann\r\n"],
    ["in a name of two lines", "X-\r\nReader: ann\r\n"],
    ["in wide letters", "Ｘ-Reader: ann\r\n"],
    ["without a colon", "X-Reader ann\r\n"],
    ["of spaces", "X-Reader:   \t \r\n"],
    ["named by Connection", "Connection: X-Reader\r\n"],
  ])("%s", async (_, line) => {
    const answer = await rawExchange(port, head(line + last));
    expect(answer).not.toMatch(/image\/png/i);
    expect(statuses(answer).every((status) => status === 400 || status === 401)).toBe(true);
  });

  test("nor in the trailer of a body", async () => {
    const trailer = `Transfer-Encoding: chunked\r\nTrailer: X-Reader\r\n${last}0\r\nX-Reader: ann\r\n\r\n`;
    expect(statuses(await rawExchange(port, head(trailer)))).toEqual([401]);
  });

  test.each([
    ["a second host", "Host: other.example\r\n", [400, 401]],
    ["an upgrade to HTTP/2", "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n", [400, 401]],
    ["a second token", `Authorization: Bearer x\r\nAuthorization: Bearer y\r\n`, [401]],
  ])("nor does %s", async (_, lines, expected) => {
    const answer = await rawExchange(port, head(lines + last));
    for (const status of statuses(answer)) expect(expected).toContain(status);
  });
});

test.each([
  [
    "a whole address of another host",
    `GET http://other.example${proxied} HTTP/1.1\r\nHost: images.example.org\r\n${last}`,
  ],
  ["a header in the line of the request", `GET ${proxied} HTTP/1.1 X-Reader: ann\r\nHost: a\r\n${last}`],
  ["a version that there is not", `GET ${proxied} HTTP/9.9\r\nHost: a\r\nX-Reader: ann\r\n${last}`],
])("a request with %s shows nothing", async (_, text) => {
  expect(await rawExchange(port, text)).not.toMatch(/image\/png/i);
});
