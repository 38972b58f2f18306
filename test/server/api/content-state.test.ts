// Content states over HTTP: resolving them, and keeping them at addresses of their own.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { encodeState } from "../../../src/iiif/content-state/encode.ts";
import { costOf } from "../../hostile/cost.ts";
import { seeded } from "../../seeded.ts";
import { type Served, served } from "../../served.ts";

const manifest = { id: "https://example.org/object1/manifest", type: "Manifest" };
/** Content State API 1.0, section 6.3.2. */
const canvas7 = {
  id: "https://example.org/object1/canvas7#xywh=1000,2000,1000,2000",
  type: "Canvas",
  partOf: [manifest],
};
const resolved = {
  form: "target-body",
  target: {
    id: "https://example.org/object1/canvas7",
    type: "Canvas",
    region: "1000,2000,1000,2000",
    manifestId: manifest.id,
  },
  problems: [],
  contentState: canvas7,
};
const json = (value: unknown) => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: typeof value === "string" ? value : JSON.stringify(value),
});

describe("/content-state/resolve", () => {
  let app: Served;
  beforeAll(async () => {
    app = await served();
  });
  const resolve = (state: string) => app.get(`/content-state/resolve?iiif-content=${state}`);

  test("returns the target of an encoded state, to pages of any origin", async () => {
    const response = await resolve(encodeState(canvas7));
    expect(response.status).toBe(200);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(await response.json()).toEqual(resolved);
  });

  test("takes the state as JSON by POST", async () => {
    const response = await app.get("/content-state/resolve", json(canvas7));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(resolved);
  });

  test("follows links of this service to other states, within states too", async () => {
    const link = `http://images.test/view/?iiif-content=${encodeState(canvas7)}&viewer=uv`;
    expect(await (await resolve(encodeURIComponent(link))).json()).toEqual(resolved);
    expect(await (await resolve(encodeState({ id: link, type: "Canvas" }))).json()).toEqual(resolved);
    const other = { id: link.replace("images.test", "other.test"), type: "Manifest" };
    expect((await (await resolve(encodeState(other))).json()).target.id).toBe(other.id);
  });

  test("takes a plain address, with its own query", async () => {
    const address = "https://other.example/manifest?a=1&b=2";
    const body = await (await resolve(encodeURIComponent(address))).json();
    expect(body).toEqual({ form: "uri", target: { id: address }, problems: [], contentState: address });
  });

  test("names all targets if there are several, and what is wrong", async () => {
    const bare = { id: "https://example.org/object1/canvas8", type: "Canvas" };
    const body = (await (await app.get("/content-state/resolve", json([canvas7, bare]))).json()) as {
      targets: { id: string }[];
      problems: string[];
    };
    expect(body).toMatchObject({ form: "list", target: resolved.target });
    expect(body.targets.map(({ id }) => id)).toEqual([resolved.target.id, bare.id]);
    expect(body.problems).toHaveLength(2);
  });

  test("names the region of a selector, or the unsupported selectors", async () => {
    const selected = async (selector: unknown) => {
      const state = { type: "SpecificResource", source: { ...canvas7, id: resolved.target.id }, selector };
      const response = await app.get("/content-state/resolve", json(state));
      expect(response.status).toBe(200);
      return ((await response.json()) as { target: { region?: string; unread?: string[] } }).target;
    };
    const svg = { type: "SvgSelector", value: '<svg><circle cx="50" cy="50" r="10"/></svg>' };
    expect(await selected(svg)).toMatchObject({ region: "40,40,20,20" });
    expect(await selected({ type: "PointSelector", t: 14.5 })).toMatchObject({ unread: ["PointSelector"] });
    for (const [selector, unread] of [
      ["xywh=1,2,3,4", "string"],
      [5, "number"],
      [[], "empty list"],
    ] as const)
      expect(await selected(selector)).toMatchObject({ unread: [unread] });
    expect(await selected([5, svg])).toMatchObject({ region: "40,40,20,20" });
    expect((await selected(null)).unread).toBeUndefined();
  });

  test("takes targets of up to 64 KiB, which other addresses refuse", async () => {
    const state = (length: number) =>
      encodeState({ id: `https://example.org/${"x".repeat(length)}`, type: "Manifest" });
    const long = state(40_000);
    expect(long.length).toBeLessThan(65_000);
    expect(long.length).toBeGreaterThan(50_000);
    expect((await resolve(long)).status).toBe(200);
    expect((await resolve(state(60_000))).status).toBe(414);
    expect((await app.get(`/health?x=${long}`)).status).toBe(414);
  });

  test("responds with 413 to a body of more than 64 KiB and 415 to one of another type", async () => {
    const long = { ...manifest, label: "x".repeat(65_536) };
    expect((await app.get("/content-state/resolve", json(long))).status).toBe(413);
    const form = { method: "POST", headers: { "Content-Type": "text/plain" }, body: "{}" };
    expect((await app.get("/content-state/resolve", form)).status).toBe(415);
  });

  test.each([
    "application/ld+json",
    'application/ld+json;profile="http://iiif.io/api/presentation/3/context.json"',
    'application/LD+JSON; profile="http://iiif.io/api/presentation/3/context.json"; charset=UTF-8',
    "application/vnd.example+json",
  ])("takes a body of the type %s", async (type) => {
    const sent = { method: "POST", headers: { "Content-Type": type }, body: JSON.stringify(canvas7) };
    const response = await app.get("/content-state/resolve", sent);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ target: resolved.target });
  });

  test.each([
    "text/json",
    "application/jsonx",
    "application/+json",
    "application/ld+json;charset=latin1",
    "application/json+xml",
  ])("responds with 415 to a body of the type %s, and names the accepted types", async (type) => {
    const sent = { method: "POST", headers: { "Content-Type": type }, body: JSON.stringify(canvas7) };
    const response = await app.get("/content-state/resolve", sent);
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining("application/ld+json") });
  });

  test("responds with 400 to states nested too deep, and returns none longer than it was", async () => {
    const nested = (depth: number) =>
      `{"id":"${manifest.id}","type":"Manifest","x":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    for (const depth of [64, 3000, 30_000]) {
      const response = await app.get("/content-state/resolve", json(nested(depth)));
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: "content_state_too_deep" });
    }
    const response = await app.get("/content-state/resolve", json(nested(63)));
    expect(await response.text()).toContain(`"contentState":${nested(63)}`);
  });

  test("varies by the headers that the public URL is made from", async () => {
    expect((await resolve(encodeState(canvas7))).headers.get("Vary")).toContain("X-Forwarded-Host");
  });

  test("accepts GET, HEAD, POST and OPTIONS, and nothing else", async () => {
    const target = `/content-state/resolve?iiif-content=${encodeState(canvas7)}`;
    const head = await app.get(target, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const put = await app.get(target, { method: "PUT" });
    expect([put.status, put.headers.get("Allow")]).toEqual([405, "GET, HEAD, POST, OPTIONS"]);
  });

  test("responds with 400 to an empty request", async () => {
    for (const target of ["/content-state/resolve", "/content-state/resolve?iiif-content="]) {
      const response = await app.get(target);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: "content_state_missing" });
    }
  });

  test("responds with 400 or 413 to 200 damaged states", async () => {
    const number = seeded(200);
    const encoded = encodeState(canvas7);
    const alphabet = '%<>"\\{}|^`';
    const statuses: number[] = [];
    for (let n = 0; n < 200; n++) {
      const at = number(encoded.length - 2);
      const character = encodeURIComponent(alphabet[number(alphabet.length)] as string);
      const damaged =
        n % 2 === 0
          ? encoded.slice(0, at + 1)
          : `${encoded.slice(0, at)}${character}${encoded.slice(at + 1)}`;
      statuses.push((await resolve(damaged)).status);
      const text = JSON.stringify(canvas7);
      const cut = 1 + number(text.length - 2);
      statuses.push((await app.get("/content-state/resolve", json(text.slice(0, cut)))).status);
    }
    expect(statuses.filter((status) => status !== 400 && status !== 413)).toEqual([]);
  });

  test("fetches no target", async () => {
    const local = await served();
    let asked = 0;
    const { createServer } = await import("node:http");
    const server = createServer((_, answer) => {
      asked++;
      answer.end("{}");
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const { port } = server.address() as { port: number };
    const address = `http://127.0.0.1:${port}/manifest`;
    const response = await local.get(`/content-state/resolve?iiif-content=${encodeURIComponent(address)}`);
    expect(response.status).toBe(200);
    await new Promise((closed) => server.close(closed));
    expect(asked).toBe(0);
  });
});

