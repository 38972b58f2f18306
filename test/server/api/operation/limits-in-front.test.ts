// The examples of limits for nginx and Varnish: readers who zoom get all their tiles, those who ask for one
// large image after another do not, and pages of other sites can read the refusal.
// @module-tag slow

import { createServer, type IncomingHttpHeaders, request, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { end, listen } from "../../../doctor/login/proxied.ts";
import { exampleSite, hasNginx, startNginx } from "../../../servers/nginx.ts";
import { exampleLimits, exampleVcl, hasThrottle, startVarnish } from "../../../servers/varnish.ts";
import { rawExchange } from "../../platform/server/raw-http.ts";

interface Front {
  readonly url: string;
  close(): Promise<void>;
}

/** Stands for smalti: caches may store what it sends, except what it refuses by itself. */
let service: Server;
let port: number;
beforeAll(async () => {
  service = createServer(({ url }, response) => {
    if (url?.startsWith("/iiif/3/refused/")) response.writeHead(429, { "Retry-After": "77" }).end("own");
    else response.writeHead(200, { "Cache-Control": "public, max-age=600" }).end("image");
  });
  port = await listen(service);
});
afterAll(() => end(service));

/** nginx with the example, behind a load balancer at 127.0.0.1 if `balanced`. */
const nginx = (more = ""): Promise<Front> =>
  startNginx({
    http: (folder, own) => exampleSite({ folder, port: own, replicas: [port], limits: true }) + more,
  });
const varnish = () => startVarnish({ vcl: exampleVcl(port) + exampleLimits });

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const get = (front: Front, address: string, path: string, headers: Record<string, string> = {}) =>
  new Promise<Got>((resolve, reject) => {
    const at = { host: "127.0.0.1", port: new URL(front.url).port, localAddress: address, agent: false };
    request({ ...at, path, headers }, async (response) =>
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: await text(response),
      }),
    )
      .once("error", reject)
      .end();
  });

/** Asks for many addresses simultaneously. */
const getAll = (front: Front, address: string, paths: readonly string[], headers?: Record<string, string>) =>
  Promise.all(paths.map((path) => get(front, address, path, headers)));

const times = <T>(count: number, of: (index: number) => T) => Array.from({ length: count }, (_, i) => of(i));
const refused = (all: readonly Got[]) => all.filter(({ status }) => status === 429);
const statuses = (all: readonly Got[]) => [...new Set(all.map(({ status }) => status))];
/** A network for each case. */
let networks = 0;
const newAddress = () => `127.9.${++networks}.1`;

const fronts = [
  { name: "nginx", isThere: hasNginx, start: () => nginx() },
  { name: "Varnish", isThere: hasThrottle, start: varnish },
] as const;

