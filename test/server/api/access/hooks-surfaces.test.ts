// An authorize hook and a gated image, through every surface that shows it, for readers with and without a
// login. A hook refuses and substitutes for everybody, and an image that it allows still needs the login
// (docs/concepts/authorization.md, "What a request gets").

import { rmSync } from "node:fs";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startWebhook, type WebhookService } from "../../hooks/webhook-service.ts";
import { generations } from "../mcp-clients.ts";
import type { Json } from "../presentation/walk.ts";
import { at, type Gated, gated, pictures } from "./gated.ts";

let folder: string;
let webhook: WebhookService;
let site: Gated;
let readers: Readonly<Record<Who, Record<string, string>>>;

/** The image that the hook decides on; it has no opinion on others, including those in the same folder. */
const image = "private/a.png";
let said: unknown = null;

beforeAll(async () => {
  folder = await pictures();
  webhook = await startWebhook(({ input }) => (input.identifier === image ? said : null));
  const more = `hook: { engine: webhook, webhook: { url: "${webhook.url}", functions: [authorize] } }
mcp: { enabled: true }`;
  site = await gated({ folder, more });
  readers = {
    nobody: {},
    "a reader by cookie": { Cookie: await site.cookie("staff") },
    "a reader by token": { Authorization: await site.bearer("staff") },
  };
});
afterAll(async () => {
  await site.app.service.close();
  await webhook.close();
  rmSync(folder, { recursive: true, maxRetries: 5 });
});

type Who = "nobody" | "a reader by cookie" | "a reader by token";

const elsewhere = "https://elsewhere.example.org/a";

/** Describes in a few words what a caller sees on a surface. */
type See = (headers: Record<string, string>) => Promise<string>;

const get = (target: string, headers: Record<string, string>) => site.app.get(target, { headers });

const imageAt =
  (mount: string): See =>
  async (headers) => {
    const response = await get(at(encodeURIComponent(image), "full/max/0/default.png", mount), headers);
    const { status } = response;
    if (status === 303) return `303 ${response.headers.get("Location")}`;
    if (status !== 200) return String(status);
    const { width, height } = await sharp(await response.arrayBuffer()).metadata();
    return `${width} x ${height}`;
  };

const infoAt =
  (mount: string): See =>
  async (headers) => {
    const response = await get(at(encodeURIComponent(image), "info.json", mount), headers);
    if (response.status === 303) return `303 ${response.headers.get("Location")}`;
    const { width, height, service } = (await response.json()) as Json;
    const size = width === undefined ? "" : ` of ${width} x ${height}`;
    return `${response.status}${size}${service?.length === 2 ? ", with the logins" : ""}`;
  };

const probe: See = async (headers) => {
  const response = await get(`/iiif/auth/probe/${encodeURIComponent(image)}`, headers);
  const { status, location, substitute } = (await response.json()) as Json;
  return [status, location?.id, substitute?.[0]?.id].filter(Boolean).join(" ");
};

const startPage: See = async (headers) =>
  (await (await get("/", headers)).text()).includes(encodeURIComponent(image)) ? "shown" : "left out";

const manifestAt =
  (version: 2 | 3): See =>
  async (headers) => {
    const response = await get(`/iiif/presentation/${version}/private`, headers);
    if (response.status !== 200) return String(response.status);
    const manifest = (await response.json()) as Json;
    const canvases: Json[] = version === 3 ? manifest.items : manifest.sequences[0].canvases;
    const own = canvases.find(({ label }) => (version === 3 ? label.none[0] : label) === "a.png");
    if (!own) return "left out";
    return own.thumbnail ? "with a thumbnail" : "without a thumbnail";
  };

const collectionAt =
  (version: 2 | 3): See =>
  async (headers) => {
    const root = (await (await get(`/iiif/presentation/${version}`, headers)).json()) as Json;
    const members: Json[] = version === 3 ? root.items : (root.members ?? root.manifests);
    const own = members.find((each) => String(each.id ?? each["@id"]).endsWith("/private"));
    return own?.thumbnail ? "with a thumbnail" : "without a thumbnail";
  };

