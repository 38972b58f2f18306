// What clients of /mcp name and get back: addresses of this server in place of identifiers, folders and
// images that are taken for each other, descriptions of folders, and documents behind links.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeState } from "../../../src/iiif/content-state/encode.ts";
import { type Served, served } from "../../served.ts";
import { type Gated, gated, pictures } from "./access/gated.ts";
import { generations, type McpSession } from "./mcp-clients.ts";
import { type Laid, layFolder } from "./presentation/folder.ts";

const base = "https://images.example.org/server";
const doc = `${base}/iiif/presentation/3`;
const endpoint = "http://127.0.0.1:8080/mcp";
const on = `base_url: ${base}\nmcp: { enabled: true }\n`;

const fetchOf =
  (app: Served) =>
  async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { pathname, host } = new URL(input);
    return app.get(pathname, { ...init, host });
  };

let laid: Laid;
let app: Served;
beforeAll(async () => {
  laid = await layFolder();
  for (const name of ["1.jpg", "2 ä.jpg", "3.jpg"]) await laid.put(`maps/atlas/${name}`, "jpg-gray.jpg");
  await laid.put("maps/100%25.jpg", "jpg-gray.jpg");
  await laid.put("maps/5%00.jpg", "jpg-gray.jpg");
  await laid.put("maps/blank.jpg ", "jpg-gray.jpg");
  await laid.put("bare/1.jpg", "jpg-gray.jpg");
  await laid.write(
    "maps/atlas/manifest.yaml",
    `label: { en: [The atlas], de: [Der Atlas] }
summary: { en: ["<p>Maps &amp; <b>plans</b></p>"], de: [Karten] }
rights: http://creativecommons.org/licenses/by/4.0/
requiredStatement: { label: { en: [Credit] }, value: { en: [The library] } }
metadata:
  - { label: { en: [Author], de: [Autor] }, value: { none: [Ann Example, Bob Example] } }
structures:
  - label: { en: [Part one], de: [Teil eins] }
    items:
      - 1.jpg
      - { label: { en: [Chapter], de: [Kapitel] }, items: [2 ä.jpg] }
  - { label: { en: [Part two] }, items: [3.jpg] }
`,
  );
  app = await served(`${laid.yaml()}${on}`);
});
afterAll(async () => {
  await app.service.close();
  await laid.drop();
});

const [[, connect]] = Object.entries(generations) as [[string, (typeof generations)[string]]];
const sessionOf = (site: Served, headers = {}) => connect!(endpoint, { fetch: fetchOf(site), headers });

const json = ({ content }: { content: readonly { text?: string }[] }) => JSON.parse(content[0]?.text ?? "");

const second = "maps/atlas/2 ä.jpg";
const encoded = "maps%2Fatlas%2F2%20%C3%A4.jpg";
/** Names of an image. */
const images: readonly string[] = [
  second,
  encoded,
  "maps/atlas/2%20%c3%a4.jpg",
  ` ${second} `,
  `${base}/iiif/3/${encoded}`,
  `${base}/iiif/3/${encoded}/`,
  `${base}/iiif/2/${encoded}/info.json`,
  `http://images.example.org/server/iiif/3/${encoded}/info.json`,
  `${base}/iiif/3/${encoded}/full/max/0/default.jpg`,
  `${doc}/maps/atlas/2%20%C3%A4.jpg`,
  `${doc}/maps/atlas/canvas/2`,
  `${base}/iiif/presentation/2/maps/atlas/canvas/2`,
  `${base}/view/maps/atlas/2%20%C3%A4.jpg`,
  `${base}/view/maps/atlas/canvas/2?viewer=uv`,
  `${base}/view/?iiif-content=${encodeURIComponent(`${doc}/maps/atlas/canvas/2`)}`,
  `${base}/view/?iiif-content=${encodeState({ id: `${doc}/maps/atlas/canvas/2`, type: "Canvas", partOf: [{ id: `${doc}/maps/atlas`, type: "Manifest" }] })}`,
  `http://127.0.0.1:8080/iiif/3/${encoded}`,
];