describe.each(fronts)("with the limits for $name", ({ name, isThere, start }) => {
  let front: Front;
  beforeAll(async () => {
    if (isThere) front = await start();
  });
  afterAll(() => front?.close());

  test.skipIf(!isThere)("a reader zooms four times on a large screen, and misses no tile", async () => {
    const reader = newAddress();
    const zooms = times(4, (zoom) =>
      times(40, (x) => `/iiif/3/map.tif/${512 * x},0,512,512/512,/0/default.jpg?${zoom}`),
    );
    const all = await getAll(front, reader, ["/iiif/3/map.tif/info.json", ...zooms.flat()]);
    expect(statuses(all)).toEqual([200]);
  });

  test.skipIf(!isThere)(
    "of a hundred large images, a crawler gets a few; for the others, the response says how long to wait",
    async () => {
      const crawler = newAddress();
      const all = await getAll(
        front,
        crawler,
        times(100, (index) => `/iiif/3/${index}.tif/full/max/0/default.jpg`),
        { Origin: "https://viewer.example.org" },
      );
      expect(statuses(all).toSorted()).toEqual([200, 429]);
      for (const { headers, body } of refused(all)) {
        expect(headers).toMatchObject({
          "access-control-allow-origin": "*",
          "cache-control": "no-store",
          "content-type": "application/problem+json",
        });
        expect(Number(headers["retry-after"])).toBeGreaterThan(0);
        expect(JSON.parse(body)).toMatchObject({ type: "about:blank", status: 429 });
      }
      // It still gets tiles, and its neighbours their images.
      expect((await get(front, crawler, "/iiif/3/0.tif/0,0,512,512/512,/0/default.jpg")).status).toBe(200);
      expect((await get(front, newAddress(), "/iiif/3/0.tif/full/max/90/default.jpg")).status).toBe(200);
    },
  );

  test.skipIf(!isThere)("addresses of one network count together, whatever they forge", async () => {
    const network = newAddress().replace(/1$/, "");
    const all = await Promise.all(
      times(40, (index) =>
        get(front, `${network}${index + 1}`, `/iiif/2/${index}.tif/full/full/0/default.jpg`, {
          "X-Forwarded-For": `192.0.2.${index}`,
          "X-Real-IP": `198.51.100.${index}`,
          Authorization: "Bearer x",
        }),
      ),
    );
    expect(statuses(all).toSorted()).toEqual([200, 429]);
  });

  /** Twenty at a time are too many of a large image, and few of all else. */
  const sends = (path: string) =>
    getAll(
      front,
      newAddress(),
      times(20, (i) => path.replace("ID", `${i}.tif`)),
    );

  test
    .skipIf(!isThere)
    .each([
      "/iiif/3/ID/full/max/0/default.jpg",
      "/iiif/3/ID/full/^max/0/default.jpg",
      "/iiif/2/ID/full/full/0/default.jpg",
      "/iiif/2/ID/full/%66ull/0/default.jpg",
      "/iiif/3/ID/full/1025,/0/default.jpg",
      "/iiif/3/ID/full/,1100/0/default.png",
      "/iiif/3/ID/full/512,20000/0/default.jpg",
      "/iiif/3/ID/full/!2000,2000/0/default.jpg",
      "/iiif/3/ID/full/pct:50/0/default.jpg",
      "/iiif/3/ID/square/max/!90/bitonal.webp?download",
      "/iiif/3/a/b%2Fc/ID/0,0,4000,4000/4000,/0/gray.jpg",
      "/images/iiif/3/ID/full/max/0/default.jpg",
      "/iiif/3/s/abc/iiif/3/ID/full/max/0/default.jpg",
      "/iiif/download/pdf/ID",
    ])("%s is large", async (path) => {
    expect(refused(await sends(path)).length).toBeGreaterThan(0);
  });

  test
    .skipIf(!isThere)
    .each([
      "/iiif/3/ID/0,0,512,512/512,512/0/default.jpg",
      "/iiif/3/ID/0,0,1024,1024/1024,/0/default.jpg",
      "/iiif/3/ID/full/!1024,1024/0/default.jpg",
      "/iiif/3/ID/full/^200,/0/default.webp",
      "/iiif/2/ID/pct:0,0,10,10/,90/0/native.jpg",
      "/images/iiif/3/ID/full/90,/0/default.jpg?download",
      "/s/abc/iiif/3/ID/full/max/0/default.jpg",
      "/iiif/3/ID/info.json",
      "/iiif/3/ID",
      "/iiif/presentation/3/ID",
      "/iiif/presentation/3/ID/canvas/1/annotations/1.json",
      "/view/ID/full/max/0/default.jpg",
      "/static/ID.js",
    ])("%s is not", async (path) => {
    expect(statuses(await sends(path))).toEqual([200]);
  });

  test.skipIf(!isThere)("a refusal of the service arrives as it is", async () => {
    const got = await get(front, newAddress(), "/iiif/3/refused/0,0,512,512/512,/0/default.jpg");
    expect([got.status, got.body, got.headers["retry-after"]]).toEqual([429, "own", "77"]);
  });

  // nginx counts them, since it limits before it looks.
  const testCached = name === "nginx" ? () => {} : test.skipIf(!isThere);
  testCached("what is cached counts nothing", async () => {
    const reader = newAddress();
    const path = "/iiif/3/cached.tif/full/max/0/default.jpg";
    await get(front, reader, path);
    expect(
      statuses(
        await getAll(
          front,
          reader,
          times(50, () => path),
        ),
      ),
    ).toEqual([200]);
  });
});

/** Addresses of a network, and one of the network next to it: of IPv4 and of IPv6. */
const behind = [
  { own: (index: number) => `192.0.2.${index}`, other: "192.0.3.1" },
  { own: (index: number) => `2001:db8:1:2:${index}:4:5:6`, other: "2001:db8:1:3:1:4:5:6" },
  { own: (index: number) => `2001:db8:1:4::${index + 1}`, other: "2001:db8:1:5::1" },
] as const;
const large = (index: number) => `/iiif/3/${index}.tif/full/max/0/default.jpg`;

test.skipIf(!hasNginx)("behind a load balancer that names clients, nginx limits each network", async () => {
  const front = await nginx("set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For;");
  try {
    for (const { own, other } of behind) {
      const ask = (client: string, index: number) =>
        get(front, "127.0.0.1", large(index), { "X-Forwarded-For": client });
      const all = await Promise.all(times(40, (index) => ask(own(index), index)));
      expect([statuses(all).toSorted(), (await ask(other, 90)).status]).toEqual([[200, 429], 200]);
    }
  } finally {
    await front.close();
  }
});

test.skipIf(!hasThrottle)("behind a proxy that names clients, Varnish limits each network", async () => {
  const front = await varnish();
  try {
    for (const { own, other } of behind) {
      const ask = async (client: string, index: number) => {
        const family = client.includes(":") ? "TCP6" : "TCP4";
        const at = client.includes(":") ? "::1" : "127.0.0.1";
        const sent = `PROXY ${family} ${client} ${at} 4000 443\r\nGET ${large(index)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
        return Number(/^HTTP\/1\.1 (\d+)/.exec(await rawExchange(front.proxied, sent))?.[1]);
      };
      const all = await Promise.all(times(40, (index) => ask(own(index), index)));
      expect([[...new Set(all)].toSorted(), await ask(other, 90)]).toEqual([[200, 429], 200]);
    }
  } finally {
    await front.close();
  }
});

test.skipIf(!hasNginx)(
  "with limit_req_dry_run, as the example recommends at first, nobody is refused",
  async () => {
    const front = await nginx("limit_req_dry_run on;");
    try {
      expect(statuses(await getAll(front, newAddress(), times(40, large)))).toEqual([200]);
    } finally {
      await front.close();
    }
  },
);