const tool =
  (name: string): See =>
  async (headers) => {
    const fetch = async (input: string | URL, init: RequestInit = {}) =>
      site.app.get(new URL(input).pathname, { ...init, host: new URL(input).host });
    const session = await generations["2026-07-28"]!("http://127.0.0.1/mcp", { fetch, headers });
    const { isError, text, content } = await session.call(name, { identifier: image });
    await session.close();
    if (isError) return `refused: ${text}`;
    const [first] = content;
    if (first?.type !== "image") return sizeOf((JSON.parse(text) as Json).info);
    return sizeOf(await sharp(Buffer.from(first.data ?? "", "base64")).metadata());
  };

const browse: See = async (headers) => {
  const fetch = async (input: string | URL, init: RequestInit = {}) =>
    site.app.get(new URL(input).pathname, { ...init, host: new URL(input).host });
  const session = await generations["2026-07-28"]!("http://127.0.0.1/mcp", { fetch, headers });
  const { isError, content } = await session.call("browse", { id: "private" });
  await session.close();
  const text = content[0]?.text ?? "";
  if (isError) return `refused: ${text}`;
  return (JSON.parse(text) as Json).images.includes(image) ? "shown" : "left out";
};

/** The page of the manifest: its preview picture, and if it names the image. */
const page: See = async (headers) => {
  const response = await get("/view/private", headers);
  const html = await response.text();
  const picture = /<meta property="og:image" content="([^"]+)"/.exec(html)?.[1];
  if (response.status !== 200 || !html.includes("a.png")) return "left out";
  return picture?.includes(encodeURIComponent(image)) ? "with a thumbnail" : "without a thumbnail";
};

const sizeOf = ({ width, height }: { readonly width: number; readonly height: number }) =>
  `${width} x ${height}`;

const surfaces = {
  "an image of version 3": imageAt("/iiif/3/"),
  "an image of version 2": imageAt("/iiif/2/"),
  "info.json of version 3": infoAt("/iiif/3/"),
  "info.json of version 2": infoAt("/iiif/2/"),
  "the probe": probe,
  "the start page": startPage,
  "a manifest of version 3": manifestAt(3),
  "a manifest of version 2": manifestAt(2),
  "a collection of version 3": collectionAt(3),
  "a collection of version 2": collectionAt(2),
  "the page of a manifest": page,
  browse,
  get_image_info: tool("get_image_info"),
  get_region: tool("get_region"),
} as const satisfies Readonly<Record<string, See>>;
type Surface = keyof typeof surfaces;

/** Both versions of a surface show the same. */
const all = (
  seen: Readonly<
    Record<"image" | "info" | "probe" | "page" | "manifest" | "collection" | "browse" | "tool", string>
  >,
): Readonly<Record<Surface, string>> => ({
  "an image of version 3": seen.image,
  "an image of version 2": seen.image,
  "info.json of version 3": seen.info,
  "info.json of version 2": seen.info,
  "the probe": seen.probe,
  "the start page": seen.page,
  "a manifest of version 3": seen.manifest,
  "a manifest of version 2": seen.manifest,
  "a collection of version 3": seen.collection,
  "a collection of version 2": seen.collection,
  "the page of a manifest": seen.manifest,
  browse: seen.browse,
  get_image_info: seen.tool,
  get_region: seen.tool,
});

const loginFor = (thing: string, way: string) =>
  `This ${thing} needs a login. ${way} again with the cookie or token from there. A person can log in at https://images.example.org/iiif/auth/login/staff. The client then sends a token as "Authorization: Bearer".`;
const login = loginFor("image", "The image information names where to log in; ask");

const closed = all({
  image: "401",
  info: "401 of 800 x 600, with the logins",
  probe: "401",
  page: "left out",
  manifest: "without a thumbnail",
  collection: "without a thumbnail",
  browse: `refused: ${loginFor("folder", "Log in, then ask")}`,
  tool: `refused: ${login}`,
});

const open = all({
  image: "800 x 600",
  info: "200 of 800 x 600, with the logins",
  probe: "200",
  page: "shown",
  manifest: "with a thumbnail",
  collection: "with a thumbnail",
  browse: "shown",
  tool: "800 x 600",
});

