// Content states by other tools, viewers and the public cookbook; their targets were read by eye and are
// listed next to the links.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { decodeState } from "../../../src/iiif/content-state/encode.ts";
import { readState } from "../../../src/iiif/content-state/read.ts";
import { regionText } from "../../../src/iiif/content-state/region.ts";

interface Vector {
  readonly source: string;
  readonly state: string;
  readonly form: string;
  readonly target: { readonly id: string; readonly region?: string; readonly manifestId?: string };
}

const vectors = JSON.parse(
  readFileSync(new URL("../../vectors/content-states.json", import.meta.url), "utf8"),
) as readonly Vector[];

describe("a content state of others", () => {
  test("comes from 20 places at least", () => {
    expect(new Set(vectors.map(({ source }) => source)).size).toBeGreaterThanOrEqual(20);
  });

  test.each(vectors.map((vector) => [vector.source, vector] as const))("is read: %s", (_, vector) => {
    const { form, targets } = readState(decodeState(vector.state));
    const [{ id, region, manifestId }] = targets;
    expect(form).toBe(vector.form);
    expect({ id, region: region && regionText(region), manifestId }).toEqual({
      region: undefined,
      manifestId: undefined,
      ...vector.target,
    });
  });
});
