// What a file of text holds, as bytes for a store.

import { expect, test } from "vitest";
import { decodeRecords, encodeRecords, pageOfRecords, readRecords } from "../../../src/text/index.ts";
import { seeded } from "../../seeded.ts";

const utf8 = new TextEncoder();
const alto = (...words: readonly string[]) =>
  utf8.encode(
    `<alto><Layout>${words.map((word) => `<Page WIDTH="100" HEIGHT="100"><PrintSpace><TextBlock><TextLine><String CONTENT="${word}" HPOS="1" VPOS="2" WIDTH="30" HEIGHT="4"/></TextLine></TextBlock></PrintSpace></Page>`).join("")}</Layout></alto>`,
  );

test.each([
  ["an ALTO file of three pages", alto("eins", "zwei", "drei")],
  ["plain text", utf8.encode("Eine Zeile\n\nund noch eine")],
  [
    "an hOCR file",
    utf8.encode('<html><body><div class="ocr_page" title="bbox 0 0 9 9">a</div></body></html>'),
  ],
  ["a PAGE file", utf8.encode('<PcGts><Page imageWidth="9" imageHeight="9"></Page></PcGts>')],
  ["other XML", utf8.encode("<mets/>")],
])("the records of %s are the same after they were stored", async (what, bytes) => {
  const file = await readRecords(bytes, what === "plain text" ? "a.txt" : "a.xml");
  expect(file).toHaveProperty("pages");
  const stored = encodeRecords(file);
  expect(stored && decodeRecords(stored)).toEqual(file);
});

test("a file that cannot be read is not stored", async () => {
  expect(encodeRecords(await readRecords(alto("a").slice(0, 80), "a.xml"))).toBeUndefined();
});

test("damaged bytes are no records, or those of a page that says so", async () => {
  const stored = encodeRecords(await readRecords(alto("eins", "zwei"), "a.xml"))!;
  const below = seeded(62);
  for (let end = 0; end < stored.length; end++) expect(decodeRecords(stored.slice(0, end))).toBeUndefined();
  expect(decodeRecords(new Uint8Array([...stored, 0]))).toBeUndefined();
  for (let count = 0; count < 500; count++) {
    const damaged = stored.slice();
    damaged[below(damaged.length)] = below(256);
    const records = decodeRecords(damaged);
    for (const page of [0, 1])
      try {
        if (records) pageOfRecords(records, page);
      } catch (error) {
        expect(error).toMatchObject({ code: "text_record_damaged" });
      }
  }
});
