// The image doctor on images that a hook names, that lie on another machine, that rules gate, and on pages of
// a file.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diagnose } from "../../../src/doctor/image/diagnose.ts";
import type { Diagnosis } from "../../../src/doctor/image/diagnosis.ts";
import { fixture, fixturesFolder } from "../../host.ts";
import { type Served, served } from "../../served.ts";
import { masterOf, type Origin, startOrigin } from "../../servers/origin.ts";

const codes = ({ findings }: Diagnosis) => findings.map(({ code }) => code);
const fact = ({ sections }: Diagnosis, name: string) =>
  sections.flatMap(({ facts }) => facts).find((each) => each.name === name)?.value;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-doctor-places-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("with a resolve hook", () => {
  let app: Served;
  beforeAll(async () => {
    const mapping = join(folder, "mapping.yaml");
    writeFileSync(mapping, "ms-1: base.png\nms-2: none.png\nelsewhere: { key: base.png, source: vault }\n");
    app = await served(`sources:
  - { name: scans, type: filesystem, root: ${JSON.stringify(fixturesFolder)} }
hook: { engine: lookup, lookup: { file: ${JSON.stringify(mapping)} } }`);
  });
  afterAll(() => app.service.close());

  test("the source and key are those that it names", async () => {
    const diagnosis = await diagnose(app.service.images, "ms-1");
    expect([fact(diagnosis, "hook"), fact(diagnosis, "key")]).toEqual(["mapped", "base.png"]);
    expect(codes(diagnosis)).toContain("fast");
  });

  test("a key that is not there, and a hook that fails, are problems of their own", async () => {
    expect(codes(await diagnose(app.service.images, "ms-2"))).toEqual(["open_image_not_found"]);
    const failing = await diagnose(app.service.images, "elsewhere");
    expect(codes(failing)).toEqual(["hook_hook_failed"]);
    expect(failing.findings[0]?.advice).toContain("smalti hook test");
  });
});

describe("with a source on another machine", () => {
  let origin: Origin;
  let app: Served;
  beforeAll(async () => {
    origin = await startOrigin({ "a.tif": masterOf(fixture("tif-pyramid-subifd.tif")) });
    app = await served(`sources: [{ name: web, type: http, url: "${origin.url}/{identifier}" }]`);
  });
  afterAll(async () => {
    await app.service.close();
    await origin.close();
  });

  test("facts and costs are those of the file", async () => {
    const diagnosis = await diagnose(app.service.images, "a.tif", { measures: true });
    expect(fact(diagnosis, "source")).toBe("web (http)");
    expect(fact(diagnosis, "levels")).toHaveLength(3);
    expect(fact(diagnosis, "measured")).toMatchObject([{ what: "tile" }, { what: "whole" }]);
    expect(JSON.stringify(diagnosis)).not.toContain(origin.url);
  });

  test("its failure is a problem of the source, with a hint where to look", async () => {
    const gone = await served('sources: [{ name: web, type: http, url: "http://127.0.0.1:9/{identifier}" }]');
    const diagnosis = await diagnose(gone.service.images, "a.tif");
    await gone.service.close();
    expect(diagnosis.findings).toMatchObject([
      { level: "problem", code: expect.stringMatching(/^open_/), advice: expect.stringContaining("/ready") },
    ]);
  });
});

test("a gated image is diagnosed too, and its profile is reported", async () => {
  const app = await served(`auth:
  profiles: { staff: { pattern: clickthrough, access_service: { backend: builtin } } }
  rules: [{ match: base.png, profile: staff }]`);
  const gated = await diagnose(app.service.images, "base.png");
  expect(fact(gated, "rule")).toBe("staff");
  expect(codes(gated)).toContain("access_rule");
  expect(fact(await diagnose(app.service.images, "png-gray1.png"), "rule")).toBe("none");
  expect(app.service.decisions.latest()).toEqual([]);
});

test("each page of a file has its own facts", async () => {
  const app = await served();
  const sizes = await Promise.all(
    [1, 2, 3].map(async (page) =>
      fact(await diagnose(app.service.images, `tif-multipage-3sizes.tif;${page}`), "size"),
    ),
  );
  // As tiffinfo prints them.
  expect(sizes).toEqual([100, 150, 200].map((height) => ({ width: 200, height })));
});
