// Every kind of sequential file against libjpeg: not one byte may differ at 1/1.
// @module-tag slow

import { describe, expect, it } from "vitest";
import { sampled } from "../../../sampled.ts";
import { decode, hasTools, makeFile, matrix } from "./make-matrix.ts";
import { differences, openIndexed, whole } from "./open.ts";

describe.skipIf(!hasTools)("needs cjpeg and djpeg of libjpeg-turbo-progs", () => {
  it("decodes samplings, tables, restart intervals and sizes to the same bytes as libjpeg", async () => {
    const wrong: string[] = [];
    const rows = [...matrix()];
    expect(rows.length).toBeGreaterThan(350);
    for (const row of sampled("sequential files", rows, 70)) {
      const file = makeFile(row);
      const reader = await openIndexed(file);
      const pixels = await reader.decodePixels(whole(reader), 1);
      const bad = differences(pixels.data, decode(file));
      if (bad > 0 || reader.damaged) wrong.push(`${row.name}: ${bad} of ${pixels.data.length}`);
    }
    expect(wrong).toEqual([]);
  });
});
