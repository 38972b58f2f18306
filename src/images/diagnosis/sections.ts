// The facts of a diagnosis: one row for each, with its label and how it is read out of what is known.

import type { FileFacts, StoredSize } from "../../codecs/facts/index.ts";
import { effectiveLimits } from "../../iiif/image/size.ts";
import { asShown, uprightSize } from "../plan/orientation.ts";
import type { Fact, FactValue, SectionName } from "./diagnosis.ts";
import type { Known } from "./known.ts";
import { profileUse } from "./profile-use.ts";
import { bytesText, eachText, msText, pixelsText, sizeText, yesNo } from "./words.ts";

interface Row<V extends FactValue = FactValue> {
  readonly name: string;
  readonly label: string;
  /** undefined: there is nothing to say. */
  readonly of: (known: Known) => V | undefined;
  readonly text?: ((value: V, known: Known) => string) | undefined;
}

/** Keeps the type of a row's value between its two functions. */
const row = <V extends FactValue>(of: Row<V>): Row => of as unknown as Row;

/** A row of a fact of the file. */
const stored = <K extends keyof FileFacts>(
  name: K,
  label: string,
  text?: (value: NonNullable<FileFacts[K]>) => string,
): Row =>
  row<FactValue>({
    name,
    label,
    of: ({ file }) => file?.[name] as FactValue | undefined,
    text: text as Row["text"],
  });

const sizesText = (sizes: readonly StoredSize[]) =>
  sizes.length === 0 ? "none" : sizes.map(sizeText).join(", ");

