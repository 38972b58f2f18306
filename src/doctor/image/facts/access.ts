// Facts about access: who may see the image, and how much of it.

import { effectiveLimits } from "../../../iiif/index.ts";
import { pixelsText } from "../../../server/index.ts";
import type { FactValue } from "../diagnosis.ts";
import type { DiagnosisFacts } from "../known.ts";
import { type Row, row } from "./row.ts";

export const accessRows: readonly Row[] = [
  row({
    name: "rule",
    label: "Access profile",
    value: ({ settings }) => settings.profile ?? "none",
    text: (profile) => (profile === "none" ? "none: no rule names this image" : profile),
  }),
  row({
    name: "hooks",
    label: "Hooks asked each time",
    value: ({ settings }) => (settings.hooks.length > 0 ? settings.hooks : undefined),
    text: (names) => names.join(", "),
  }),
  row({
    name: "max_pixel_area",
    label: "image.max_pixel_area",
    value: ({ settings }) => settings.maxPixelArea,
    text: (area) => (area > 0 ? pixelsText(area) : "no limit"),
  }),
  row<FactValue>({
    name: "output_limits",
    label: "Largest answers",
    value: ({ settings }) => ({ ...effectiveLimits(settings.limits) }),
    text: (_, { settings }) => limitsText(effectiveLimits(settings.limits)),
  }),
];

function limitsText({ maxWidth, maxHeight, maxArea }: DiagnosisFacts["settings"]["limits"]): string {
  const texts = [
    ...(maxWidth > 0 ? [`${maxWidth} pixels wide`] : []),
    ...(maxHeight > 0 ? [`${maxHeight} pixels high`] : []),
    ...(maxArea > 0 ? [pixelsText(maxArea)] : []),
  ];
  return texts.join(", ") || "no limit";
}
