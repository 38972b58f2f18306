// Processors, and how derivatives look.

import { isTrue } from "../properties.ts";
import { copyingRow, missingRow, type Row, type Rows, unneededRow, wholeNumber } from "../row.ts";

const ownReaders = unneededRow("smalti chooses by the first bytes of a file, and reads all formats itself");
const binaries = unneededRow("smalti calls no other programs");
const plugin = unneededRow("smalti has no ImageIO");
const filter = unneededRow("smalti reduces with Lanczos-3, or with averages where those are equal or better");
const isManual = (processor: string): Row => ({
  missing: `smalti reads images only; make images of these files, and serve them`,
  unneeded: "smalti reads images only, and this format has no processor that was chosen by hand",
  choose: (_, all) =>
    /Manual/.test(all.get("processor.selection_strategy") ?? "") && processor !== "" ? "missing" : "unneeded",
});
const video = isManual("FfmpegProcessor");

export const processorRows: Rows = {
  "processor.selection_strategy": ownReaders,
  "processor.ManualSelectionStrategy.avi": video,
  "processor.ManualSelectionStrategy.bmp": missingRow(
    "smalti does not read BMP; `magick mogrify -format png *.bmp` makes PNG files of them",
  ),
  "processor.ManualSelectionStrategy.dcm": missingRow("smalti does not read DICOM; make TIFF files of them"),
  "processor.ManualSelectionStrategy.flv": video,
  "processor.ManualSelectionStrategy.gif": ownReaders,
  "processor.ManualSelectionStrategy.jp2": ownReaders,
  "processor.ManualSelectionStrategy.jpg": ownReaders,
  "processor.ManualSelectionStrategy.mov": video,
  "processor.ManualSelectionStrategy.mp4": video,
  "processor.ManualSelectionStrategy.mpg": video,
  "processor.ManualSelectionStrategy.pdf": ownReaders,
  "processor.ManualSelectionStrategy.png": ownReaders,
  "processor.ManualSelectionStrategy.tif": ownReaders,
  "processor.ManualSelectionStrategy.webm": video,
  "processor.ManualSelectionStrategy.webp": ownReaders,
  "processor.ManualSelectionStrategy.xpm": missingRow("smalti does not read XPM; make PNG files of them"),
  "processor.ManualSelectionStrategy.fallback": ownReaders,
  "processor.stream_retrieval_strategy": unneededRow(
    "smalti reads ranges of remote files, and caches them in the slot origin",
  ),
  "processor.fallback_retrieval_strategy": unneededRow(
    "smalti downloads a file only if its server has no ranges",
  ),
  "processor.purge_incompatible_from_source_cache": unneededRow("the slot origin removes what is least used"),
  "processor.dpi": unneededRow(
    "smalti draws pages of PDF at 300 pixels per inch, or at the resolution of their images",
  ),
  "processor.background_color": copyingRow("image.background", hexColour),
  "processor.downscale_filter": filter,
  "processor.upscale_filter": filter,
  "processor.downscale_linear": copyingRow("image.linear", (value) => (isTrue(value) ? "on" : "off")),
  "processor.sharpen": {
    to: "image.sharpen",
    text: "smalti sharpens only reduced derivatives; compare the strength, since the masks differ",
    unneeded: "smalti does not sharpen by default",
    choose: (value) => (Number(value) > 0 ? "taken" : "unneeded"),
    take: (value) => [
      {
        path: ["image", "sharpen"],
        value: { radius: 0.6, amount: Math.min(10, Number(value)), threshold: 2 },
      },
    ],
  },
  "processor.metadata.preserve": copyingRow(
    "image.metadata",
    (value) => (isTrue(value) ? "preserve" : "strip"),
    "derivatives embed EXIF, XMP and IPTC as they are in the file",
  ),
  "processor.metadata.respect_orientation": unneededRow(
    "smalti turns images upright, unless metadata is preserved",
  ),
  "processor.jpg.progressive": copyingRow(
    "image.jpeg_progressive",
    isTrue,
    "progressive JPEG takes more time",
  ),
  "processor.jpg.quality": copyingRow("image.jpeg_quality", (value) => Math.min(100, wholeNumber(value, 1))),
  "processor.tif.compression": unneededRow("smalti chooses the compression of TIFF responses"),
  "processor.imageio.bmp.reader": plugin,
  "processor.imageio.gif.reader": plugin,
  "processor.imageio.gif.writer": plugin,
  "processor.imageio.jpg.reader": plugin,
  "processor.imageio.jpg.writer": plugin,
  "processor.imageio.png.reader": plugin,
  "processor.imageio.png.writer": plugin,
  "processor.imageio.tif.reader": plugin,
  "processor.imageio.tif.writer": plugin,
  "processor.imageio.xpm.reader": plugin,
  "FfmpegProcessor.path_to_binaries": binaries,
  "OpenJpegProcessor.path_to_binaries": binaries,
  "GrokProcessor.path_to_binaries": binaries,
  "GraphicsMagickProcessor.path_to_binaries": binaries,
  "ImageMagickProcessor.path_to_binaries": binaries,
  "KakaduDemoProcessor.path_to_binaries": binaries,
  "processor.pdf.scratch_file_enabled": unneededRow("smalti reads PDF by ranges"),
  "processor.pdf.max_memory_bytes": unneededRow("image.memory_budget bounds the memory of a PDF too"),
};

/** The colours of HTML 4, which are nearly all that configurations name. */
const named: Readonly<Record<string, string>> = {
  black: "000000",
  silver: "c0c0c0",
  gray: "808080",
  grey: "808080",
  white: "ffffff",
  maroon: "800000",
  red: "ff0000",
  purple: "800080",
  fuchsia: "ff00ff",
  green: "008000",
  lime: "00ff00",
  olive: "808000",
  yellow: "ffff00",
  navy: "000080",
  blue: "0000ff",
  teal: "008080",
  aqua: "00ffff",
};

/** Returns a colour of CSS as #rrggbb. Throws for other forms. */
function hexColour(value: string): string {
  const text = value.toLowerCase();
  if (Object.hasOwn(named, text)) return `#${named[text]}`;
  if (/^#[0-9a-f]{6}$/.test(text)) return text;
  if (/^#[0-9a-f]{3}$/.test(text)) return text.replace(/[0-9a-f]/g, "$&$&");
  const parts = /^rgb\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)$/.exec(text)?.slice(1).map(Number);
  if (parts?.every((part) => part < 256))
    return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  throw new Error("set image.background to the colour as #rrggbb");
}
