// The pages of a slide, as they are served.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileKind } from "../../../src/server/sources/listing.ts";
import { hasTiffTools, slidePages, writeSlide } from "../../imaging/codecs/tif/slide-file.ts";
import { served } from "../../served.ts";

test.skipIf(!hasTiffTools)("a slide and its pages are images of their own sizes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "smalti-slides-"));
  try {
    await writeSlide(join(folder, "slide.svs"), "jpeg:90");
    expect(fileKind("slide.svs")).toBe("image");
    const app = await served(
      `sources: [{ name: slides, type: filesystem, root: ${JSON.stringify(folder)} }]`,
    );
    const sizes = await Promise.all(
      ["slide.svs", "slide.svs;2", "slide.svs;3", "slide.svs;4"].map(async (identifier) => {
        const response = await app.get(`/iiif/3/${encodeURIComponent(identifier)}/info.json`);
        const { width, height } = (await response.json()) as { width: number; height: number };
        return [width, height];
      }),
    );
    expect(sizes).toEqual(slidePages.map(([width, height]) => [width, height]));
    expect((await app.get("/iiif/3/slide.svs%3B5/info.json")).status).toBe(404);
    await app.service.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
