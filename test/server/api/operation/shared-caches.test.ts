// nginx and Varnish in front of a service that limits crawlers: what one client gets for itself reaches no
// other one, no matter who asks first, and what is the same for everybody is cached for everybody.
// @module-tag slow

import { createHash } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, request, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { end, listen, serverOf } from "../../../doctor/login/proxied.ts";
import { fixturesFolder } from "../../../host.ts";
import { type Served, served } from "../../../served.ts";
import { exampleSite, hasNginx, startNginx } from "../../../servers/nginx.ts";
import { exampleVcl, hasVarnish, startVarnish } from "../../../servers/varnish.ts";

interface Cache {
  readonly url: string;
  close(): Promise<void>;
}

/** `sharesWithCookies`: tiles of those who send a cookie come from the cache too. */
const caches = [
  {
    name: "nginx that caches all that it may",
    isThere: hasNginx,
    sharesWithCookies: true,
    start: (service: number): Promise<Cache> =>
      startNginx({
        server: () => `location / {
          proxy_pass http://127.0.0.1:${service};
          proxy_set_header Host $http_host;
          proxy_set_header X-Forwarded-For $remote_addr;
          proxy_cache all;
          proxy_cache_key $request_uri;
          proxy_cache_valid any 10m;
          proxy_cache_lock on;
          proxy_cache_revalidate on;
          add_header X-Cache $upstream_cache_status always;
        }`,
      }),
  },
  {
    name: "nginx as in the example",
    isThere: hasNginx,
    sharesWithCookies: true,
    start: (service: number): Promise<Cache> =>
      startNginx({ http: (folder, port) => exampleSite({ folder, port, replicas: [service] }) }),
  },
  {
    name: "Varnish without a configuration",
    isThere: hasVarnish,
    sharesWithCookies: false,
    start: (service: number): Promise<Cache> => startVarnish({ service }),
  },
  {
    name: "Varnish as in the example",
    isThere: hasVarnish,
    sharesWithCookies: true,
    start: (service: number): Promise<Cache> => startVarnish({ vcl: exampleVcl(service) }),
  },
] as const;

/**
 * Clients by their addresses. The first has used up its budget, and calls itself a browser, since programs
 * wait for documents; the last is in the reading room.
 */
const clients = {
  crawler: { address: "127.1.0.1", agent: "Mozilla/5.0 (Windows NT 10.0; rv:150.0) Gecko/20100101" },
  reader: {
    address: "127.2.0.1",
    agent: "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0",
  },
  denied: { address: "127.5.0.1", agent: "Mozilla/5.0 (compatible; GPTBot/1.2)" },
  other: { address: "127.4.0.1", agent: "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Safari/605.1.15" },
  insider: {
    address: "127.3.0.1",
    agent: "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/150.0.0.0",
  },
} as const;
type Client = keyof typeof clients;

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function get(url: string, client: Client, path: string, { method = "GET", headers = {} }: Asking = {}) {
  const { address, agent } = clients[client];
  const { port } = new URL(url);
  return new Promise<Got>((resolve, reject) => {
    const sent = request(
      {
        ...{ host: "127.0.0.1", port, path, method, localAddress: address, agent: false },
        headers: { "User-Agent": agent, Host: "images.example.org", ...headers },
      },
      async (response) =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: await buffer(response),
        }),
    );
    sent.once("error", reject);
    sent.end();
  });
}

const fieldOf = ({ headers }: Got, name: string) => String(headers[name] ?? "");
const isCached = (got: Got) => fieldOf(got, "x-cache") === "HIT" || / /.test(fieldOf(got, "x-varnish"));
/** True if a response is for one client alone. */
const isPersonal = (got: Got) =>
  got.headers["set-cookie"] !== undefined || /private|no-store/.test(fieldOf(got, "cache-control"));
/**
 * What makes a response another one; a cache may compress it, and then has another ETag for it. `length`: of
 * the part that a client asked for, which caches cut out.
 */