describe("an image", () => {
  test.each(images)("is accepted as %s", async (identifier) => {
    const session = await sessionOf(app);
    const info = await session.call("get_image_info", { identifier });
    expect(info.isError).toBe(false);
    expect(json(info)).toMatchObject({ identifier: second, info: { id: `${base}/iiif/3/${encoded}` } });
    const region = await session.call("get_region", { identifier, size: "20," });
    expect(region.content[0]?.type).toBe("image");
    const browsed = await session.call("browse", { id: identifier });
    expect(browsed.isError).toBe(true);
    expect(browsed.text).toMatch(/^maps\/atlas\/2 ä\.jpg is an image; use get_image_info or get_region/);
    await session.close();
  });

  test.each(["maps/5%00.jpg", "maps/blank.jpg "])(
    "with the odd name %j is found by it",
    async (identifier) => {
      const session = await sessionOf(app);
      expect(json(await session.call("get_image_info", { identifier }))).toMatchObject({ identifier });
      await session.close();
    },
  );

  test("whose name has a percent sign is found by that name first", async () => {
    const session = await sessionOf(app);
    const identifier = "maps/100%25.jpg";
    expect(json(await session.call("get_image_info", { identifier }))).toMatchObject({ identifier });
    expect(json(await session.call("get_image_info", { identifier: "maps/100%2525.jpg" }))).toMatchObject({
      identifier,
    });
    await session.close();
  });

  test.each([
    [`${base}/iiif/3/${encoded}/10,20,30,40/max/0/default.jpg`, {}, "10,20,30,40"],
    [`${doc}/maps/atlas/canvas/2#xywh=10,20,30,40`, {}, "10,20,30,40"],
    [
      `${base}/view/?iiif-content=${encodeState({ id: `${doc}/maps/atlas/canvas/2#xywh=10,20,30,40`, type: "Canvas" })}`,
      {},
      "10,20,30,40",
    ],
    [`${doc}/maps/atlas/canvas/2#xywh=10,20,30,40`, { region: "1,2,3,4" }, "1,2,3,4"],
  ])("is shown in the region that its link names: %s %j", async (identifier, more, region) => {
    const session = await sessionOf(app);
    const { text } = await session.call("get_region", { identifier, ...more });
    expect(text).toContain(`Region ${region} in pixels`);
    await session.close();
  });
});

/** Names of a folder. */
const folders: readonly string[] = [
  "maps/atlas",
  "/maps/atlas/",
  "maps%2Fatlas",
  `${doc}/maps/atlas`,
  `${doc}/maps%2Fatlas/`,
  `${base}/iiif/presentation/2/maps/atlas`,
  `${base}/view/maps/atlas`,
  `${base}/?in=maps%2Fatlas`,
  `${base}/view/?iiif-content=${encodeState(`${doc}/maps/atlas`)}`,
];

describe("a folder", () => {
  test.each(folders)("is accepted as %s, and called a folder by the tools for images", async (id) => {
    const session = await sessionOf(app);
    expect(json(await session.call("browse", { id }))).toMatchObject({
      id: "maps/atlas",
      images: ["maps/atlas/1.jpg", second, "maps/atlas/3.jpg"],
    });
    for (const tool of ["get_image_info", "get_region"]) {
      const { isError, text } = await session.call(tool, { identifier: id });
      expect(isError).toBe(true);
      expect(text).toMatch(/^maps\/atlas is a folder; use browse/);
    }
    await session.close();
  });

  test.each(["", base, `${base}/`, `${base}/view/`, doc])("at the top is accepted as %j", async (id) => {
    const session = await sessionOf(app);
    expect(json(await session.call("browse", { id }))).toMatchObject({ id: "", folders: ["bare", "maps"] });
    if (id !== "")
      expect((await session.call("get_region", { identifier: id })).text).toMatch(/is a folder; use browse/);
    await session.close();
  });

  test.each([
    ["en", "The atlas", "Maps & plans", "Author", ["Part one", "Chapter", "Part two"]],
    ["de", "Der Atlas", "Karten", "Autor", ["Teil eins", "Kapitel", "Part two"]],
  ])("is described in %s", async (language, name, summary, author, labels) => {
    const session = await sessionOf(app, { "Accept-Language": language });
    expect(json(await session.call("browse", { id: "maps/atlas" }))).toMatchObject({
      name,
      summary,
      metadata: [{ label: author, value: "Ann Example; Bob Example" }],
      rights: "http://creativecommons.org/licenses/by/4.0/",
      required_statement: { label: "Credit", value: "The library" },
      contents: [
        {
          label: labels[0],
          image: "maps/atlas/1.jpg",
          contents: [{ label: labels[1], image: second }],
        },
        { label: labels[2], image: "maps/atlas/3.jpg" },
      ],
    });
    await session.close();
  });

  test("has no empty descriptions, and none in a search or on a later page", async () => {
    const session = await sessionOf(app);
    expect(Object.keys(json(await session.call("browse", { id: "bare" })))).toEqual([
      "id",
      "name",
      "parent",
      "folders",
      "images",
    ]);
    for (const more of [{ search: "1" }, { cursor: "image.0.maps/atlas/1.jpg" }])
      expect(json(await session.call("browse", { id: "maps/atlas", ...more }))).not.toHaveProperty("summary");
    await session.close();
  });
});

