// Overlays and redactions.

import { isTrue, type Properties } from "../properties.ts";
import { missingRow, type Row, type Rows, unneededRow } from "../row.ts";

const basic = "overlays.BasicStrategy";

const isOn = (all: Properties) =>
  isTrue(all.get(`${basic}.enabled`) ?? all.get("overlays.enabled")) &&
  !/Script|Delegate/.test(all.get("overlays.strategy") ?? "");
const isString = (all: Properties) => all.get(`${basic}.type`) === "string";

const switchedOff = "overlays are switched off";

/** A property of overlays that are pictures. */
const pictureRow = (row: Row): Row => ({
  ...row,
  unneeded: switchedOff,
  choose: (_, all) => (isOn(all) ? (isString(all) ? "missing" : "taken") : "unneeded"),
  missing: "see overlays.BasicStrategy.string",
});

const pictureAdvice =
  "smalti overlays pictures, not text. Make a picture of the text, and name it in overlay.image: " +
  "`magick -background none -fill white -pointsize 24 label:'© My library' overlay.png`";

/** A property of overlays that are texts. */
const textRow: Row = {
  missing: pictureAdvice,
  unneeded: "no text is laid on images",
  choose: (_, all) => (isOn(all) && isString(all) ? "missing" : "unneeded"),
};

const anchors: Readonly<Record<string, string>> = {
  "top left": "top-left",
  "top center": "top",
  "top right": "top-right",
  "left center": "left",
  center: "center",
  "right center": "right",
  "bottom left": "bottom-left",
  "bottom center": "bottom",
  "bottom right": "bottom-right",
};

const fits: Readonly<Record<string, string>> = { repeat: "tile", scaled: "scale" };

const parsePixels = (value: string) => {
  const found = Math.round(Number(value));
  if (!(found >= 0 && found <= 65535))
    throw new Error("expected a number of pixels from 0 to 65535; set it by hand");
  return found;
};

const threshold: Row = pictureRow({
  to: "overlay.min_size",
  text: "one limit for both sides; the import takes the smaller of the two",
  take: (_, all) => [
    {
      path: ["overlay", "min_size"],
      value: Math.min(
        ...["width", "height"].map((side) =>
          parsePixels(all.get(`${basic}.output_${side}_threshold`) ?? "0"),
        ),
      ),
    },
  ],
});

const switchRow: Row = {
  to: "overlay.image",
  unneeded: switchedOff,
  missing: pictureAdvice,
  choose: (_, all) => (isOn(all) ? (isString(all) ? "missing" : "taken") : "unneeded"),
};

export const overlayRows: Rows = {
  "overlays.enabled": switchRow,
  "overlays.strategy": {
    unneeded: "overlay.image is the picture, and a hook `overlay` decides for each request",
    missing:
      "write a hook `overlay`, which returns the settings of a picture for each request: docs/how-to/watermark.md",
    choose: (value) => (/Script|Delegate/.test(value) ? "missing" : "unneeded"),
  },
  [`${basic}.enabled`]: switchRow,
  [`${basic}.type`]: switchRow,
  [`${basic}.image`]: pictureRow({
    to: "overlay.image",
    text: "PNG, JPEG, TIFF, WebP, GIF or JPEG 2000; the opacity is that of the file",
    take: (value) => {
      if (/^[a-z]+:\/\//i.test(value))
        throw new Error("download the picture, and name the file in overlay.image");
      return [
        { path: ["overlay", "image"], value },
        { path: ["overlay", "opacity"], value: 1 },
      ];
    },
  }),
  [`${basic}.string`]: textRow,
  [`${basic}.string.font`]: textRow,
  [`${basic}.string.font.size`]: textRow,
  [`${basic}.string.font.min_size`]: textRow,
  [`${basic}.string.font.weight`]: textRow,
  [`${basic}.string.glyph_spacing`]: textRow,
  [`${basic}.string.color`]: textRow,
  [`${basic}.string.stroke.color`]: textRow,
  [`${basic}.string.stroke.width`]: textRow,
  [`${basic}.string.background.color`]: textRow,
  [`${basic}.position`]: pictureRow({
    to: "overlay.anchor, overlay.fit",
    text: "`repeat` becomes fit: tile, `scaled` becomes fit: scale",
    take: (value) => {
      const text = value.toLowerCase().replaceAll("_", " ");
      if (Object.hasOwn(fits, text)) return [{ path: ["overlay", "fit"], value: fits[text] as string }];
      const anchor = anchors[text] ?? anchors[text.split(" ").reverse().join(" ")];
      if (anchor === undefined) throw new Error("set overlay.anchor to a corner, an edge or center");
      return [{ path: ["overlay", "anchor"], value: anchor }];
    },
  }),
  [`${basic}.inset`]: pictureRow({
    to: "overlay.offset",
    take: (value) => [{ path: ["overlay", "offset"], value: [parsePixels(value), parsePixels(value)] }],
  }),
  [`${basic}.output_width_threshold`]: threshold,
  [`${basic}.output_height_threshold`]: threshold,
  "redaction.enabled": {
    ...missingRow(
      "smalti redacts no regions. Serve redacted copies, or show readers without access a substitute: auth.profiles.*.substitute",
    ),
    ...unneededRow("nothing is redacted"),
    choose: (value) => (isTrue(value) ? "missing" : "unneeded"),
  },
};
