// Facts about storage: properties of the format, levels, and the sidecar.

import type { Size } from "../../../base/index.ts";
import type { FileFacts } from "../../../imaging/index.ts";
import { bytesText, eachText, sizeText, yesNo } from "../../../server/index.ts";
import type { FactValue } from "../diagnosis.ts";
import { type Row, row } from "./row.ts";

/** Returns a row that shows a fact of the file. */
const storedRow = <K extends keyof FileFacts>(
  name: K,
  label: string,
  text?: (value: NonNullable<FileFacts[K]>) => string,
): Row =>
  row<FactValue>({
    name,
    label,
    value: ({ file }) => file?.[name] as FactValue | undefined,
    text: text as Row["text"],
  });

export const storageRows: readonly Row[] = [
  storedRow("container", "File format"),
  storedRow("byteOrder", "Byte order"),
  storedRow("compression", "Compression"),
  storedRow("lossless", "Lossless", yesNo),
  storedRow("colours", "Stored colours"),
  storedRow("bits", "Bits of a sample", eachText),
  storedRow("sampleFormat", "Samples"),
  storedRow("paletteEntries", "Colours of the palette", String),
  storedRow("transparency", "Transparency"),
  storedRow("subsampling", "Chroma"),
  storedRow("planar", "Bands", (planar) => (planar ? "each by itself" : "interleaved")),
  storedRow("predictor", "Predictor"),
  storedRow("layout", "Layout", (layout) => (layout === "whole" ? "not divided" : layout)),
  storedRow("block", "Tile or strip", sizeText),
  storedRow("blocks", "Number of them", String),
  storedRow("interlaced", "Interlaced", yesNo),
  storedRow("progressive", "Progressive", yesNo),
  storedRow("restartInterval", "Restart markers", (interval) =>
    interval > 0 ? `every ${interval} MCUs` : "none",
  ),
  storedRow("progression", "Progression order"),
  storedRow("layers", "Quality layers", String),
  storedRow("decompositions", "Wavelet levels", String),
  storedRow("wavelet", "Wavelet"),
  storedRow("codeBlock", "Code-blocks", sizeText),
  row({
    name: "precincts",
    label: "Precincts",
    value: ({ header, file }) =>
      header?.format === "jp2" ? ((file?.precincts ?? []) as unknown as FactValue) : undefined,
    text: (sizes) => ((sizes as []).length > 0 ? sizesText(sizes as unknown as Size[]) : "whole resolutions"),
  }),
  storedRow("pointers", "Pointers to packets", (names) => names.join(", ") || "none"),
];

export const levelsRows: readonly Row[] = [
  row<FactValue>({
    name: "levels",
    label: "Levels in the file",
    value: ({ file }) => file?.levels as unknown as FactValue,
    text: (sizes) => sizesText(sizes as unknown as Size[]),
  }),
  row({
    name: "scales",
    label: "Scales of tiles",
    value: ({ costs }) => costs?.filter(({ what }) => what === "tile").map(({ scale }) => scale),
    text: (scales) => scales.map((scale) => `1/${scale}`).join(", "),
  }),
  row({
    name: "sidecar",
    label: "Sidecar",
    value: ({ sidecar }) => sidecar?.state,
    text: (state, { sidecar }) =>
      sidecar && "bytes" in sidecar
        ? `${sidecarTexts[state]}, ${bytesText(sidecar.bytes)}`
        : sidecarTexts[state],
  }),
];

const sizesText = (sizes: readonly Size[]) => (sizes.length === 0 ? "none" : sizes.map(sizeText).join(", "));

const sidecarTexts = {
  none: "not used for such files",
  absent: "not built yet: the first tile builds it",
  building: "being built",
  complete: "built",
  unavailable: "none can be kept",
} as const;
