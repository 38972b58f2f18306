// The links that people paste into /view/?iiif-content=: whatever names something of this service opens it,
// in each form in which programs pass a link on.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeState } from "../../../../src/iiif/content-state/encode.ts";
import { type Served, served } from "../../../served.ts";
import { type Laid, layFolder } from "../presentation/folder.ts";

const base = "http://images.test";
const doc = `${base}/iiif/presentation/3`;

let laid: Laid;
let app: Served;
let directory: string;
let stored: string;

beforeAll(async () => {
  laid = await layFolder();
  await laid.put("book/1.jpg", "jpg-gray.jpg");
  await laid.put("book/2 ä.png", "png-gray16.png");
  await laid.put("shelf/inner/1.jpg", "jpg-gray.jpg");
  await laid.put("pages.tif", "tif-multipage-3sizes.tif");
  directory = await mkdtemp(join(tmpdir(), "smalti-links-"));
  const store = `content_state: { store: { enabled: true, dir: ${JSON.stringify(directory)}, write_token: t } }\n`;
  app = await served(`${laid.yaml()}${store}aliases: [{ prefix: "/old/iiif/", version: 2 }]\n`);
  const response = await app.get("/content-state", {
    method: "POST",
    headers: { Authorization: "Bearer t", "Content-Type": "application/json" },
    body: JSON.stringify({
      id: `${doc}/book/canvas/2#xywh=1,2,30,40`,
      type: "Canvas",
      partOf: [{ id: `${doc}/book`, type: "Manifest" }],
    }),
  });
  stored = (await response.json()).uri;
});
afterAll(async () => {
  await app.service.close();
  await rm(directory, { recursive: true });
  await laid.drop();
});

interface Opened {
  readonly manifestId?: string;
  readonly canvasId?: string;
  readonly xywh?: readonly number[];
  /** Title of the page of a collection. */
  readonly title?: string;
}

/** Opens a value of the parameter, which is encoded for the address as browsers do. */
async function open(value: string, from = app, init: Parameters<Served["get"]>[1] = {}) {
  const response = await from.get(`/view/?iiif-content=${encodeURIComponent(value)}`, {
    ...init,
    headers: { Accept: "text/html", ...init.headers },
  });
  const text = await response.text();
  const [, json] = /<script type="application\/json" id="view">(.*?)<\/script>/s.exec(text) ?? [];
  const [, title = ""] = /<title>(.*?)<\/title>/.exec(text) ?? [];
  return { status: response.status, text, ...((json ? JSON.parse(json) : { title }) as Opened) };
}

const image = `${doc}/book/1.jpg`;
const umlaut = `${doc}/book/2%20%C3%A4.png`;
const secondCanvas = { manifestId: `${doc}/book`, canvasId: `${doc}/book/canvas/2` };
const detail = [10, 20, 30, 40];

/** Links without their scheme and host, and what they open. */
const links: readonly (readonly [path: string, opens: Opened])[] = [
  ["/iiif/3/book%2F1.jpg", { manifestId: image }],
  ["/iiif/3/book/1.jpg", { manifestId: image }],
  ["/iiif/2/book%2f1.jpg", { manifestId: image }],
  ["/old/iiif/book%2F1.jpg", { manifestId: image }],
  ["/iiif/3/book%2F2%20%C3%A4.png", { manifestId: umlaut }],
  ["/iiif/3/book/2 ä.png", { manifestId: umlaut }],
  ["/iiif/3/book%2F1.jpg/info.json", { manifestId: image }],
  ["/iiif/2/book%2F1.jpg/info.json?x=1", { manifestId: image }],
  ["/iiif/3/pages.tif;2", { manifestId: `${doc}/pages.tif%3B2` }],
  ["/iiif/3/book%2F1.jpg/full/max/0/default.jpg", { manifestId: image }],
  ["/iiif/2/book%2F1.jpg/full/full/0/default.jpg", { manifestId: image }],
  [
    "/iiif/3/book%2F1.jpg/10,20,30,40/max/0/default.jpg",
    { manifestId: image, canvasId: `${image}/canvas/1`, xywh: detail },
  ],
  ["/iiif/3/book%2F1.jpg#xywh=10,20,30,40", { canvasId: `${image}/canvas/1`, xywh: detail }],
  ["/iiif/presentation/3/book", { manifestId: `${doc}/book` }],
  ["/iiif/presentation/2/book", { manifestId: `${doc}/book` }],
  ["/iiif/presentation/3/book%2F1.jpg", { manifestId: image }],
  ["/iiif/presentation/3/book/canvas/2", secondCanvas],
  ["/iiif/presentation/2/book/canvas/2", secondCanvas],
  ["/iiif/presentation/3/book/canvas/2#xywh=10,20,30,40", { ...secondCanvas, xywh: detail }],
  ["/iiif/presentation/3/shelf", { title: "shelf – smalti" }],
  ["/view/book", { manifestId: `${doc}/book` }],
  ["/view/book?viewer=uv", { manifestId: `${doc}/book` }],
  ["/view/book%2F1.jpg", { manifestId: image }],
  ["/view/book/canvas/2", secondCanvas],
  ["/view/shelf", { title: "shelf – smalti" }],
  ["/?in=shelf%2Finner", { manifestId: `${doc}/shelf/inner` }],
];