const contentOf = ({ status, headers, body }: Got, length?: number) => ({
  status: length === undefined ? status : 206,
  location: headers.location,
  type: headers["content-type"],
  etag: headers.etag?.replace(/^W\/|-gzip(?="$)/g, ""),
  body: createHash("sha256").update(body.subarray(0, length)).digest("hex"),
});

/** The image of a cache and an order, which nobody has asked for before. */
const imageName = (cache: string, order: string) =>
  `${caches.findIndex(({ name }) => name === cache)}-${order}.jpg`;

let folder: string;
let app: Served;
let service: Server;
let port: number;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-caches-"));
  const flat = { width: 2000, height: 1500, channels: 3 as const, background: "#836" };
  const large = await sharp({ create: flat }).jpeg().toBuffer();
  await Promise.all(
    caches.flatMap(({ name }) =>
      ["one", "two"].map((order) => sharp(large).toFile(join(folder, imageName(name, order)))),
    ),
  );
  for (const name of ["closed", "small"])
    copyFileSync(join(fixturesFolder, "base.png"), join(folder, `${name}.png`));
  app = await served(
    `base_url: https://images.example.org
trusted_proxies: ["127.0.0.1"]
signed_links: { keys: [{ id: a, secret_env: LINK_SECRET }] }
crawlers: { mode: limit, listed_origins: ["https://museum.example.org"], denied_agents: [GPTBot] }
sources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)} }]
auth:
  profiles:
    room: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: ["127.3.0.0/16"] } }
    look:
      pattern: kiosk
      access_service: { backend: builtin }
      kiosk: { allowed_ips: ["127.3.0.0/16"] }
      substitute: { max_size: "!10,10" }
  rules:
    - { match: "closed.png", profile: room }
    - { match: "small.png", profile: look }`,
    { LINK_SECRET: "0123456789abcdef0123456789abcdef" },
  );
  const facts = { isKnown: false, hasPass: false, isListed: false } as const;
  const visitor = app.service.visitors
    .current()
    ?.meet({ client: clients.crawler.address, agent: "browser", ...facts });
  // As a program does that never asks for a tile.
  for (let n = 0; n < 5; n++) visitor?.ask("closed.png", "big");
  await visitor?.enter(60);
  service = serverOf(app);
  port = await listen(service);
});
afterAll(async () => {
  if (service) await end(service);
  await app?.service.close();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Addresses whose responses depend on the client: those who get different ones, and what each gets from the
 * service itself.
 */
const dependent: readonly {
  readonly title: string;
  readonly path: (image: string) => string;
  readonly one: readonly [Client, number];
  readonly two: readonly [Client, number];
  readonly asking?: Asking;
}[] = [
  {
    title: "image information with a largest width",
    path: (image) => `/iiif/3/${image}/info.json`,
    one: ["crawler", 200],
    two: ["reader", 200],
  },
  {
    title: "image information with a largest width, of version 2",
    path: (image) => `/iiif/2/${image}/info.json`,
    one: ["crawler", 200],
    two: ["reader", 200],
  },
  {
    title: "the redirect of max",
    path: (image) => `/iiif/3/${image}/0,0,1400,1400/max/0/gray.jpg`,
    one: ["crawler", 303],
    two: ["reader", 200],
  },
  {
    title: "the redirect of a HEAD of max",
    path: (image) => `/iiif/3/${image}/0,0,1400,1400/max/90/gray.jpg`,
    one: ["crawler", 303],
    two: ["reader", 200],
    asking: { method: "HEAD" },
  },
  {
    title: "the redirect of a part of max",
    path: (image) => `/iiif/3/${image}/0,0,1400,1400/max/180/gray.jpg`,
    one: ["crawler", 303],
    two: ["reader", 200],
    asking: { headers: { Range: "bytes=0-9" } },
  },
  {
    title: "the refusal of a large size",
    path: (image) => `/iiif/3/${image}/full/1900,/0/default.jpg`,
    one: ["crawler", 429],
    two: ["reader", 200],
  },
  {
    title: "the refusal of a part of a large size",
    path: (image) => `/iiif/3/${image}/full/1800,/0/default.jpg`,
    one: ["crawler", 429],
    two: ["reader", 200],
    asking: { headers: { Range: "bytes=0-9" } },
  },
  {
    title: "the refusal of a download",
    path: (image) => `/iiif/download/pdf/${image}`,
    one: ["crawler", 429],
    two: ["reader", 200],
  },
  {
    title: "the refusal of an agent",
    path: (image) => `/iiif/3/${image}/0,512,512,512/512,/0/default.jpg`,
    one: ["denied", 403],
    two: ["reader", 200],
  },
  {
    title: "the refusal of a manifest to an agent",
    path: (image) => `/iiif/presentation/3/${image}`,
    one: ["denied", 403],
    two: ["reader", 200],
  },
  {
    title: "the refusal of a gated image",
    path: () => "/iiif/3/closed.png/full/20,/0/default.jpg",
    one: ["reader", 401],
    two: ["insider", 200],
  },
  {
    title: "the refusal of gated image information",
    path: () => "/iiif/3/closed.png/info.json",
    one: ["reader", 401],
    two: ["insider", 200],
  },
  {
    title: "the substitute of an image",
    path: () => "/iiif/3/small.png/full/max/0/default.jpg",
    one: ["reader", 200],
    two: ["insider", 200],
  },
  {
    title: "the image information of a substitute",
    path: () => "/iiif/3/small.png/info.json",
    one: ["reader", 200],
    two: ["insider", 200],
  },
  {
    title: "the page of a viewer with its pass",
    path: (image) => `/view/${image}`,
    one: ["other", 200],
    two: ["reader", 200],
  },
];

describe.each(caches)("behind $name", ({ name, isThere, start, sharesWithCookies }) => {
  let cache: Cache;
  beforeAll(async () => {
    if (isThere) cache = await start(port);
  });
  afterAll(() => cache?.close());

  describe.each([
    ["one", "two"],
    ["two", "one"],
  ] as const)("with client %s before client %s", (early, late) => {
    test.skipIf(!isThere).each(dependent)("$title is for one client alone", async (row) => {
      const path = row.path(imageName(name, early));
      const owners = new Map<string, Client>();
      const first = [200, 206].includes(row[early][1]) ? [200, 206] : [row[early][1]];
      // In rounds, so that what a cache has stored of either is asked for again, at last as a whole.
      for (const [index, who] of [early, late, early, late].entries()) {
        const [client] = row[who];
        const asking = index < 2 ? row.asking : undefined;
        const got = await get(cache.url, client, path, asking);
        if (index === 0) expect(first).toContain(got.status);
        for (const cookie of got.headers["set-cookie"] ?? []) {
          expect([owners.get(cookie) ?? client, isCached(got)]).toEqual([client, false]);
          owners.set(cookie, client);
        }
        // What is for everybody may reach those who would be limited.
        const [like] = isPersonal(got) ? row[who] : row.two;
        const expected = await get(`http://127.0.0.1:${port}`, like, path, {
          method: asking?.method ?? "GET",
        });
        expect([client, contentOf(got)]).toEqual([
          client,
          contentOf(expected, got.status === 206 ? 10 : undefined),
        ]);
      }
    });
  });

  test.skipIf(!isThere)(
    "a copy that one client has does not answer for the document of another",
    async () => {
      for (const first of ["one", "two"] as const) {
        const path = `/iiif/3/${imageName(name, first)}/info.json?again`;
        const { etag } = (await get(`http://127.0.0.1:${port}`, "reader", path)).headers;
        const order = first === "one" ? (["crawler", "reader"] as const) : (["reader", "crawler"] as const);
        const got = new Map<Client, Got>();
        const headers = { "If-None-Match": etag as string };
        for (const client of order) got.set(client, await get(cache.url, client, path, { headers }));
        expect(got.get("reader")?.status).toBe(304);
        const limited = got.get("crawler") as Got;
        if (first === "one") expect(JSON.parse(String(limited.body))).toHaveProperty("maxWidth", 1024);
        const whole = await get(cache.url, "other", path);
        expect(JSON.parse(String(whole.body))).not.toHaveProperty("maxWidth");
      }
    },
  );

  test.skipIf(!isThere)("a crawler that has a large image does not end it for readers", async () => {
    const path = `/iiif/3/${imageName(name, "one")}/full/1700,/0/default.jpg`;
    const known = await get(`http://127.0.0.1:${port}`, "reader", path);
    const headers = { "If-None-Match": known.headers.etag as string };
    expect((await get(cache.url, "crawler", path, { headers })).status).toBe(304);
    expect(contentOf(await get(cache.url, "reader", path))).toEqual(contentOf(known));
  });

  test.skipIf(!isThere)(
    "a signed link opens an image to nobody else, whether in the path or in the query",
    async () => {
      const image = "/iiif/3/closed.png/full/30,/0/default.jpg";
      const expires = Math.floor(Date.now() / 1000) + 3600;
      const link = await app.service
        .links()
        ?.sign({ keyId: "a", maxSize: 0, expires }, { identifier: "closed.png" });
      for (const [path, status] of [
        [`/s/${link}${image}`, 200],
        [image, 401],
        [`${image}?sig=${link}`, 303],
        [image, 401],
        [`${image}?sig=none`, 403],
        [`/s/none${image}`, 403],
        [`/s/${link}${image}`, 200],
      ] as const) {
        const got = await get(cache.url, "reader", path);
        expect([path, got.status, isPersonal(got), isCached(got)]).toEqual([path, status, true, false]);
      }
    },
  );

  test.skipIf(!isThere)(
    "a tile is cached for readers with a pass, and for any page and browser",
    async () => {
      const tile = (x: number) => `/iiif/3/${imageName(name, "one")}/${x},0,512,512/512,/0/default.jpg`;
      const page = `/view/${imageName(name, "one")}`;
      const passOf = async (client: Client) =>
        (await get(cache.url, client, page)).headers["set-cookie"]?.[0]?.split(";")[0] as string;
      const passes = { reader: await passOf("reader"), other: await passOf("other") };
      expect(passes.reader).toMatch(/^smalti_pass=/);
      const ask = (client: Client, x: number, headers: Record<string, string>) =>
        get(cache.url, client, tile(x), { headers });

      const first = await ask("reader", 0, { Cookie: passes.reader });
      expect([first.status, isCached(first)]).toEqual([200, false]);
      for (const headers of [{ Cookie: passes.other }, { Cookie: `${passes.other}; _ga=GA1.1` }]) {
        const next = await ask("other", 0, headers);
        expect([contentOf(next), isCached(next)]).toEqual([contentOf(first), sharesWithCookies]);
      }

      const plain = await ask("reader", 512, {});
      for (const headers of [
        {},
        { Referer: "https://museum.example.org/page" },
        { Referer: "https://elsewhere.example.com/" },
        { Origin: "https://museum.example.org" },
        { "User-Agent": "curl/8.5.0" },
      ]) {
        const next = await ask("other", 512, headers);
        expect([headers, contentOf(next), isCached(next)]).toEqual([headers, contentOf(plain), true]);
      }
    },
  );
});

test("no response varies by the page, the browser or, unless it is for one client, by cookies", async () => {
  const image = imageName(caches[0].name, "one");
  const paths = [
    ...dependent.map((row) => row.path(image)),
    `/iiif/3/${image}/512,0,512,512/512,/0/default.jpg`,
    `/iiif/3/${image}`,
    `/iiif/presentation/3/${image}`,
    "/iiif/presentation/3",
    "/",
    "/nowhere",
  ];
  for (const path of paths)
    for (const client of ["crawler", "reader", "insider"] as const) {
      const got = await get(`http://127.0.0.1:${port}`, client, path);
      const names = fieldOf(got, "vary").toLowerCase();
      const found = [
        path,
        client,
        /\*|referer|origin|user-agent/.test(names),
        names.includes("cookie") && !isPersonal(got),
      ];
      expect(found).toEqual([path, client, false, false]);
      // A cache that follows RFC 9111 alone may store a cookie.
      if (got.headers["set-cookie"]) expect(fieldOf(got, "cache-control")).toMatch(/private|no-store/);
    }
});

describe.each(caches.filter(({ name }) => name.includes("example")))("behind $name", ({ isThere, start }) => {
  test.skipIf(!isThere)("no reader waits for the tile of a stranger that waits", async () => {
    const asked: unknown[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = createServer(async ({ url, headers }, response) => {
      const client = headers["x-forwarded-for"];
      if (url?.endsWith(".jpg")) asked.push(client);
      if (client === clients.crawler.address) await held;
      response.writeHead(200, { "Cache-Control": "public, max-age=60" }).end("tile");
    });
    const cache = await start(await listen(slow));
    try {
      const path = "/iiif/3/a/0,0,512,512/512,/0/default.jpg";
      const stranger = get(cache.url, "crawler", path);
      await expect.poll(() => asked).toHaveLength(1);
      expect(String((await get(cache.url, "reader", path)).body)).toBe("tile");
      release();
      expect(String((await stranger).body)).toBe("tile");
      expect(asked).toEqual([clients.crawler.address, clients.reader.address]);
    } finally {
      release();
      await Promise.all([cache.close(), end(slow)]);
    }
  });
});