describe("stored content states", () => {
  let dir: string;
  let app: Served;
  const token = "a token for writing";
  const yaml = (more: string) =>
    `base_url: https://images.example.org/scans
content_state: { store: { enabled: true, dir: ${JSON.stringify(dir)}${more} } }`;
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), "smalti-states-"));
    app = await served(yaml(", write_token_env: TOKEN"), { TOKEN: token });
    return () => rmSync(dir, { recursive: true, force: true });
  });
  const keep = (value: unknown, bearer: string | undefined = token, on = app) => {
    const { headers, ...rest } = json(value);
    return on.get("/content-state", {
      ...rest,
      headers: { ...headers, ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }) },
    });
  };
  const pathOf = (uri: string) => uri.replace("https://images.example.org/scans", "");

  test("have an address that returns the state", async () => {
    const response = await keep(canvas7);
    expect(response.status).toBe(201);
    const { uri } = (await response.json()) as { uri: string };
    expect(uri).toMatch(/^https:\/\/images\.example\.org\/scans\/content-state\/s\/[\w-]{22}$/);
    expect(response.headers.get("Location")).toBe(uri);
    const stored = await app.get(pathOf(uri));
    expect(stored.status).toBe(200);
    expect(await stored.json()).toEqual(canvas7);
    expect(stored.headers.get("Content-Type")).toBe(
      'application/ld+json;profile="http://iiif.io/api/presentation/3/context.json"',
    );
    expect(stored.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(stored.headers.get("Cache-Control")).toContain("immutable");
  });

  test("have the first 128 bits of SHA-256 over sorted JSON as their id, and are stored once", async () => {
    const { createHash } = await import("node:crypto");
    const sorted = `{"id":"${canvas7.id}","partOf":[{"id":"${manifest.id}","type":"Manifest"}],"type":"Canvas"}`;
    const id = createHash("sha256").update(sorted).digest().subarray(0, 16).toString("base64url");
    for (const form of [canvas7, { type: canvas7.type, partOf: canvas7.partOf, id: canvas7.id }]) {
      const { uri } = (await (await keep(form)).json()) as { uri: string };
      expect(uri.endsWith(`/s/${id}`)).toBe(true);
    }
    const files = (readdirSync(dir, { recursive: true }) as string[]).filter((name) =>
      /states.*\.json$/.test(name),
    );
    expect(files).toHaveLength(1);
    expect(readFileSync(join(dir, files[0] as string), "utf8")).toBe(sorted);
  });

  test("respond with 304 to a current validator, and to HEAD without a body", async () => {
    const { uri } = (await (await keep(canvas7)).json()) as { uri: string };
    const etag = (await app.get(pathOf(uri))).headers.get("ETag") as string;
    expect((await app.get(pathOf(uri), { headers: { "If-None-Match": etag } })).status).toBe(304);
    const head = await app.get(pathOf(uri), { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test("outlive a restart", async () => {
    const { uri } = (await (await keep(canvas7)).json()) as { uri: string };
    const again = await served(yaml(""));
    expect(await (await again.get(pathOf(uri))).json()).toEqual(canvas7);
  });

  test("are opened by resolve if a link names their address", async () => {
    const { uri } = (await (await keep(canvas7)).json()) as { uri: string };
    const response = await app.get(`/content-state/resolve?iiif-content=${encodeURIComponent(uri)}`);
    expect(await response.json()).toEqual({ ...resolved, form: "uri" });
    const insecure = encodeURIComponent(uri.replace("https:", "http:"));
    const other = await app.get(`/content-state/resolve?iiif-content=${insecure}`);
    expect(await other.json()).toEqual({ ...resolved, form: "uri" });
    const unknown = uri.replace(/\w{8}$/, "AAAAAAAA");
    const missing = await app.get(`/content-state/resolve?iiif-content=${encodeURIComponent(unknown)}`);
    expect(missing.status).toBe(404);
  });

  test("are accepted only with the token", async () => {
    for (const bearer of [undefined, "", "another", `${token}x`, token.slice(1)]) {
      const response = await keep(canvas7, bearer === undefined ? "" : bearer);
      expect(response.status).toBe(401);
      expect(response.headers.get("WWW-Authenticate")).toMatch(/^Bearer/);
    }
    const closed = await served(yaml(""));
    expect((await keep(canvas7, token, closed)).status).toBe(403);
  });

  test("are refused immediately if the token's header is mostly blanks", async () => {
    const bearer = `a${" ".repeat(126_000)}b`;
    const refusal = () => costOf(async () => (await keep(canvas7, bearer)).status);
    for (let n = 0; n < 5; n++) {
      const { result, cpuMs } = await refusal();
      expect(result).toBe(401);
      expect(cpuMs).toBeLessThan(2000);
    }
  });

  test("are refused if they are invalid, too long or too deep", async () => {
    expect((await keep({ hello: "world" })).status).toBe(400);
    expect((await keep("{")).status).toBe(400);
    expect((await keep({ ...manifest, label: "x".repeat(65_536) })).status).toBe(413);
    const deep = `{"id":"${manifest.id}","type":"Manifest","x":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    const response = await keep(deep);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: "content_state_too_deep" });
    expect(readdirSync(dir)).not.toContain("states");
  });

  test.each(["", "x", "../../etc/passwd", "%2e%2e", "A".repeat(22), `${"A".repeat(21)}B`, "A".repeat(300)])(
    "are not found under %j",
    async (id) => {
      expect((await app.get(`/content-state/s/${id}`)).status).toBe(404);
    },
  );

  test("are 503 while their folder is missing, and available again with it", async () => {
    const { uri } = (await (await keep(canvas7)).json()) as { uri: string };
    const { renameSync } = await import("node:fs");
    renameSync(dir, `${dir}-gone`);
    const gone = await app.get(pathOf(uri));
    renameSync(`${dir}-gone`, dir);
    expect(gone.status).toBe(503);
    expect(gone.headers.get("Retry-After")).not.toBeNull();
    expect((await app.get(pathOf(uri))).status).toBe(200);
  });

  test.each(["", "{", '{"id":"https://other.example/","type":"Manifest"}'])(
    "are 503 if their file was damaged to %j, until they are stored again",
    async (damaged) => {
      const { uri } = (await (await keep(canvas7)).json()) as { uri: string };
      const [file = ""] = (readdirSync(dir, { recursive: true }) as string[]).filter((name) =>
        /states.*\.json$/.test(name),
      );
      writeFileSync(join(dir, file), damaged);
      const link = `/content-state/resolve?iiif-content=${encodeURIComponent(uri)}`;
      for (const target of [pathOf(uri), link]) {
        const response = await app.get(target);
        expect([response.status, response.headers.get("Cache-Control")]).toEqual([503, "no-store"]);
      }
      expect(await (await keep(canvas7)).json()).toEqual({ uri });
      expect(await (await app.get(pathOf(uri))).json()).toEqual(canvas7);
    },
  );

  test("of another version of the service are not touched, and its check says why", async () => {
    writeFileSync(join(dir, "smalti-bookmarks.json"), '{"format":2}');
    const [finding] = (await app.service.check()).filter(({ check: { part } }) => part === "bookmarks");
    expect(finding?.problem).toContain("another version");
    expect((await keep(canvas7)).status).toBe(503);
  });
});

describe("content_state", () => {
  test("that is off leaves nothing at its addresses", async () => {
    const app = await served("content_state: { enabled: false }");
    for (const target of ["/content-state/resolve?iiif-content=e30", "/content-state/s/x"])
      expect((await app.get(target)).status).toBe(404);
    expect((await app.get("/content-state", json(canvas7))).status).toBe(404);
  });

  test("is off without manifests, and refuses the start if it is explicitly on", async () => {
    const app = await served("presentation: { enabled: false }");
    expect((await app.get("/content-state/resolve", json(canvas7))).status).toBe(404);
    await expect(
      served("presentation: { enabled: false }\ncontent_state: { enabled: true }"),
    ).rejects.toThrow("content_state.enabled");
  });

  test("keeps nothing unless its store is on", async () => {
    const app = await served();
    expect((await app.get("/content-state", json(canvas7))).status).toBe(404);
    expect((await app.get("/content-state/resolve", json(canvas7))).status).toBe(200);
  });

  test.each([
    ["content_state: { store: { enabled: true } }", "content_state.store.dir"],
    [
      "content_state: { store: { enabled: true, dir: /tmp, write_token: a, write_token_env: B } }",
      "content_state.store.write_token",
    ],
  ])("%s does not start", async (yaml, key) => {
    await expect(served(yaml)).rejects.toThrow(key);
  });

  test("refuses the start if the variable of the token is not set", async () => {
    await expect(
      served("content_state: { store: { enabled: true, dir: /tmp, write_token_env: NO_SUCH } }"),
    ).rejects.toThrow("NO_SUCH");
  });
});
