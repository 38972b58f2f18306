// The probe of an identifier that has no image: 404 for those who may know, and for nobody else.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture } from "../../../host.ts";
import { startWebhook } from "../../hooks/webhook-service.ts";
import { at, authSection, type Gated, gated } from "../access/gated.ts";

let folder: string;
let site: Gated;
let staff: Record<string, string>;

const rules = `${authSection}    - { match: "kept/*", profile: kept }
    - { match: "less/*", profile: terms }
`.replace(
  "  rules:",
  `    kept: { pattern: active, documents: gated, access_service: { backend: builtin, users: { ann: "$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC" } } }
  rules:`,
);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-probe-"));
  for (const name of ["private", "kept/book", "less", "open"]) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, "a.png"), fixture("base.png"));
    writeFileSync(join(folder, name, "text.png"), "no picture");
  }
  writeFileSync(join(folder, "private", "pages.tif"), fixture("tif-multipage-3sizes.tif"));
  mkdirSync(join(folder, "kept/shelf/box"), { recursive: true });
  for (const name of ["kept/shelf/cover.png", "kept/shelf/box/a.png"])
    writeFileSync(join(folder, name), fixture("base.png"));
  site = await gated({ folder, auth: rules });
  staff = { Cookie: await site.cookie("staff") };
});
afterAll(() => site.close());

const said = async (identifier: string, headers: Record<string, string> = {}, by = site) => {
  const response = await by.app.get(`/iiif/auth/probe/${identifier}`, { headers });
  expect(response.status).toBe(200);
  const { status, ...rest } = (await response.json()) as Record<string, unknown>;
  return { status, rest, headers: response.headers };
};

const missing = ["none.png", "a.png;7", "a.png/x", "a.pn", "sub/none"];

test.each(missing)("of %s is 404 with a heading and a note, where nothing is gated", async (name) => {
  const { status, rest, headers } = await said(`open/${name}`);
  expect(status).toBe(404);
  expect(rest).toMatchObject({
    type: "AuthProbeResult2",
    heading: { en: ["There is no such image"], de: ["Dieses Bild gibt es nicht"] },
    note: { en: [expect.stringContaining("Check the link")] },
  });
  expect(rest).not.toHaveProperty("substitute");
  expect(headers.get("Cache-Control")).toBe("no-cache");
});

test.each(missing)("of %s is 404 for those with access", async (name) => {
  const { status, rest, headers } = await said(`private/${name}`, staff);
  expect(status).toBe(404);
  expect(rest).toMatchObject({ heading: { en: ["There is no such image"] } });
  expect(headers.get("Cache-Control")).toBe("private, no-cache");
  expect(headers.get("Vary")).toContain("Cookie");
});

test.each(missing)("of %s says nothing to others", async (name) => {
  const other = { Cookie: await site.cookie("terms") };
  for (const headers of [{}, other]) {
    const [there, none] = await Promise.all([
      said("private/a.png", headers),
      said(`private/${name}`, headers),
    ]);
    expect(none.status).toBe(401);
    expect([none.status, none.rest]).toEqual([there.status, there.rest]);
    expect([...none.headers]).toEqual([...there.headers]);
  }
});

test("is what the image has: a page, a file that is none, and a substitute", async () => {
  for (const [identifier, headers] of [
    ["private/pages.tif;3", staff],
    ["private/pages.tif;4", staff],
    ["private/text.png", staff],
    ["open/text.png", {}],
    ["open/a.png", {}],
    ["less/none.png", {}],
  ] as const) {
    const image = await site.app.get(at(encodeURIComponent(identifier)), { headers });
    expect([identifier, (await said(identifier, headers)).status]).toEqual([identifier, image.status]);
  }
  expect((await said("less/a.png")).status).toBe(401);
});

describe("of a document", () => {
  test.each(["kept/book", "kept/shelf", "kept/shelf/_images"])(
    "%s, which names it for readers without access, is 200 for those with access",
    async (id) => {
      const reader = { Cookie: await site.cookie("kept") };
      const stub = await (await site.app.get(`/iiif/presentation/3/${id}`)).json();
      const [probe] = stub.service as { id: string }[];
      const named = new URL(probe?.id ?? "").pathname;
      for (const [headers, status] of [
        [{}, 401],
        [reader, 200],
      ] as const)
        expect((await (await site.app.get(named, { headers })).json()).status).toBe(status);
      expect((await said(`${id}/nothing`, reader)).status).toBe(404);
    },
  );

  test("is 401 without a substitute for those who see one of its images", async () => {
    const part = await gated({
      folder,
      auth: rules.replace("kept: {", 'kept: { substitute: { max_size: "!20,20" },'),
    });
    const { status, rest } = await said("kept/book", {}, part);
    expect(status).toBe(401);
    expect(rest).not.toHaveProperty("substitute");
    expect((await said("kept/book/a.png", {}, part)).rest).toHaveProperty("substitute");
    await part.app.service.close();
  });

  test("that is public is 404, since no document names its probe", async () => {
    expect((await said("open")).status).toBe(404);
  });
});

test("asks neither source nor resolve hook for those who are denied", async () => {
  const webhook = await startWebhook();
  webhook.answer = ({ input }) => ({ key: input.identifier });
  const hook = `hook: { engine: webhook, webhook: { url: "${webhook.url}", functions: [resolve] } }`;
  const hooked = await gated({ folder, auth: rules, more: hook });
  expect((await said("private/none.png", {}, hooked)).status).toBe(401);
  expect(webhook.asked).toEqual([]);
  await hooked.app.service.close();
  await webhook.close();
});

test("of a damaged image says that it cannot be shown, to those who may see it alone", async () => {
  const { status, rest } = await said("private/text.png", staff);
  expect(status).toBe(501);
  expect(rest).toMatchObject({
    heading: { en: ["This image cannot be shown"] },
    note: { en: [expect.stringContaining("not a JPEG, PNG")] },
  });
  expect(await said("private/text.png")).toMatchObject({ status: 401 });
});
