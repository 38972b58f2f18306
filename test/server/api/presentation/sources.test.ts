// Manifests and collections over several sources, over buckets, and over web servers that cannot list.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fixture } from "../../../host.ts";
import { served } from "../../../served.ts";
import { masterOf, type Origin, startOrigin } from "../../../servers/origin.ts";
import { type S3Server, startS3, testAccount } from "../../../servers/s3.ts";
import { type Laid, layFolder } from "./folder.ts";
import { type Json, json, walk } from "./walk.ts";

const base = "http://images.test";
const at = (id: string) => `${base}/iiif/presentation/3${id && `/${id}`}`;
const path = (id: string) => `/iiif/presentation/3${id && `/${id}`}`;
const names = (document: Json) => document.items.map(({ label }: Json) => label.none[0]);
const gray = fixture("jpg-gray.jpg");

describe("several sources", () => {
  let laid: Laid;
  let vault: Laid;
  beforeEach(async () => {
    [laid, vault] = await Promise.all([layFolder(), layFolder()]);
    await laid.put("book/1.jpg", "jpg-gray.jpg");
    await laid.put("vault/hidden-by-the-prefix.jpg", "jpg-gray.jpg");
    await vault.put("deep/er/1.jpg", "jpg-gray.jpg");
    await vault.put("2.jpg", "jpg-gray.jpg");
  });
  afterEach(() => Promise.all([laid.drop(), vault.drop()]));

  const source = (name: string, root: string, prefix = "") =>
    `{ name: ${name}, type: filesystem, root: ${JSON.stringify(root)}, prefix: "${prefix}" }`;

  test("have one root, which lists the default source and a collection for each other one under its prefix", async () => {
    const app = await served(
      `sources: [${source("scans", laid.root)}, ${source("safe", vault.root, "vault/")}]`,
    );
    const documents = await walk(app, path(""), { base });
    expect(names(documents.get(at("")))).toEqual(["book", "safe"]);
    expect([...documents.keys()].sort()).toEqual(
      ["", "book", "vault", "vault/_images", "vault/deep", "vault/deep/er"].map(at).sort(),
    );
    expect(documents.get(at("vault"))).toMatchObject({
      type: "Collection",
      label: { none: ["safe"] },
      partOf: [{ id: at("") }],
    });
    expect(documents.get(at("vault/deep")).partOf).toEqual([{ id: at("vault"), type: "Collection" }]);
    const [{ id }] = documents.get(at("vault/_images")).items[0].items[0].items[0].body.service;
    expect(id).toBe(`${base}/iiif/3/vault%2F2.jpg`);
  });

  test("work if the default source has a prefix", async () => {
    const app = await served(
      `sources: [${source("scans", laid.root, "s/")}, ${source("safe", vault.root, "v/")}]`,
    );
    const documents = await walk(app, path(""), { base });
    expect([...documents.keys()].sort()).toEqual(
      ["", "s/book", "s/vault", "v", "v/_images", "v/deep", "v/deep/er"].map(at).sort(),
    );
    const [{ id }] = documents.get(at("s/book")).items[0].items[0].items[0].body.service;
    expect((await app.get(`${id.slice(base.length)}/info.json`)).status).toBe(200);
  });

  test("have only the main image services in documents, even with aliases", async () => {
    const app = await served(
      `sources: [${source("scans", laid.root)}]\naliases: [{ prefix: "/cantaloupe/iiif/2/", version: 2 }]`,
    );
    const manifest = await json(app, path("book"));
    for (const service of manifest.items[0].items[0].items[0].body.service) {
      const id = service.id ?? service["@id"];
      expect((await json(app, `${id.slice(base.length)}/info.json`))[service.id ? "id" : "@id"]).toBe(id);
    }
  });
});

