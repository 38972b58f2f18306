// Findings about requests that the service refuses for an image, and about access to it.

import type { Finding } from "../../../base/index.ts";
import { exceedingTexts, exceedsArea, sizeText } from "../../../server/index.ts";
import type { DiagnosisFacts } from "../known.ts";
import { toPyramid } from "./commands.ts";

/** Returns a finding if `full/max` or a tile is refused. */
export function refusedCostsFinding({ costs = [] }: DiagnosisFacts): Finding | undefined {
  const refused = costs.filter((cost) => cost.refused);
  const [first] = refused;
  if (!first?.refused) return undefined;
  const tiles = refused.filter(({ what }) => what === "tile");
  if (tiles.length > 0)
    return {
      level: "problem",
      code: "tiles_refused",
      text: `Tiles at ${tiles.map(({ scale }) => `1/${scale}`).join(", ")} are refused: ${first.refused.message}`,
      advice: "Raise image.memory_budget, or convert the file to one whose tiles can be read by themselves.",
      command: toPyramid,
    };
  return {
    level: "note",
    code: "whole_refused",
    text: `The whole image in one response is refused: ${first.refused.message} Tiles are served.`,
  };
}

/** Returns a finding if `full/max` is smaller than the image. */
export function reducedFinding({ costs = [], header }: DiagnosisFacts): Finding | undefined {
  const whole = costs.find(({ what }) => what === "whole");
  if (!whole || !header || whole.refused) return undefined;
  if (whole.size.width * whole.size.height >= header.width * header.height) return undefined;
  return {
    level: "note",
    code: "whole_reduced",
    text: `full/max is ${sizeText(whole.size)} pixels, since the output limits allow no larger response.`,
    advice: "image.max_output_width, max_output_height and max_output_area set the limits.",
  };
}

/** Returns a finding if the image exceeds image.max_pixel_area, so that it is not opened. */
export function areaFinding({ header, settings: { maxPixelArea } }: DiagnosisFacts): Finding | undefined {
  if (!header || !exceedsArea(header, maxPixelArea)) return undefined;
  const [area, max] = exceedingTexts(header.width * header.height, maxPixelArea);
  return {
    level: "problem",
    code: "too_many_pixels",
    text: `The image has ${area}, more than the ${max} of image.max_pixel_area: image information and pictures are refused.`,
    advice: "Raise image.max_pixel_area if the file is as intended.",
  };
}

export function accessFinding({ settings: { profile, hooks } }: DiagnosisFacts): Finding | undefined {
  const asked = hooks.includes("authorize") ? " The authorize hook is asked for each request." : "";
  if (profile === undefined)
    return asked
      ? { level: "note", code: "access_hook", text: `No rule names this image.${asked}` }
      : undefined;
  return {
    level: "note",
    code: "access_rule",
    text: `A rule puts this image under the access profile ${profile}: visitors without a session get what that profile allows.${asked}`,
    advice: "smalti doctor auth walks through its login.",
  };
}
