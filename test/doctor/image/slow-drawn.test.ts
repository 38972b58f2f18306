// The reason of slow tiles of a page that is drawn.

import { expect, test } from "vitest";
import { speedFindings } from "../../../src/doctor/image/findings/speed.ts";
import type { DiagnosisFacts } from "../../../src/doctor/image/known.ts";

test("slow tiles of a drawn page are not those of a JPEG", () => {
  const known = {
    header: { format: "pdf", drawn: "it has no image" },
    costs: [{ what: "tile", scale: 1, expected: { ms: 5000, decoded: 1e8 } }],
    failures: new Map(),
  } as unknown as DiagnosisFacts;
  expect(speedFindings(known).map(({ code }) => code)).toEqual(["slow_drawn"]);
});