describe("an address", () => {
  test.each([
    "https://other.example/iiif/3/maps%2Fatlas%2F1.jpg",
    "https://images.example.org/iiif/3/maps%2Fatlas%2F1.jpg",
    "https://images.example.org.evil.example/server/iiif/3/x",
    `${base}/view/?iiif-content=${encodeState("https://other.example/manifest")}`,
  ])("of another site is refused by its name: %s", async (identifier) => {
    const session = await sessionOf(app);
    for (const [tool, args] of [
      ["browse", { id: identifier }],
      ["get_image_info", { identifier }],
      ["get_region", { identifier }],
    ] as const) {
      const { isError, text } = await session.call(tool, args);
      expect(isError).toBe(true);
      const host = identifier.includes("/view/") ? "other.example" : new URL(identifier).host;
      expect(text).toContain(`received one of ${host}`);
      expect(text).toContain(`${base}/`);
    }
    await session.close();
  });

  test.each([
    `${base}/iiif/3/none.jpg`,
    `${base}/static/x`,
    `${base}/view/none/canvas/1`,
    `${base}/content-state/s/x`,
  ])("of this server at which there is nothing is an error in words: %s", async (identifier) => {
    const session = await sessionOf(app);
    for (const [tool, args] of [
      ["browse", { id: identifier }],
      ["get_image_info", { identifier }],
    ] as const) {
      const { isError, text } = await session.call(tool, args);
      expect(isError).toBe(true);
      expect(text).not.toMatch(/failed|is a folder/);
    }
    await session.close();
  });

  test("is accepted by the host that a proxy forwards, and by that of the request", async () => {
    const proxied = await served(`${laid.yaml()}mcp: { enabled: true }\ntrusted_proxies: [192.0.2.0/24]\n`);
    const session = await sessionOf(proxied, {
      "X-Forwarded-Host": "maps.example",
      "X-Forwarded-Proto": "https",
      "X-Forwarded-Prefix": "/iiif-server",
    });
    for (const own of ["https://maps.example/iiif-server", "http://127.0.0.1:8080"])
      expect(
        json(await session.call("get_image_info", { identifier: `${own}/iiif/3/${encoded}` })),
      ).toMatchObject({ identifier: second });
    await session.close();
    await proxied.service.close();
  });
});