describe("a bucket", () => {
  let s3: S3Server;
  beforeEach(async () => {
    s3 = await startS3({ pageSize: 3 });
    for (const n of [1, 2, 3, 4, 10]) s3.put(`scans/book/${n}.jpg`, gray);
    s3.put("scans/book/manifest.yaml", new TextEncoder().encode("label: From the bucket\n"));
    s3.put("scans/other/1.jpg", gray);
  });
  afterEach(() => s3.close());

  const bucket = (options = "revalidate: 0s") => `sources:
  - { name: vault, type: s3, bucket: ${s3.bucket}, region: ${s3.region}, endpoint: "${s3.url}", path_style: true,
      key_prefix: scans/, access_key_env: KEY, secret_key_env: SECRET, session_token_env: TOKEN, ${options} }`;
  const env = {
    KEY: testAccount.accessKeyId,
    SECRET: testAccount.secretAccessKey,
    TOKEN: testAccount.sessionToken ?? "",
  };
  const lists = () => s3.seen.filter(({ key }) => key === "").length;

  test("is listed to its last page, with its manifest files", async () => {
    const documents = await walk(await served(bucket(), env), path(""), { base });
    expect(names(documents.get(at("book")))).toEqual(["1.jpg", "2.jpg", "3.jpg", "4.jpg", "10.jpg"]);
    expect(documents.get(at("book")).label).toEqual({ none: ["From the bucket"] });
    expect(documents.get(at("")).items.map(({ id }: Json) => id)).toEqual([at("book"), at("other")]);
  });

  test("is listed again by names alone, and only changed images are requested", async () => {
    const app = await served(bucket(), env);
    await json(app, path("book"));
    s3.put("scans/book/2.jpg", fixture("jpg-orient-6.jpg"));
    s3.seen.length = 0;
    const { items } = await json(app, path("book"));
    expect(items.map(({ width }: Json) => width)).toEqual([600, 300, 600, 600, 600]);
    expect(new Set(s3.seen.map(({ key }) => key))).toEqual(new Set(["", "scans/book/2.jpg"]));
  });

  test("is not listed again before `revalidate` has passed, not even by another start with the same info slot", async () => {
    const laid = await layFolder();
    const cache = `cache: { info: { backend: filesystem, path: ${JSON.stringify(laid.root)} } }`;
    const first = await served(`${bucket("revalidate: 1h")}\n${cache}`, env);
    await json(first, path("book"));
    await first.service.close();
    const listed = lists();
    const second = await served(`${bucket("revalidate: 1h")}\n${cache}`, env);
    expect((await json(second, path("book"))).items).toHaveLength(5);
    expect(lists()).toBe(listed);
    await second.service.close();
    await laid.drop();
  });

  test("that does not respond leaves the previous listing in use, for as long as `stale_if_error` says", async () => {
    const app = await served(bucket("revalidate: 0s, stale_if_error: 1h, timeout: 500ms"), env);
    await json(app, path("book"));
    s3.fault = ({ key }) => (key === "" ? { refuse: { status: 503, code: "SlowDown" } } : undefined);
    expect((await json(app, path("book"))).items).toHaveLength(5);
    expect((await app.get(path("unknown"))).status).toBe(500);
    s3.fault = () => undefined;
  });

  test("with an unreadable object shows the others, in a document that may be cached only briefly", async () => {
    s3.fault = ({ key }) =>
      key.endsWith("/3.jpg") ? { refuse: { status: 403, code: "AccessDenied" } } : undefined;
    const app = await served(bucket(), env);
    const response = await app.get(path("book"));
    const { items } = (await response.json()) as Json;
    expect(items.map((canvas: Json) => canvas.items.length)).toEqual([1, 1, 0, 1, 1]);
    expect(response.headers.get("Cache-Control")).toBe("no-cache");
    s3.fault = () => undefined;
    const mended = await app.get(path("book"));
    expect(mended.headers.get("Cache-Control")).toBe("public, max-age=0");
  });
});

describe("a web server, which cannot list", () => {
  let origin: Origin;
  beforeEach(async () => {
    origin = await startOrigin({ "a/1.jpg": masterOf(gray) });
  });
  afterEach(() => origin.close());

  const app = () =>
    served(`sources: [{ name: web, type: http, url: "${origin.url}/{identifier}", revalidate: 0s }]`);

  test("has manifests of single images, and stored ones", async () => {
    const stored = {
      type: "Manifest",
      label: { en: ["Stored"] },
      items: [
        {
          type: "Canvas",
          height: 400,
          width: 600,
          items: [
            {
              type: "AnnotationPage",
              items: [
                {
                  type: "Annotation",
                  motivation: "painting",
                  body: {
                    id: "/iiif/3/a%2F1.jpg/full/max/0/default.jpg",
                    type: "Image",
                    format: "image/jpeg",
                  },
                },
              ],
            },
          ],
        },
      ],
    };
    const text = new TextEncoder().encode(JSON.stringify(stored));
    origin.masters.set("a/manifest.json", masterOf(text, { type: "application/json" }));
    // As web servers respond for a folder.
    origin.masters.set("a", masterOf(new TextEncoder().encode("<html>"), { type: "text/html" }));
    const service = await app();
    expect(names(await json(service, path("a/1.jpg")))).toEqual(["1.jpg"]);
    await walk(service, path("a"), { base });
    expect((await json(service, path("a"))).label).toEqual({ en: ["Stored"] });
  });

  test.each(["", "b"])("is 404 with the reason for %j", async (id) => {
    const response = await (await app()).get(path(id));
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      code: "no_such_manifest",
      detail: expect.stringMatching(/cannot list/),
    });
  });

  test("explains that a description needs listed images", async () => {
    origin.masters.set(
      "b/manifest.yaml",
      masterOf(new TextEncoder().encode("label: B\n"), { type: "text/yaml" }),
    );
    expect((await (await app()).get(path("b"))).status).toBe(404);
  });
});
