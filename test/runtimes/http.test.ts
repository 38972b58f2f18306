// The same requests against the built service on every runtime.

import { spawn } from "node:child_process";
import { type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixture } from "../host.ts";
import { rawExchange, rawGet } from "../server/platform/server/raw-http.ts";
import { masterOf, type Origin, startOrigin } from "../servers/origin.ts";
import { runtimesFor } from "./selection.ts";
import { pictures, type Started, startServer } from "./server.ts";
import { optInFormats, testReload, testServing } from "./smoke.ts";

const png = fileURLToPath(new URL("../fixtures/base.png", import.meta.url));

async function bytes(response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer());
}

describe.each(runtimesFor("http"))("smalti on $name", (runtime) => {
  let server: Started;
  let origin: Origin;
  beforeAll(async () => {
    origin = await startOrigin({ "a b.jpg": masterOf(fixture("jpg-baseline-420.jpg")) });
    const template = `http://127.0.0.1:${origin.port}/{identifier}`;
    server = await startServer(runtime, {
      sources: [`{ name: web, type: http, prefix: web/, url: "${template}" }`],
      extra: `metrics: { enabled: true }\n${optInFormats}`,
      // Through a proxy, addresses would not be checked: nothing may go there.
      env: { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: "http://127.0.0.1:9", http_proxy: "http://127.0.0.1:9" },
    });
  });
  afterAll(async () => {
    await server?.close();
    await origin?.close();
  });
  const get = (path: string, init?: RequestInit) => fetch(`${server.url}${path}`, init);
  /** Sends a GET and returns the body as transferred, which fetch would decompress. */
  const exchange = (path: string, headers: Record<string, string>) =>
    new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }>(
      (resolve, reject) => {
        request(`${server.url}${path}`, { headers }, async (response) => {
          const chunks: Buffer[] = [];
          for await (const chunk of response) chunks.push(chunk);
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) });
        })
          .on("error", reject)
          .end();
      },
    );

  testServing(runtime, () => server);

  it("continues shared work when the client that started it has left", async () => {
    /** Absent figures are 0. */
    const figure = async (name: string) =>
      Number.parseInt((await (await get("/metrics")).text()).split(`\n${name} `)[1] ?? "0", 10);
    /** Times that a request has begun to wait for the origin, alone or with others. */
    const waits = () => figure('smalti_source_waits_total{source="web"}');
    /** Requests of which the server knows that their clients have left. */
    const gone = () => figure('smalti_http_requests_total{route="iiif/3 image",status="cancelled"}');
    const before = { waits: await waits(), gone: await gone() };
    const path = "/iiif/3/web%2Fleft.jpg/full/200,/0/default.jpg";
    origin.masters.set("left.jpg", masterOf(fixture("jpg-baseline-420.jpg")));
    let release = () => {};
    origin.behaviour.hold = new Promise((resolve) => {
      release = resolve;
    });
    const leaving = connect(server.port, "127.0.0.1", () =>
      leaving.write(`GET ${path} HTTP/1.1\r\nHost: images.test\r\n\r\n`),
    );
    leaving.on("error", () => {});
    await expect.poll(() => origin.asked.some(({ path }) => path === "left.jpg")).toBe(true);
    const stays = get(path);
    await expect.poll(waits).toBe(before.waits + 2);
    leaving.resetAndDestroy();
    await expect.poll(gone).toBe(before.gone + 1);
    release();
    origin.behaviour.hold = undefined;
    expect((await stays).status).toBe(200);
    expect((await get(path.replace("200,", "201,"))).status).toBe(200);
  });

  it("reads a master on a web server for concurrent requests, and requests it once", async () => {
    const path = "/iiif/3/web%2Fa%20b.jpg/full/300,/0/default.png";
    origin.since(); // the check at the start was one
    const answers = await Promise.all(Array.from({ length: 8 }, () => get(path)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const [first, ...others] = await Promise.all(answers.map(bytes));
    const local = await bytes(await get("/iiif/3/jpg-baseline-420.jpg/full/300,/0/default.png"));
    for (const each of [first, ...others]) expect(Buffer.compare(each as Uint8Array, local)).toBe(0);
    expect(origin.since().requests).toBe(1);
    expect((await get("/iiif/3/web%2Fnot-there.jpg/info.json")).status).toBe(404);
  });

  it("survives a web server with an invalid status", async () => {
    origin.behaviour.instead = (request) => {
      request.socket.end("HTTP/1.1 999 Denied\r\nContent-Length: 0\r\n\r\n");
      return true;
    };
    const refused = await get("/iiif/3/web%2Fother.jpg/info.json");
    origin.behaviour.instead = undefined;
    expect(refused.status).toBe(500);
    expect(await refused.json()).toMatchObject({ code: "origin_bad_answer" });
    expect((await get("/health")).status).toBe(200);
  });

  it("cuts a region of a PNG exactly", async () => {
    const response = await get("/iiif/3/base.png/100,50,64,32/max/0/default.png");
    expect(response.headers.get("content-type")).toBe("image/png");
    const ours = await sharp(await bytes(response))
      .removeAlpha()
      .raw()
      .toBuffer();
    const theirs = await sharp(png)
      .extract({ left: 100, top: 50, width: 64, height: 32 })
      .removeAlpha()
      .raw()
      .toBuffer();
    expect(ours.equals(theirs)).toBe(true);
  });

  it("shows a progressive file small before and after its parts, and the parts as they are", async () => {
    const small = async () =>
      Buffer.from(await bytes(await get("/iiif/3/jpg-progressive.jpg/full/30,/0/default.jpg")));
    const before = await small();
    expect(await sharp(before).metadata()).toMatchObject({ width: 30, height: 20 });
    const part = await bytes(await get("/iiif/3/jpg-progressive.jpg/300,200,200,150/max/0/default.png"));
    const theirs = await sharp(fixture("jpg-progressive.jpg"))
      .extract({ left: 300, top: 200, width: 200, height: 150 })
      .raw()
      .toBuffer();
    expect((await sharp(part).removeAlpha().raw().toBuffer()).equals(theirs)).toBe(true);
    expect((await small()).equals(before)).toBe(true);
  });

  it("serves concurrent requests", async () => {
    const paths = Array.from(
      { length: 24 },
      (_, i) => `/iiif/3/${pictures[i % pictures.length]}/${i},${i},64,64/32,/0/default.jpg`,
    );
    const statuses = await Promise.all(
      paths.map(async (path) => {
        const response = await get(path);
        return [response.status, (await bytes(response)).length > 100];
      }),
    );
    expect(statuses).toEqual(paths.map(() => [200, true]));
  });

  it("takes an encoded slash in an identifier", async () => {
    const response = await get("/iiif/3/deep%2Fbase.png/info.json");
    expect((await response.json()).id).toBe(`${server.url}/iiif/3/deep%2Fbase.png`);
  });

  it("responds to a missing path with a problem", async () => {
    const response = await get("/iiif/3/none.png/info.json");
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(await response.text()).not.toContain(server.directory);
  });

  it("responds to a conditional request without a body", async () => {
    const path = "/iiif/3/base.png/full/50,/0/default.jpg";
    const first = await get(path);
    await first.arrayBuffer();
    const etag = first.headers.get("etag") ?? "";
    const second = await get(path, { headers: { "if-none-match": etag } });
    expect(second.status).toBe(304);
    expect((await bytes(second)).length).toBe(0);
  });

  it("does not treat a backslash as a slash, if the runtime leaves it", async () => {
    const { status, body } = await rawGet(server.port, "/iiif/3/deep\\base.png/info.json");
    if (runtime.rawTarget) expect(body).toContain("identifier_refused");
    else expect(status).toBe(200);
  });

  it.each(["..", "%2e%2e", ".%2E"])(
    "refuses %s in a path, unless the runtime has resolved it",
    async (dots) => {
      const { status } = await rawGet(server.port, `/iiif/3/none/${dots}/base.png/info.json`);
      if (runtime.resolves.includes(dots)) expect(status).toBe(200);
      else expect([400, 404]).toContain(status);
    },
  );

  it.each(['a"b', "a b", "a/b", "u@h", "a.org:99999", "<script>", "a;b", "[zz]"])(
    "takes %j for no host, so that no id has it",
    async (host) => {
      const text = `GET /iiif/3/base.png/info.json HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      const answer = await rawExchange(server.port, text, true);
      // workerd's own refusals are 500, without a body of ours.
      if (runtime.hosted) expect(answer).toMatch(/^HTTP\/1\.1 (400|500) /);
      else {
        expect(answer).toMatch(/^HTTP\/1\.1 400 /);
        expect(answer).toContain('"code":"bad_host"');
      }
      expect(answer).not.toContain(host);
    },
  );

  it.each(["", "Host:\r\n"])("has ids with its own address if HTTP/1.0 names no host: %j", async (field) => {
    const text = `GET /iiif/3/base.png/info.json HTTP/1.0\r\n${field}\r\n`;
    const answer = await rawExchange(server.port, text, true);
    if (runtime.hosted) expect(answer).toMatch(/^HTTP\/1\.[01] 400 /);
    else
      expect(answer).toMatch(
        new RegExp(`"id": "http://(127.0.0.1|localhost):${server.port}/iiif/3/base.png"`),
      );
  });

  it("refuses malformed requests, and continues", async () => {
    const answer = await rawExchange(server.port, "nonsense\r\n\r\n");
    expect(answer).toMatch(runtime.hosted ? /^HTTP\/1\.1 501 / : /^HTTP\/1\.1 400 /);
    expect((await get("/health")).status).toBe(200);
  });

  it("responds to OPTIONS, and with problems to missing static files", async () => {
    const options = await get("/iiif/3/base.png/info.json", { method: "OPTIONS" });
    expect([options.status, options.headers.get("access-control-allow-methods")]).toEqual([
      204,
      "GET, HEAD, OPTIONS",
    ]);
    const missing = await get("/static/none.css");
    expect([missing.status, (await missing.json()).code]).toEqual([404, "no_such_page"]);
  });

  it.each([
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
  ])("sends the viewer's script as it was compressed once: %s", async (encoding, plain) => {
    const path = "/static/openseadragon/openseadragon.min.js";
    const whole = await (await get(path, { headers: { "accept-encoding": "identity" } })).arrayBuffer();
    const { headers, body } = await exchange(path, { "accept-encoding": encoding });
    expect([headers["content-encoding"], headers.vary]).toEqual([encoding, "Accept-Encoding"]);
    expect(headers.etag).toMatch(/^"[^"]+"$/);
    expect(body.length).toBeLessThan(whole.byteLength / 3);
    expect(plain(body).equals(Buffer.from(whole))).toBe(true);
    const part = await exchange(path, { "accept-encoding": encoding, range: "bytes=1000-1999" });
    expect([part.status, part.headers["content-range"]]).toEqual([206, `bytes 1000-1999/${body.length}`]);
    expect(part.body.equals(body.subarray(1000, 2000))).toBe(true);
    const beyond = await exchange(path, { range: "bytes=99999999-" });
    expect([beyond.status, beyond.headers["content-range"]]).toEqual([416, `bytes */${whole.byteLength}`]);
  });

  it.each([
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
  ])("compresses documents, pages and problems: %s", async (encoding, plain) => {
    for (const path of ["/", "/iiif/presentation/3", "/iiif/3/base.png/info.json"]) {
      const whole = await exchange(path, {});
      expect(whole.headers["content-encoding"]).toBeUndefined();
      const { status, headers, body } = await exchange(path, { "accept-encoding": encoding });
      const isLong = whole.body.length >= 1024;
      expect([path, status, headers["content-encoding"]]).toEqual([path, 200, isLong ? encoding : undefined]);
      expect((isLong ? plain(body) : body).equals(whole.body)).toBe(true);
      expect(headers.vary).toMatch(/\bAccept-Encoding\b/);
      if (!isLong) continue;
      expect([headers.etag === whole.headers.etag, headers["content-length"]]).toEqual([
        false,
        String(body.length),
      ]);
      const again = await exchange(path, {
        "accept-encoding": encoding,
        "if-none-match": String(headers.etag),
      });
      expect([again.status, again.headers.etag]).toEqual([304, headers.etag]);
    }
    const image = await exchange("/iiif/3/base.png/full/max/0/default.png", { "accept-encoding": encoding });
    expect(image.headers["content-encoding"]).toBeUndefined();
  });

  it("gives the files of a page permanent addresses, and the page inlines no files", async () => {
    const page = await get("/");
    expect(page.headers.get("content-security-policy")).toMatch(/style-src 'self'(;|$)/);
    const addresses = [...(await page.text()).matchAll(/ (?:src|href)="(\/static\/@[^"]*)"/g)].map(
      (m) => m[1],
    );
    expect(addresses.length).toBeGreaterThanOrEqual(5);
    for (const address of addresses) {
      const response = await get(address as string, { method: "HEAD" });
      expect([response.status, response.headers.get("cache-control")]).toEqual([
        200,
        "public, max-age=31536000, immutable",
      ]);
    }
  });

  it("continues when clients leave early", async () => {
    await Promise.all(
      Array.from({ length: 8 }, (_, i) => {
        return new Promise<void>((resolve) => {
          const socket = connect(server.port, "127.0.0.1", () => {
            socket.write(
              `GET /iiif/3/base.png/full/${500 + i},/${i}/default.png HTTP/1.1\r\nHost: h\r\n\r\n`,
              () => {
                socket.destroy();
                resolve();
              },
            );
          });
        });
      }),
    );
    const response = await get("/iiif/3/base.png/0,0,10,10/max/0/default.png");
    expect(response.status).toBe(200);
    expect((await bytes(response)).length).toBeGreaterThan(0);
  });

  // Only for runtimes that take part in this.
  if (!runtime.hosted)
    it("reports in one line that its port is in use", async () => {
      const [command = "", ...args] = runtime.command({
        directory: server.directory,
        port: server.port,
        env: {},
      });
      const second = spawn(command, args, { cwd: server.directory, stdio: ["ignore", "ignore", "pipe"] });
      let text = "";
      second.stderr.on("data", (part) => (text += part));
      const code = await new Promise((resolve) => second.once("close", resolve));
      expect(code).toBe(1);
      expect(
        text
          .trim()
          .split("\n")
          .filter((line) => !line.startsWith("Warning")),
      ).toHaveLength(1);
      expect(text).toContain("in use");
    });

  testReload(runtime, () => server);

  it("ends with 0 on SIGTERM", async () => {
    server.signal("SIGTERM");
    expect(await server.ended).toBe(0);
  });
});