const refusedWith = (status: number, reason: string, listed = true, browse = "left out") =>
  all({
    image: String(status),
    info: listed ? `${status} of 800 x 600, with the logins` : String(status),
    probe: String(status),
    page: "left out",
    manifest: listed ? "without a thumbnail" : "left out",
    collection: "without a thumbnail",
    browse,
    tool: `refused: ${reason}`,
  });

const swapped = all({
  image: "40 x 20",
  info: "200 of 40 x 20, with the logins",
  probe: "401 https://images.example.org/iiif/3/private%2Fa.png/full/max/0/default.jpg",
  page: "shown",
  manifest: "without a thumbnail",
  collection: "without a thumbnail",
  browse: "shown",
  tool: "40 x 20",
});

const sentAway = all({
  image: `303 ${elsewhere}`,
  info: `303 ${elsewhere}`,
  probe: `303 ${elsewhere}`,
  page: "left out",
  manifest: "without a thumbnail",
  collection: "without a thumbnail",
  browse: "left out",
  tool: `refused: It is in the library's own viewer. Address: ${elsewhere}`,
});

/**
 * The hook's result, what readers without and with a login see, and the profile in the record of the
 * decision.
 */
const rows: readonly (readonly [string, unknown, typeof closed, typeof closed, string])[] = [
  ["no opinion", null, closed, open, "staff"],
  ["a permission", { allow: true }, closed, open, "staff"],
  ["another identifier", { allow: false, substitute: "blue.png" }, swapped, swapped, "staff"],
  [
    "a permission with another identifier",
    { allow: true, substitute: "blue.png" },
    swapped,
    swapped,
    "staff",
  ],
  [
    "a redirect",
    { allow: false, redirect: elsewhere, reason: "It is in the library's own viewer." },
    sentAway,
    sentAway,
    "staff",
  ],
  [
    "a status",
    { allow: false, status: 451, reason: "Withdrawn by court order." },
    refusedWith(451, "Withdrawn by court order."),
    refusedWith(451, "Withdrawn by court order."),
    "staff",
  ],
  [
    "that it is not there",
    { allow: false, status: 404, reason: "There is no such image." },
    refusedWith(404, "There is no such image.", false),
    refusedWith(404, "There is no such image.", false),
    "staff",
  ],
  ["another profile and a permission", { allow: true, profile: "visitors" }, closed, open, "visitors"],
  [
    "another profile and a refusal",
    { allow: false, profile: "visitors", status: 403, reason: "Not for visitors." },
    refusedWith(403, "Not for visitors."),
    refusedWith(403, "Not for visitors."),
    "visitors",
  ],
  [
    "another identifier that is not there",
    { allow: false, substitute: "none.png", status: 403, reason: "Nothing to show." },
    // Folders are listed by names alone: nothing is opened.
    refusedWith(403, "Nothing to show.", true, "shown"),
    refusedWith(403, "Nothing to show.", true, "shown"),
    "staff",
  ],
];

/**
 * Surfaces that list a folder only to readers with its login, whatever the hook decides about an image in it.
 */
const ofGatedFolder: Partial<Record<Surface, string>> = {
  browse: `refused: ${loginFor("folder", "Log in, then ask")}`,
  "the start page": "left out",
};

describe.each(rows)("if the hook has decided %s", (_, answer, without, withLogin, profile) => {
  beforeAll(() => {
    said = answer;
  });

  test.each(Object.keys(surfaces) as Surface[])("%s shows it to each reader", async (surface) => {
    const see = surfaces[surface];
    const seen = {
      nobody: await see(readers.nobody),
      "a reader by cookie": await see(readers["a reader by cookie"]),
      "a reader by token": await see(readers["a reader by token"]),
    };
    expect(seen).toEqual({
      nobody: ofGatedFolder[surface] ?? without[surface],
      "a reader by cookie": withLogin[surface],
      "a reader by token": withLogin[surface],
    });
  });

  test("the record names the profile", async () => {
    await surfaces["an image of version 3"](readers.nobody);
    expect(site.app.service.decisions.latest()[0]).toMatchObject({ identifier: image, profile });
  });
});
