// Facts about colours, orientation and metadata, and how they are handled.

import { bytesText } from "../../../server/index.ts";
import { profileUse } from "../profile-use.ts";
import { type Row, row } from "./row.ts";

export const colourRows: readonly Row[] = [
  row({ name: "profile", label: "Embedded profile", value: ({ profile }) => profile?.description }),
  row({ name: "profile_version", label: "ICC version", value: ({ profile }) => profile?.version }),
  row({ name: "profile_space", label: "Space of the profile", value: ({ profile }) => profile?.space }),
  row({ name: "profile_class", label: "Class of the profile", value: ({ profile }) => profile?.deviceClass }),
  row({
    name: "colours_from",
    label: "Colours are defined by",
    value: ({ header }) => header && (header.colour?.from ?? "nothing"),
    text: (from) => colourSources[from],
  }),
  row({ name: "colour_use", label: "How they are used", value: (known) => profileUse(known) }),
];

export const metadataRows: readonly Row[] = [
  row({
    name: "orientation",
    label: "Orientation tag",
    value: ({ header }) => header?.orientation,
    text: (orientation) => `${orientation} (${orientations[orientation]})`,
  }),
  row({
    name: "orientation_use",
    label: "How it is used",
    value: ({ header, settings }) =>
      header && header.orientation !== 1
        ? settings.policy.metadata === "preserve"
          ? "pixels stay as they are; responses contain the tag"
          : "pixels are turned upright; responses contain no tag"
        : undefined,
  }),
  row({
    name: "metadata",
    label: "Metadata in the file",
    value: ({ metadata }) => metadata && { ...metadata },
    text: (sizes) =>
      Object.entries(sizes)
        .map(([kind, bytes]) => `${metadataNames[kind]} ${bytesText(bytes)}`)
        .join(", ") || "none",
  }),
  row({
    name: "metadata_use",
    label: "In answers",
    value: ({ metadata, settings }) =>
      metadata && Object.keys(metadata).some((kind) => kind !== "icc")
        ? settings.policy.metadata === "preserve"
          ? "carried"
          : "left out"
        : undefined,
  }),
];

const colourSources = {
  nothing: "nothing in the file",
  icc: "its ICC profile",
  cicp: "its code points (cICP, nclx)",
  chunks: "its gAMA, cHRM or sRGB chunks",
  exif: "the colour space in EXIF",
} as const;

const metadataNames: Readonly<Record<string, string>> = {
  icc: "ICC profile",
  exif: "EXIF",
  xmp: "XMP",
  iptc: "IPTC",
};

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