describe("access", () => {
  let site: Gated;
  let session: McpSession;
  beforeAll(async () => {
    site = await gated({ folder: await pictures(), more: "mcp: { enabled: true }\n" });
    session = await sessionOf(site.app);
  });
  afterAll(async () => {
    await session.close();
    await site.close();
  });
  const own = "https://images.example.org";

  test("to a gated image is the same in all its names, whether it exists or not", async () => {
    for (const name of ["a.png", "none.png"]) {
      const said = new Set<string>();
      for (const identifier of [
        `private/${name}`,
        `private%2F${name}`,
        `${own}/iiif/3/private%2F${name}`,
        `${own}/view/private/${name}`,
      ])
        said.add((await session.call("get_region", { identifier })).text);
      expect([...said]).toEqual([
        (await session.call("get_image_info", { identifier: "private/a.png" })).text,
      ]);
    }
    expect((await session.call("browse", { id: "private%2Fa.png" })).text).toContain("login/staff");
  });

  test("to a gated folder is refused as one of a folder, whether it exists or not", async () => {
    for (const id of ["private", "private%2Fnone", `${own}/view/private`, `${own}/?in=private`])
      expect((await session.call("browse", { id })).text).toBe(
        `This folder needs a login. Log in, then ask again with the cookie or token from there. A person can log in at ${own}/iiif/auth/login/staff. The client then sends a token as "Authorization: Bearer".`,
      );
  });

  test("with a token is that of its reader", async () => {
    const reader = await sessionOf(site.app, { Authorization: await site.bearer("staff") });
    const result = await reader.call("get_image_info", {
      identifier: `${own}/iiif/3/private%2Fa.png/info.json`,
    });
    expect(json(result)).toMatchObject({ identifier: "private/a.png", access: "full" });
    await reader.close();
  });

  test("to documents is that of HTTP", async () => {
    await expect(session.read(`${own}/iiif/3/private%2Fa.png/info.json`)).rejects.toThrow(/login\/staff/);
    const reader = await sessionOf(site.app, { Authorization: await site.bearer("staff") });
    const [info] = await reader.read(`${own}/iiif/3/private%2Fa.png/info.json`);
    expect(JSON.parse(info?.text ?? "")).toMatchObject({ width: 800, height: 600 });
    await reader.close();
  });
});

test("annotations next to a gated image are for its readers alone", async () => {
  const folder = await pictures();
  const note = { type: "Annotation", body: { type: "TextualBody", value: "Geheimnis" } };
  writeFileSync(join(folder, "private/a.annotations.json"), JSON.stringify([note]));
  const site = await gated({ more: on, folder });
  const address = `${doc}/private/canvas/1/annotations/1`;
  const stranger = await sessionOf(site.app);
  await expect(stranger.read(address)).rejects.toThrow(/login/i);
  const reader = await sessionOf(site.app, { Authorization: await site.bearer("staff") });
  const [page] = await reader.read(address);
  expect(page?.text).toContain("Geheimnis");
  await stranger.close();
  await reader.close();
  await site.close();
});

describe.each(Object.entries(generations))("a session of %s", (_, open) => {
  let session: McpSession;
  beforeAll(async () => {
    session = await open(endpoint, { fetch: fetchOf(app) });
  });
  afterAll(() => session.close());

  test("reads what results link to, as HTTP has it", async () => {
    for (const [tool, args] of [
      ["browse", {}],
      ["browse", { id: "maps/atlas" }],
      ["get_image_info", { identifier: second }],
    ] as const) {
      const uri = (await session.call(tool, args)).content.at(-1)?.uri ?? "";
      const [content, ...more] = await session.read(uri);
      expect(more).toEqual([]);
      expect(content).toMatchObject({ uri, mimeType: "application/ld+json" });
      const response = await app.get(uri.slice(base.length));
      expect(JSON.parse(content?.text ?? "")).toEqual(await response.json());
    }
  });

  test("reads image information, and any document of the server", async () => {
    const [info] = await session.read(`${base}/iiif/3/${encoded}/info.json`);
    expect(JSON.parse(info?.text ?? "")).toMatchObject({ type: "ImageService3" });
    const [canvas] = await session.read(`${doc}/maps/atlas/canvas/2`);
    expect(JSON.parse(canvas?.text ?? "")).toMatchObject({
      id: `${doc}/maps/atlas/canvas/2`,
      type: "Canvas",
    });
  });

  test("lists where to begin, and the forms of other addresses", async () => {
    const [top] = await session.resources();
    const [content] = await session.read(top?.uri ?? "");
    expect(JSON.parse(content?.text ?? "")).toMatchObject({ type: "Collection" });
    expect((await session.templates()).map(({ uriTemplate }) => uriTemplate)).toEqual([
      `${doc}/{+identifier}`,
      `${base}/iiif/3/{identifier}/info.json`,
    ]);
  });

  test.each([
    ["https://other.example/manifest", /received one of other\.example/],
    [`${doc}/none`, /There is no folder and no image/],
    [`${base}/mcp`, /Expected the address of a manifest/],
    ["file:///etc/passwd", /Expected the address of a document of this server/],
  ])("is told why %s cannot be read", async (uri, reason) => {
    await expect(session.read(uri)).rejects.toThrow(reason);
  });
});
