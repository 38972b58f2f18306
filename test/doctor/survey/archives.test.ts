// Archives in a collection: what the survey says about those that are not served as a whole.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { namesInSource } from "../../../src/doctor/image/findings/commands.ts";
import { survey } from "../../../src/doctor/index.ts";
import { fixture } from "../../host.ts";
import { served } from "../../served.ts";
import { layFolder } from "../../server/api/presentation/folder.ts";
import { writeZip } from "../../server/sources/archive/written-zip.ts";

const image = fixture("jpg-gray.jpg");

test("the survey of a collection names archives that cannot be read, and others with files that are not served", async () => {
  const laid = await layFolder();
  const write = (name: string, zip: Uint8Array) => writeFileSync(join(laid.root, name), zip);
  write("good.zip", writeZip([{ name: "a.jpg", data: image }]));
  write("deflated.zip", writeZip([{ name: "a.jpg", data: image, deflated: true }]));
  write("broken.zip", image);
  write(
    "mixed.zip",
    writeZip([
      { name: "a.jpg", data: image },
      { name: "../b.jpg", data: image },
      { name: "c.jpg", data: image, says: { flags: 1 } },
      { name: "d/e.jpg", data: image, says: { flags: 1 } },
    ]),
  );
  const { service } = await served(laid.yaml());
  const report = await survey(service, {
    selection: [],
    concurrency: 2,
    measures: false,
    nameCommands: () => ({ file: "FILE" }),
    signal: new AbortController().signal,
  });
  await service.close();
  await laid.drop();
  expect(report.unlisted.map(({ where, text }) => [where, text.includes("end is missing")])).toEqual([
    ["broken.zip", true],
  ]);
  const ofArchives = report.groups.filter(({ code = "" }) => code.startsWith("archive_"));
  expect(
    ofArchives
      .map(({ level, code, examples, text }) => [level, code, examples, /\d+/.exec(text)?.[0]])
      .sort(),
  ).toEqual([
    ["problem", "archive_encrypted", ["mixed.zip"], "2"],
    ["problem", "archive_name", ["mixed.zip"], undefined],
    ["slow", "archive_deflated", ["deflated.zip"], "1"],
  ]);
  expect([report.files, report.problems]).toEqual([3, 1]);
});

test("commands for an image in an archive name a copy of it, since no program reads it there", () => {
  const named = (key: string) =>
    namesInSource({ source: "scans", backend: "filesystem", key, page: 1, remote: false });
  expect(named("book/a.jpg").file).toBe("book/a.jpg");
  expect(named("scans.zip/book/a.jpg")).toMatchObject({
    file: "a.jpg",
    where: expect.stringContaining("copy"),
  });
});
