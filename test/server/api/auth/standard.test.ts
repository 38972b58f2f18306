// Requirements of the two standards on all services and responses, for each profile;
// docs/contributing/authorization-standard.md names these tests.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Served } from "../../../served.ts";
import { browserOf, servedWithAuth } from "./served.ts";

/** Members whose values are texts by language (Presentation API 3.0, section 4.1). */
const texts = ["label", "heading", "note", "confirmLabel", "errorHeading", "errorNote"];

interface Service {
  readonly [member: string]: unknown;
  readonly type: string;
  readonly id: string;
  readonly service?: readonly Service[];
}

let app: Served;
beforeAll(async () => {
  app = await servedWithAuth({
    profiles: `partner:
  pattern: external
  note: Ask at the desk.
  access_service: { backend: external, url: "https://login.example.net/", callback_secret_env: SECRET }`,
    rules: '- { match: "partner/*", profile: partner }',
    folders: ["partner"],
    env: { SECRET: "a secret of some length" },
  });
});
afterAll(() => app.service.close());

const folders = ["agree", "staff", "room", "partner"] as const;

const json = async (target: string) => (await (await browserOf(app).visit(target)).json()) as Service;

const services = async (folder: string, version: 2 | 3) => {
  const document = await json(`/iiif/${version}/${folder}%2Fbase.png/info.json`);
  return { document, trees: document.service as readonly Service[] };
};

const all = (service: Service): readonly Service[] => [service, ...(service.service ?? []).flatMap(all)];

const isLanguageMap = (value: unknown) =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((list) => Array.isArray(list) && list.every((text) => typeof text === "string"));

describe.each(folders)("the services of an image of %s", (folder) => {
  test.each([2, 3] as const)(
    "of 2.0 have everything required, in image information of version %i",
    async (version) => {
      const { trees } = await services(folder, version);
      const [probe] = trees as [Service];
      expect(all(probe).map(({ type }) => type)).toEqual([
        "AuthProbeService2",
        "AuthAccessService2",
        "AuthAccessTokenService2",
        "AuthLogoutService2",
      ]);
      for (const service of all(probe)) {
        expect(service.id).toMatch(/^https:\/\//);
        for (const [name, value] of Object.entries(service))
          if (texts.includes(name)) expect([name, isLanguageMap(value)]).toEqual([name, true]);
      }
      const [, access, , logout] = all(probe);
      expect(access).toHaveProperty("label");
      expect(logout).toHaveProperty("label");
      if (probe.errorNote) expect(probe).toHaveProperty("errorHeading");
      const contexts = [probe["@context"]].flat();
      expect(contexts).toEqual(version === 2 ? ["http://iiif.io/api/auth/2/context.json"] : [undefined]);
    },
  );

  test("of 1.0 have everything required", async () => {
    const [, access] = (await services(folder, 2)).trees as [Service, Service];
    expect(access["@context"]).toBe("http://iiif.io/api/auth/1/context.json");
    expect(access["@id"]).toMatch(/^https:\/\//);
    expect(access.profile).toMatch(/^http:\/\/iiif\.io\/api\/auth\/1\/(login|clickthrough|kiosk|external)$/);
    for (const name of ["label", "header"]) expect(access[name]).toEqual(expect.any(String));
    expect(access.service?.map(({ profile }) => profile)).toEqual([
      "http://iiif.io/api/auth/1/token",
      "http://iiif.io/api/auth/1/logout",
    ]);
    for (const service of access.service ?? []) expect(service["@id"]).toMatch(/^https:\/\//);
  });

  test("have a probe with a refusal that has a heading, and a substitute for the caller", async () => {
    const result = await json(`/iiif/auth/probe/${folder}%2Fbase.png`);
    expect(result).toMatchObject({
      "@context": "http://iiif.io/api/auth/2/context.json",
      type: "AuthProbeResult2",
    });
    expect(result.status).toBe(401);
    expect(isLanguageMap(result.heading)).toBe(true);
    if (result.note) expect(isLanguageMap(result.note)).toBe(true);
    expect(result).not.toHaveProperty("location");
    const substitutes = (result.substitute ?? []) as readonly Service[];
    expect(substitutes).toHaveLength(folder === "room" ? 1 : 0);
    for (const { id, type } of substitutes) {
      expect(type).toBe("Image");
      expect((await browserOf(app).visit(new URL(id).pathname)).status).toBe(200);
    }
  });
});

test("image information that is refused is 401 and the whole document", async () => {
  for (const folder of ["agree", "staff", "partner"])
    for (const version of [2, 3]) {
      const response = await browserOf(app).visit(`/iiif/${version}/${folder}%2Fbase.png/info.json`);
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({
        protocol: "http://iiif.io/api/image",
        width: 600,
        height: 400,
        service: [expect.anything(), expect.anything()],
      });
    }
});
