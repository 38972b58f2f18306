// Texts of a collection that do not fit its images. jpg-gray.jpg has 600 x 400 pixels.

import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { survey } from "../../../src/doctor/index.ts";
import { served } from "../../served.ts";
import { type Laid, layFolder } from "../../server/api/presentation/folder.ts";

const alto = (words: string, width = 1200, height = 800) =>
  `<alto><Layout><Page WIDTH="${width}" HEIGHT="${height}"><PrintSpace><TextLine>${words
    .split(" ")
    .filter(Boolean)
    .map((word) => `<String CONTENT="${word}" HPOS="1" VPOS="1" WIDTH="9" HEIGHT="9"/>`)
    .join("")}</TextLine></PrintSpace></Page></Layout></alto>`;

test("the survey of a collection names each damaged file of annotations, and of METS, once", async () => {
  const laid = await layFolder();
  await laid.put("book/1.jpg", "jpg-gray.jpg");
  await laid.put("book/2.jpg", "jpg-gray.jpg");
  const sound = { type: "Annotation", body: { type: "TextualBody", value: "x" } };
  await laid.write("book/1.annotations.json", "{ broken\n");
  await laid.write("book/annotations.json", JSON.stringify([sound, 1, 2, null], undefined, 1));
  await laid.write("book/2.jpg.annotations.json", JSON.stringify([sound]));
  await laid.write("book/3.annotations.json", JSON.stringify([sound]));
  await laid.write("book/4.annotations.json", JSON.stringify(Array(10_001).fill(sound)));
  await laid.put("book/4.jpg", "jpg-gray.jpg");
  await laid.write("book/mets.xml", "<mets><fileSec>");
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
  expect(report.manifestFaultCount).toBe(5);
  expect(report.manifestFaults.map(({ file }) => file).sort()).toEqual([
    "book/1.annotations.json",
    "book/3.annotations.json",
    "book/4.annotations.json",
    "book/annotations.json",
    "book/mets.xml",
  ]);
  const crowded = report.manifestFaults.find(({ file }) => file === "book/4.annotations.json");
  expect(crowded?.text).toContain("at most 10000 annotations of one canvas, received 10001");
});

describe("the survey of a collection with texts", () => {
  let laid: Laid;
  beforeEach(async () => {
    laid = await layFolder();
  });
  afterEach(() => laid.drop());

  const groups = async (yaml = laid.yaml()) => {
    const { service } = await served(yaml);
    const report = await survey(service, {
      selection: [],
      concurrency: 2,
      measures: false,
      nameCommands: () => ({ file: "FILE" }),
      signal: new AbortController().signal,
    });
    await service.close();
    const ofTexts = report.groups.filter(({ code = "" }) => code.startsWith("text_"));
    expect(report.unlisted).toEqual([]);
    return {
      problems: report.problems,
      ...Object.fromEntries(
        ofTexts.map(({ code, level, examples }) => [code, [level, ...examples].join(" ")]),
      ),
    };
  };

  test("says nothing if each fits, or if nobody has recognized any text", async () => {
    for (const page of [1, 2]) await laid.put(`book/${page}.jpg`, "jpg-gray.jpg");
    expect(await groups()).toEqual({ problems: 0 });
    await laid.write("book/1.xml", alto("Guten Tag"));
    await laid.write("book/ocr/2.txt", "Plain text has no size.");
    expect(await groups()).toEqual({ problems: 0 });
  });

  test("finds images without a text, and texts that are empty, damaged, or of another picture", async () => {
    for (const page of [1, 2, 3, 4, 5, 6]) await laid.put(`book/${page}.jpg`, "jpg-gray.jpg");
    await laid.write("book/1.xml", alto("Guten Tag"));
    await laid.write("book/2.xml", alto(""));
    await laid.write("book/3.xml", alto("Guten Tag").slice(0, 200));
    await laid.write("book/4.xml", alto("Guten Tag", 1000, 1000));
    await laid.write("book/5.xml", alto("Guten Tag", 800, 1200));
    expect(await groups()).toEqual({
      problems: 3,
      text_empty: "note book/2.jpg",
      text_damaged: "problem book/3.jpg",
      text_ratio: "problem book/4.jpg",
      text_swapped: "problem book/5.jpg",
      text_missing: "note book/6.jpg",
    });
  });

  test("finds no fault with the text of an image that EXIF turns, recognized before or after", async () => {
    await laid.put("book/1.jpg", "jpg-orient-5.jpg");
    await laid.write("book/1.xml", alto("Guten Tag", 200, 300));
    await laid.put("book/2.jpg", "jpg-orient-8.jpg");
    await laid.write("book/2.xml", alto("Guten Tag", 300, 200));
    expect(await groups()).toEqual({ problems: 0 });
  });

  test("looks at each page of a file, and counts the files of text", async () => {
    await laid.put("book.tif", "tif-multipage-3sizes.tif");
    for (const page of [1, 2, 3]) await laid.write(`book/000${page}.txt`, `Page ${page}`);
    expect(await groups()).toEqual({ problems: 0 });
    await laid.write("book/0002.txt", "");
    await laid.write("book/0004.txt", "Page 4");
    expect(await groups()).toEqual({
      problems: 1,
      text_empty: "note book.tif",
      text_pages: "problem book.tif",
    });
  });

  test("says nothing about texts that the server does not show", async () => {
    await laid.put("book/1.jpg", "jpg-gray.jpg");
    await laid.write("book/1.xml", alto("").slice(0, 20));
    expect(await groups(`${laid.yaml()}presentation: { texts: false }\n`)).toEqual({ problems: 0 });
    await laid.write("hook.mjs", "export const resolve = ({ identifier }) => ({ key: identifier });");
    const engine = `hook: { engine: js, js: { file: ${JSON.stringify(join(laid.root, "hook.mjs"))} } }\n`;
    expect(await groups(laid.yaml() + engine)).toEqual({ problems: 0 });
    await laid.write("book/manifest.yaml", "texts: false\n");
    expect(await groups()).toEqual({ problems: 0 });
  });

  test("says nothing about texts if there are no manifests to show them", async () => {
    await laid.put("book/1.jpg", "jpg-gray.jpg");
    await laid.write("book/1.xml", alto("").slice(0, 20));
    expect(await groups()).toMatchObject({ problems: 1 });
    expect(await groups(`${laid.yaml()}presentation: { enabled: false }\n`)).toEqual({ problems: 0 });
  });
});