const rows: Readonly<Record<SectionName, readonly Row[]>> = {
  file: [
    row({
      name: "source",
      label: "Source",
      of: ({ place }) => place && `${place.source} (${place.backend})`,
    }),
    row({ name: "key", label: "Key in the source", of: ({ place }) => place?.key }),
    row({
      name: "hook",
      label: "Resolve hook",
      of: ({ hook }) => hook,
      text: (said) =>
        ({
          mapped: "names this source and key",
          "no image": "says that there is no image",
          "no opinion": "has no opinion",
        })[said],
    }),
    row({ name: "page", label: "Page", of: ({ place }) => place?.page }),
    row({ name: "bytes", label: "Length", of: ({ place }) => place?.size, text: bytesText }),
    row({ name: "modified", label: "Changed", of: ({ place }) => place?.modified?.toISOString() }),
  ],
  picture: [
    row({
      name: "format",
      label: "Format",
      of: ({ header }) => header?.format,
      text: (format) => formatNames[format],
    }),
    row({
      name: "size",
      label: "Size as stored",
      of: ({ header }) => header && { width: header.width, height: header.height },
      text: (size) => `${sizeText(size)}, ${pixelsText(size.width * size.height)}`,
    }),
    row({
      name: "served",
      label: "Size as served",
      of: ({ header, settings }) => header && { ...uprightSize(asShown(header, settings.policy)) },
      text: sizeText,
    }),
    row({ name: "pages", label: "Pages", of: ({ header }) => header?.pages }),
    row({ name: "bands", label: "Bands as decoded", of: ({ header }) => header?.bands }),
    row({
      name: "depth",
      label: "Depth as decoded",
      of: ({ header }) => header?.depth,
      text: (bits) => `${bits} bits`,
    }),
    row({ name: "interpretation", label: "Interpretation", of: ({ header }) => header?.interpretation }),
    row({
      name: "resolution",
      label: "Resolution",
      of: ({ header }) => header?.resolution && { x: header.resolution.x, y: header.resolution.y },
      text: ({ x, y }) => `${(x * 2.54).toFixed(1)} × ${(y * 2.54).toFixed(1)} pixels an inch`,
    }),
  ],
  storage: [
    stored("container", "File format"),
    stored("byteOrder", "Byte order"),
    stored("compression", "Compression"),
    stored("lossless", "Lossless", yesNo),
    stored("colours", "Stored colours"),
    stored("bits", "Bits of a sample", eachText),
    stored("sampleFormat", "Samples"),
    stored("paletteEntries", "Colours of the palette", String),
    stored("transparency", "Transparency"),
    stored("subsampling", "Chroma"),
    stored("planar", "Bands", (planar) => (planar ? "each by itself" : "interleaved")),
    stored("predictor", "Predictor"),
    stored("layout", "Layout", (layout) => (layout === "whole" ? "not divided" : layout)),
    stored("block", "Tile or strip", sizeText),
    stored("blocks", "Number of them", String),
    stored("interlaced", "Interlaced", yesNo),
    stored("progressive", "Progressive", yesNo),
    stored("restartInterval", "Restart markers", (interval) =>
      interval > 0 ? `every ${interval} MCUs` : "none",
    ),
    stored("progression", "Progression order"),
    stored("layers", "Quality layers", String),
    stored("decompositions", "Wavelet levels", String),
    stored("wavelet", "Wavelet"),
    stored("codeBlock", "Code-blocks", sizeText),
    row({
      name: "precincts",
      label: "Precincts",
      of: ({ header, file }) =>
        header?.format === "jp2" ? ((file?.precincts ?? []) as unknown as FactValue) : undefined,
      text: (sizes) =>
        (sizes as []).length > 0 ? sizesText(sizes as unknown as StoredSize[]) : "whole resolutions",
    }),
    stored("pointers", "Pointers to packets", (names) => names.join(", ") || "none"),
  ],
  colour: [
    row({ name: "profile", label: "Embedded profile", of: ({ profile }) => profile?.description }),
    row({ name: "profile_version", label: "ICC version", of: ({ profile }) => profile?.version }),
    row({ name: "profile_space", label: "Space of the profile", of: ({ profile }) => profile?.space }),
    row({ name: "profile_class", label: "Class of the profile", of: ({ profile }) => profile?.deviceClass }),
    row({
      name: "colours_from",
      label: "Colours are told by",
      of: ({ header }) => header && (header.colour?.from ?? "nothing"),
      text: (from) => colourSources[from],
    }),
    row({ name: "colour_use", label: "What is done with them", of: (known) => profileUse(known) }),
  ],
  metadata: [
    row({
      name: "orientation",
      label: "Orientation tag",
      of: ({ header }) => header?.orientation,
      text: (orientation) => `${orientation} (${orientations[orientation]})`,
    }),
    row({
      name: "orientation_use",
      label: "What is done with it",
      of: ({ header, settings }) =>
        header && header.orientation !== 1
          ? settings.policy.metadata === "preserve"
            ? "pixels stay as they are; answers carry the tag"
            : "pixels are turned upright; answers carry no tag"
          : undefined,
    }),
    row({
      name: "metadata",
      label: "Metadata in the file",
      of: ({ metadata }) => metadata && { ...metadata },
      text: (sizes) =>
        Object.entries(sizes)
          .map(([kind, bytes]) => `${metadataNames[kind]} ${bytesText(bytes)}`)
          .join(", ") || "none",
    }),
    row({
      name: "metadata_use",
      label: "In answers",
      of: ({ metadata, settings }) =>
        metadata && Object.keys(metadata).some((kind) => kind !== "icc")
          ? settings.policy.metadata === "preserve"
            ? "carried"
            : "left out"
          : undefined,
    }),
  ],
  levels: [
    row<FactValue>({
      name: "levels",
      label: "Levels in the file",
      of: ({ file }) => file?.levels as unknown as FactValue,
      text: (sizes) => sizesText(sizes as unknown as StoredSize[]),
    }),
    row({
      name: "scales",
      label: "Scales of tiles",
      of: ({ costs }) => costs?.filter(({ what }) => what === "tile").map(({ scale }) => scale),
      text: (scales) => scales.map((scale) => `1/${scale}`).join(", "),
    }),
    row({
      name: "sidecar",
      label: "Sidecar",
      of: ({ sidecar }) => sidecar?.state,
      text: (state, { sidecar }) =>
        sidecar && "bytes" in sidecar
          ? `${sidecarTexts[state]}, ${bytesText(sidecar.bytes)}`
          : sidecarTexts[state],
    }),
  ],
  costs: [
    row<FactValue>({
      name: "expected",
      label: "Expected",
      of: ({ costs }) =>
        costs?.map(({ what, scale, canonical, expected, refused }) => ({
          what,
          scale,
          request: canonical,
          ...(expected && { ...expected, ms: round(expected.ms) }),
          ...(refused && { refused: refused.message }),
        })),
      text: (_, { costs = [] }) =>
        costs
          .map(({ what, scale, expected }) => {
            const name = what === "whole" ? "full/max" : `tile at 1/${scale}`;
            return `${name}: ${expected ? `${msText(expected.ms)}, ${bytesText(expected.memory)}` : "refused"}`;
          })
          .join("; "),
    }),
    row<FactValue>({
      name: "measured",
      label: "Measured now",
      of: ({ measured }) =>
        measured && measured.length > 0
          ? measured.map(({ stages, ms, ...rest }) => ({
              ...rest,
              ms: round(ms),
              stages: Object.fromEntries(
                Object.entries(stages).flatMap(([stage, took]) =>
                  took === undefined ? [] : [[stage, round(took)]],
                ),
              ),
            }))
          : undefined,
      text: (_, { measured = [] }) =>
        measured
          .map(
            ({ what, ms, reads, readBytes }) =>
              `${what === "whole" ? "full/max" : "tile at 1/1"}: ${msText(ms)}, ${reads} reads of ${bytesText(readBytes)} in all`,
          )
          .join("; "),
    }),
    row<FactValue>({
      name: "latest",
      label: "Measured lately",
      of: ({ latest }) =>
        latest &&
        [latest.part, latest.whole].flatMap((record) =>
          record
            ? [
                {
                  request: record.canonical,
                  expected_ms: round(record.expected.ms),
                  ms: round(record.tookMs),
                  memory: record.memory,
                  at: new Date(record.at).toISOString(),
                },
              ]
            : [],
        ),
      text: (_, { latest }) =>
        [latest?.part, latest?.whole]
          .flatMap((record) =>
            record
              ? [`${record.canonical}: ${msText(record.tookMs)}, expected ${msText(record.expected.ms)}`]
              : [],
          )
          .join("; "),
    }),
  ],
  access: [
    row({
      name: "rule",
      label: "Access profile",
      of: ({ settings }) => settings.profile ?? "none",
      text: (profile) => (profile === "none" ? "none: no rule names this image" : profile),
    }),
    row({
      name: "hooks",
      label: "Hooks asked each time",
      of: ({ settings }) => (settings.hooks.length > 0 ? settings.hooks : undefined),
      text: (names) => names.join(", "),
    }),
    row({
      name: "max_pixel_area",
      label: "image.max_pixel_area",
      of: ({ settings }) => settings.maxPixelArea,
      text: (area) => (area > 0 ? pixelsText(area) : "no limit"),
    }),
    row<FactValue>({
      name: "output_limits",
      label: "Largest answers",
      of: ({ settings }) => ({ ...effectiveLimits(settings.limits) }),
      text: (_, { settings }) => limitsText(effectiveLimits(settings.limits)),
    }),
  ],
};