/** The forms in which a link arrives. */
const forms: Readonly<Record<string, (link: string) => string>> = {
  "as it is": (link) => link,
  "with https behind a proxy": (link) => link.replace("http:", "https:"),
  "with a host in capitals and white space around": (link) =>
    ` ${link.replace("images.test", "Images.TEST")}\n`,
  "with a / at its end": (link) => link.replace(/(?<=^[^?#]*)(?=$|[?#])/, "/"),
  "percent-encoded once more": (link) => encodeURIComponent(link),
  "percent-encoded twice more": (link) => encodeURIComponent(encodeURIComponent(link)),
  "as a state": (link) => encodeState(link),
  "as an object in a state": (link) => encodeState({ id: link, type: "Manifest" }),
  "as an annotation": (link) =>
    encodeState({ id: `${base}/a`, type: "Annotation", motivation: ["contentState"], target: link }),
  "as a percent-encoded state": (link) => encodeURIComponent(`${encodeState(link)}==`),
  "as plain base64 of the link": (link) => btoa(unescape(encodeURIComponent(link))),
  "as a link to this viewer with it": (link) =>
    `${base}/view/?viewer=uv&iiif-content=${encodeURIComponent(link)}`,
  "as a link to this viewer with a state of it, and more": (link) =>
    `${base}/view/?iiif-content=${encodeState({ id: link })}&viewer=uv#top`,
  "as a state of such a link": (link) => encodeState(`${base}/view/?iiif-content=${encodeState(link)}`),
  "as an object that names such a link": (link) =>
    encodeState({ id: `${base}/view/?iiif-content=${encodeState(link)}`, type: "Canvas" }),
  "as a link of another viewer with it": (link) =>
    `https://viewer.example.org/?iiif-content=${encodeURIComponent(link)}`,
};

describe.each(Object.entries(forms))("a link %s", (form, inForm) => {
  test.each(links)("%s opens what it names", async (path, opens) => {
    // The address of a picture has no / at its end.
    if (form === "with a / at its end" && /default\.jpg|info\.json/.test(path)) return;
    const opened = await open(inForm(base + path));
    expect(opened.status).toBe(200);
    expect(opened).toMatchObject(opens);
    if (!opens.canvasId) expect(opened.canvasId).toBeUndefined();
    if (!opens.xywh) expect(opened.xywh).toBeUndefined();
  });

  test("opens what a stored state names", async () => {
    expect(await open(inForm(stored))).toMatchObject({
      ...secondCanvas,
      xywh: [1, 2, 30, 40],
    });
  });

  test.each(["https://elsewhere.example/iiif/3/book%2F1.jpg", "https://images.test.example/view/book"])(
    "of another site, %s, keeps the plain page",
    async (link) => {
      const { status, text, manifestId } = await open(inForm(link));
      expect([status, manifestId]).toEqual([200, undefined]);
      expect(text).toMatch(/another site|elsewhere/i);
    },
  );

  test("to something of this service that does not exist is 404", async () => {
    for (const path of ["/iiif/3/none.jpg", "/view/none", "/static/page/icon.svg", "/content-state/s/none"])
      expect([path, (await open(inForm(base + path))).status]).toEqual([path, 404]);
  });
});

describe("the addresses of the service", () => {
  const link = "/iiif/3/book%2F1.jpg/info.json";
  test.each([
    ["base_url: https://images.example.org/server\n", "https://images.example.org/server", {}],
    ["base_url: https://images.example.org/server\n", "http://images.example.org:80/server", {}],
    ["base_url: https://images.example.org/server\n", base, {}],
    [
      "",
      "https://forwarded.example/iiif-server",
      { "X-Forwarded-Host": "forwarded.example", "X-Forwarded-Prefix": "/iiif-server" },
    ],
    [
      "",
      "http://forwarded.example:8443",
      { "X-Forwarded-Host": "forwarded.example", "X-Forwarded-Port": "8443" },
    ],
  ] as const)("are those that it has, %j: %s", async (yaml, own, headers) => {
    const site = await served(`${laid.yaml()}${yaml}`);
    expect((await open(own + link, site, { headers })).manifestId).toMatch(/presentation\/3\/book\/1\.jpg$/);
    await site.service.close();
  });

  test.each([
    "https://images.example.org/serverless",
    "https://images.example.org:8443/server",
    "https://user@images.example.org.evil/server",
  ])("are not those that begin alike, such as %s", async (other) => {
    const site = await served(`${laid.yaml()}base_url: https://images.example.org/server\n`);
    expect((await open(other + link, site)).manifestId).toBeUndefined();
    await site.service.close();
  });
});

test("links that lead to each other in a circle end", async () => {
  let link = `${base}/view/book`;
  for (let n = 0; n < 20; n++)
    link = `${base}/view/?iiif-content=${encodeState({ id: link })}`.slice(0, 30_000);
  const { status } = await open(link);
  expect(status).toBeLessThan(500);
});
