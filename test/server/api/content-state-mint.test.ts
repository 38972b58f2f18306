// Links to views of this service: what mint returns, and that resolve reads it back.

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixturesFolder } from "../../host.ts";
import { type Served, served } from "../../served.ts";

const base = "https://images.example.org/scans";
const context = "http://iiif.io/api/presentation/3/context.json";
const book = `${base}/iiif/presentation/3/books/atlas`;

interface Minted {
  readonly contentState: Record<string, unknown>;
  readonly encoded: string;
  readonly viewerUrl: string;
}

describe("/content-state/mint", () => {
  let root: string;
  let app: Served;
  /** Width and height of the second page, from the facts of the fixtures. */
  const second = { width: 5000, height: 12 };
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), "smalti-mint-"));
    mkdirSync(join(root, "books/atlas"), { recursive: true });
    cpSync(join(fixturesFolder, "jpg-1x1.jpg"), join(root, "books/atlas/1.jpg"));
    cpSync(join(fixturesFolder, "jpg-wide-5000x12.jpg"), join(root, "books/atlas/2.jpg"));
    cpSync(join(fixturesFolder, "jpg-1x1.jpg"), join(root, "secret 1.jpg"));
    mkdirSync(join(root, "sound"));
    writeFileSync(
      join(root, "sound/manifest.json"),
      JSON.stringify({
        "@context": context,
        id: "sound",
        type: "Manifest",
        label: { en: ["Sound"] },
        items: [{ id: "sound/canvas/1", type: "Canvas", duration: 60 }],
      }),
    );
    app = await served(`base_url: ${base}
sources: [{ name: scans, type: filesystem, root: ${JSON.stringify(root)} }]
auth:
  profiles: { terms: { pattern: clickthrough, access_service: { backend: builtin } } }
  rules: [{ match: "secret 1.jpg", profile: terms }]`);
  });
  afterAll(() => rmSync(root, { recursive: true }));
  const mint = (query: string) => app.get(`/content-state/mint?${query}`);
  const minted = async (query: string): Promise<Minted> => {
    const response = await mint(query);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    return (await response.json()) as Minted;
  };

  const rows: readonly (readonly [string, string, Record<string, unknown>])[] = [
    ["a whole manifest", "target=books/atlas", { "@context": context, id: book, type: "Manifest" }],
    [
      "a canvas",
      "target=books/atlas&canvas=2",
      {
        "@context": context,
        id: `${book}/canvas/2`,
        type: "Canvas",
        partOf: [{ id: book, type: "Manifest" }],
      },
    ],
    [
      "a region of a canvas",
      "target=books%2Fatlas&canvas=2&xywh=100,2,640,8&v=3",
      {
        "@context": context,
        id: `${book}/canvas/2#xywh=100,2,640,8`,
        type: "Canvas",
        partOf: [{ id: book, type: "Manifest" }],
      },
    ],
    [
      "a region that goes on beyond the edge, up to it",
      "target=books/atlas&canvas=2&xywh=4990,2,640,80",
      {
        "@context": context,
        id: `${book}/canvas/2#xywh=4990,2,10,10`,
        type: "Canvas",
        partOf: [{ id: book, type: "Manifest" }],
      },
    ],
    [
      "a single image",
      "target=books/atlas/2.jpg&canvas=1",
      {
        "@context": context,
        id: `${book}/2.jpg/canvas/1`,
        type: "Canvas",
        partOf: [{ id: `${book}/2.jpg`, type: "Manifest" }],
      },
    ],
    [
      "a gated image, since a state holds no pixels",
      "target=secret%201.jpg",
      { "@context": context, id: `${base}/iiif/presentation/3/secret%201.jpg`, type: "Manifest" },
    ],
    [
      "a canvas in the terms of version 2",
      "target=books/atlas&canvas=2&xywh=0,0,9,9&v=2",
      {
        "@context": "http://iiif.io/api/presentation/2/context.json",
        "@id": `${base}/iiif/presentation/2/books/atlas/canvas/2#xywh=0,0,9,9`,
        "@type": "sc:Canvas",
        within: { "@id": `${base}/iiif/presentation/2/books/atlas`, "@type": "sc:Manifest" },
      },
    ],
  ];
  test.each(rows)("returns the state of %s", async (_, query, state) => {
    const { contentState, encoded, viewerUrl } = await minted(query);
    expect(contentState).toEqual(state);
    expect(viewerUrl).toBe(`${base}/view/?iiif-content=${encoded}`);
    const json = decodeURIComponent(Buffer.from(encoded, "base64url").toString());
    expect(JSON.parse(json)).toEqual(state);
  });

  test("names canvases and manifests that are at their addresses", async () => {
    for (const [query, form] of [
      ["target=books/atlas&canvas=2", "3"],
      ["target=books/atlas&canvas=2&v=2", "2"],
    ] as const) {
      const { contentState } = await minted(query);
      const id = String(contentState.id ?? contentState["@id"]);
      const canvas = await app.get(id.replace(base, ""));
      expect(canvas.status).toBe(200);
      expect(await canvas.json()).toMatchObject({ [form === "2" ? "@id" : "id"]: id, ...second });
    }
  });

  test("returns states that resolve reads back", async () => {
    const { encoded, contentState } = await minted("target=books/atlas&canvas=2&xywh=100,2,640,8");
    const response = await app.get(`/content-state/resolve?iiif-content=${encoded}`);
    expect(await response.json()).toEqual({
      form: "target-body",
      target: { id: `${book}/canvas/2`, type: "Canvas", region: "100,2,640,8", manifestId: book },
      problems: [],
      contentState,
    });
  });

  const refused: readonly (readonly [string, number, string])[] = [
    ["", 400, "target"],
    ["target=", 400, "target"],
    ["target=https://other.example/manifest", 400, "target"],
    ["target=/view/books", 400, "target"],
    ["target=books", 400, "target"],
    ["target=books/atlas&target=books", 400, "target"],
    ["target=no/such", 404, ""],
    ["target=..%2Fetc", 404, ""],
    ["target=books/atlas&canvas=0", 400, "canvas"],
    ["target=books/atlas&canvas=3", 400, "canvas"],
    ["target=books/atlas&canvas=one", 400, "canvas"],
    ["target=books/atlas&canvas=-1", 400, "canvas"],
    ["target=books/atlas&xywh=1,1,2,2", 400, "xywh"],
    ["target=books/atlas&canvas=2&xywh=1,1,2", 400, "xywh"],
    ["target=books/atlas&canvas=2&xywh=percent:1,1,2,2", 400, "xywh"],
    ["target=books/atlas&canvas=2&xywh=5000,0,10,10", 400, "xywh"],
    ["target=books/atlas&canvas=2&xywh=0,12,10,10", 400, "xywh"],
    ["target=books/atlas&canvas=2&xywh=0,0,0,10", 400, "xywh"],
    ["target=sound&canvas=1&xywh=0,0,10,10", 400, "xywh"],
    ["target=books/atlas&v=4", 400, "v"],
    ["target=books/atlas&v=", 400, "v"],
  ];
  test("names the type of a target that is not a manifest", async () => {
    const detailOf = async (target: string) => (await (await mint(`target=${target}`)).json()).detail;
    expect(await detailOf("books")).toContain("received that of a collection");
    expect(await detailOf("books/atlas/canvas/2")).toContain("received that of a part of one");
    expect(await detailOf("books/atlas/canvas/2")).toContain("the number of the canvas as canvas");
  });

  test.each(refused)("refuses %j with %i", async (query, status, parameter) => {
    const response = await mint(query);
    expect(response.status).toBe(status);
    const { code, detail } = (await response.json()) as { code: string; detail: string };
    expect(code).not.toBe("internal_error");
    if (status === 400) expect(detail).toContain(`Correct ${parameter} `);
  });
});