const formatNames = {
  jpg: "JPEG",
  png: "PNG",
  gif: "GIF",
  tif: "TIFF",
  webp: "WebP",
  jp2: "JPEG 2000",
} as const;
const metadataNames: Readonly<Record<string, string>> = {
  icc: "ICC profile",
  exif: "EXIF",
  xmp: "XMP",
  iptc: "IPTC",
};
const colourSources = {
  nothing: "nothing in the file",
  icc: "its ICC profile",
  cicp: "its cICP chunk",
  chunks: "its gAMA, cHRM or sRGB chunks",
  exif: "the colour space in EXIF",
} as const;
/** EXIF 2.32, 4.6.4 A. */
const orientations: Readonly<Record<number, string>> = {
  1: "upright",
  2: "mirrored",
  3: "upside down",
  4: "mirrored and upside down",
  5: "mirrored and turned to the left",
  6: "to be turned to the right",
  7: "mirrored and turned to the right",
  8: "to be turned to the left",
};
const sidecarTexts = {
  none: "none is made of such files",
  absent: "absent: the first request makes it",
  building: "being made",
  partial: "there, a part that makes some reads quicker is still missing",
  complete: "complete",
  unavailable: "none can be kept",
} as const;

const round = (ms: number) => Math.round(ms * 10) / 10;

function limitsText({ maxWidth, maxHeight, maxArea }: Known["settings"]["limits"]): string {
  const texts = [
    ...(maxWidth > 0 ? [`${maxWidth} pixels wide`] : []),
    ...(maxHeight > 0 ? [`${maxHeight} pixels high`] : []),
    ...(maxArea > 0 ? [pixelsText(maxArea)] : []),
  ];
  return texts.join(", ") || "no limit";
}

/** The facts of a section, as far as they are known. */
export function factsOf(section: SectionName, known: Known): readonly Fact[] {
  return rows[section].flatMap(({ name, label, of, text = String }) => {
    const value = of(known);
    return value === undefined ? [] : [{ name, label, value, text: text(value, known) }];
  });
}
