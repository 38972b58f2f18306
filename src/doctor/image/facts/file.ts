// Facts about the file, and about the image in it.

import { formats, shownSize } from "../../../imaging/index.ts";
import { bytesText, pixelsText, sizeText } from "../../../server/index.ts";
import { type Row, row } from "./row.ts";

export const fileRows: readonly Row[] = [
  row({
    name: "source",
    label: "Source",
    value: ({ master }) => master && `${master.source} (${master.backend})`,
  }),
  row({ name: "key", label: "Key in the source", value: ({ master }) => master?.key }),
  row({
    name: "hook",
    label: "Resolve hook",
    value: ({ hook }) => hook,
    text: (said) =>
      ({
        mapped: "names this source and key",
        "no image": "says that there is no image",
        "no opinion": "has no opinion",
      })[said],
  }),
  row({ name: "page", label: "Page", value: ({ master }) => master?.page }),
  row({ name: "bytes", label: "Length", value: ({ master }) => master?.size, text: bytesText }),
  row({ name: "modified", label: "Changed", value: ({ master }) => master?.modified?.toISOString() }),
];

export const pictureRows: readonly Row[] = [
  row({
    name: "format",
    label: "Format",
    value: ({ header }) => header?.format,
    text: (format) => formats[format]?.title ?? format,
  }),
  row({
    name: "size",
    label: "Size as stored",
    value: ({ header }) => header && { width: header.width, height: header.height },
    text: (size) => `${sizeText(size)}, ${pixelsText(size.width * size.height)}`,
  }),
  row({
    name: "served",
    label: "Size as served",
    value: ({ header, settings }) => header && { ...shownSize(header, settings.policy) },
    text: sizeText,
  }),
  row({ name: "pages", label: "Pages", value: ({ header }) => header?.pages }),
  row({
    name: "pagesCut",
    label: "Further pages",
    value: ({ header }) => header?.pagesCut,
    text: (cut) => (cut === "limit" ? "not served: too many for one file" : "lost: the file is damaged"),
  }),
  row({ name: "bands", label: "Bands as decoded", value: ({ header }) => header?.bands }),
  row({
    name: "depth",
    label: "Depth as decoded",
    value: ({ header }) => header?.depth,
    text: (bits) => `${bits} bits`,
  }),
  row({ name: "interpretation", label: "Interpretation", value: ({ header }) => header?.interpretation }),
  row({
    name: "resolution",
    label: "Resolution",
    value: ({ header }) => header?.resolution && { x: header.resolution.x, y: header.resolution.y },
    text: ({ x, y }) => `${(x * 2.54).toFixed(1)} × ${(y * 2.54).toFixed(1)} pixels an inch`,
  }),
];
