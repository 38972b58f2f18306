// The GIF decoder: each frame is a page.

import { ImagingError, memoryBytes, readAll } from "../../../base/index.ts";
import { colourFacts } from "../../metadata/colour.ts";
import type { Decoder } from "../codec.ts";
import { damagedGif } from "../damaged.ts";
import { drawnArea, drawnDetails } from "../pyramid/drawn.ts";
import type { Pyramids } from "../pyramid/pyramids.ts";
import { rowsOf } from "../pyramid/rows.ts";
import { decodeGif, firstNeeded } from "./decode.ts";
import { type GifHeader, maxFileBytes, readGifHeader } from "./header.ts";
import { readGifMetadata } from "./metadata.ts";

/** Creates the decoder. */
export function gifDecoder(pyramids: Pyramids): Decoder {
  const parts = pyramids({
    async decodeRows(bytes, { header, page }, region, take) {
      const file = await readAll(bytes, maxFileBytes);
      const gif = await readGifHeader(memoryBytes(file));
      const bands = bandsOf(gif);
      if (gif.width !== header.width || gif.height !== header.height || bands !== header.bands)
        throw damagedGif("its header, which is not the one read before");
      if (page > gif.frames.length) throw damagedGif(`frame ${page}, which is missing`);
      const image = decodeGif(file, gif, page, region, bands);
      for (const rows of rowsOf(image)) await take(rows);
      return false;
    },
    memory(header, region, fileSize) {
      // A frame of several may have to be restored.
      const pixels = (header.pages > 1 ? 2 : 1) * region.width * region.height * header.bands;
      return pixels + 2 * Math.min(fileSize, maxFileBytes) + header.width + (1 << 20);
    },
    // Rows of an interlaced frame are in another order, and a later frame takes all before it.
    pixelsFor({ header, region, page }) {
      const { y, width, height } = drawnArea(header);
      return width * (header.variant === "still" ? region.y + region.height - y : page * height);
    },
    nsPerPixel: () => 40,
  });
  return {
    ...parts,
    async probe(bytes, page) {
      const gif = await readGifHeader(bytes);
      if (page < 1 || page > gif.frames.length)
        throw new ImagingError(
          "not-found",
          `Expected a page from 1 to ${gif.frames.length}, the frames of this GIF, received ${page}.`,
          { code: "page_not_found" },
        );
      const { icc } = await readGifMetadata(bytes, "icc");
      const colour = await colourFacts({ icc: icc && memoryBytes(icc) }, "rgb");
      const areas = gif.frames.slice(firstNeeded(gif, page), page).map(({ area }) => area);
      const details = drawnDetails(gif, areas, new Array(bandsOf(gif)).fill(0));
      return {
        format: "gif",
        width: gif.width,
        height: gif.height,
        bands: bandsOf(gif),
        depth: 8,
        interpretation: "rgb",
        orientation: 1,
        pages: gif.frames.length,
        variant: gif.frames.length > 1 ? "animated" : gif.frames[0]?.interlaced ? "interlaced" : "still",
        ...(colour && { colour }),
        ...(details && { details }),
      };
    },
    maxBytes: maxFileBytes,
    metadata: { read: (bytes, _header, kinds) => readGifMetadata(bytes, kinds) },
  };
}

/** Alpha if any frame shows what is below it, so that all pages have the same bands. */
function bandsOf(gif: GifHeader): 3 | 4 {
  return gif.frames.some((frame) => frame.transparentIndex >= 0) ? 4 : 3;
}
