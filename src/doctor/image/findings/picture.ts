// Findings about damage, pages, depth, transparency, colour, orientation and metadata.

import type { Finding } from "../../../base/index.ts";
import { timeText } from "../../../server/index.ts";
import type { DiagnosisFacts } from "../known.ts";
import { profileUse } from "../profile-use.ts";
import { dropProfile, embedProfile } from "./commands.ts";

/** True if part of the image is known to be missing. */
export const isDamaged = ({ header, cut, measured = [], damage }: DiagnosisFacts): boolean =>
  header?.incomplete === true ||
  cut === "picture" ||
  damage !== undefined ||
  measured.some(({ incomplete }) => incomplete);

/**
 * Returns a finding if the file ends early, or if a derivative of it was incomplete: in this diagnosis, or
 * for a request.
 */
export function damageFinding(known: DiagnosisFacts): Finding | undefined {
  const { header, cut, damage, measured = [] } = known;
  const advice = "Copy the file again from its original, and compare both with a checksum.";
  if (header?.incomplete)
    return {
      level: "problem",
      code: "incomplete",
      text: "The file ends before something that its header refers to, or ends in zeros. Responses show what can be read, and are not cached.",
      advice,
    };
  if (cut === "picture")
    return {
      level: "problem",
      code: "cut",
      text: "The file ends before the end of its picture. Gray or white areas stand for what is missing, and responses are not cached.",
      advice,
    };
  if (cut === "rest" && !isDamaged(known))
    return {
      level: "problem",
      code: "cut_rest",
      text: "The picture is whole, but the file ends before another picture that it lists, such as a gain map.",
      advice,
    };
  if (!isDamaged(known)) return undefined;
  const lately = measured.some(({ incomplete }) => incomplete) ? undefined : damage;
  return {
    level: "problem",
    code: "damaged",
    text: `Part of the picture could not be decoded${lately ? `, last on ${timeText(lately.lastAt)}` : ""}: the file is damaged or ends early. Gray or white areas stand for what is missing, and responses are not cached.`,
    advice,
  };
}

export function pagesFinding({ header, master, identifier }: DiagnosisFacts): Finding | undefined {
  if (!header || header.pages < 2 || !master) return undefined;
  const bare = master.page > 1 ? identifier.replace(/;\d+$/, "") : identifier;
  return {
    level: "note",
    code: "pages",
    text: `The file has ${header.pages} pages; this is page ${master.page}. Each is a separate image: ${bare};2 is the second.`,
  };
}

/** Returns a finding if this page is drawn, or others of the first pages of its file are. */
export function drawnFinding({ header, drawnPages }: DiagnosisFacts): Finding | undefined {
  const others = drawnPages && `Of its first ${drawnPages.of} pages, ${drawnPages.count} are drawn.`;
  if (header?.drawn === undefined && !drawnPages?.count) return undefined;
  return {
    level: "note",
    code: "drawn_page",
    text: [
      header?.drawn === undefined
        ? "This page is one image, and served from its part of the file."
        : `This page is not exactly one JPEG or JPEG 2000 image, since ${header.drawn}: its tiles are drawn, with the whole file in memory.`,
      ...(others ? [others] : []),
    ].join(" "),
  };
}

/** Returns a finding if the file has pages that are not served. */
export function cutPagesFinding({ header }: DiagnosisFacts): Finding | undefined {
  if (header?.pagesCut === "limit")
    return {
      level: "note",
      code: "pages_cut",
      text: `The file has more pages than the ${header.pages} that are served of one file.`,
      advice: "Divide it into several files.",
    };
  if (header?.pagesCut !== "damage" || header.incomplete) return undefined;
  return {
    level: "problem",
    code: "pages_lost",
    text: `The file is damaged after page ${header.pages}: if it has more pages, they cannot be found.`,
    advice: "Copy the file again from its original, and compare both with a checksum.",
  };
}

/** Returns a finding about samples of more than 8 bits, and their depth in derivatives. */
export function depthFinding({ header, file, settings: { policy } }: DiagnosisFacts): Finding | undefined {
  if (header?.depth !== 16) return undefined;
  const float = file?.sampleFormat === "floating point";
  const range = policy.window
    ? `the range between percentiles ${policy.window.low} and ${policy.window.high} of its values is shown`
    : float
      ? "values from 0 to 1 are shown"
      : "the whole range of their type is shown";
  return {
    level: "note",
    code: "depth",
    text:
      policy.depth === "source"
        ? `Samples have more than 8 bits. PNG and TIFF responses keep 16, all others have 8.`
        : `Samples have more than 8 bits and become 8; ${range}.`,
    advice: `${policy.depth === "source" ? "" : "image.depth: source keeps 16 bits in PNG and TIFF responses. "}If the picture looks dark or flat, image.window stretches its own range.`,
  };
}

/** Returns a finding about light that ordinary displays do not show. */
export function lightFinding({ header }: DiagnosisFacts): Finding | undefined {
  if (header?.hdr)
    return {
      level: "note",
      code: "hdr",
      text: "HDR master, SDR derivative: light up to 88 cd/m2 is shown as it is, and highlights up to 1,000 cd/m2 below white.",
    };
  if (!header?.gainMap) return undefined;
  return {
    level: "note",
    code: "gain_map",
    text: "The gain map of the file is ignored: derivatives show its base image.",
  };
}

export function transparencyFinding({ header, settings: { policy } }: DiagnosisFacts): Finding | undefined {
  const colours = header && { gray: 1, rgb: 3, ycc: 3, cmyk: 4, lab: 3 }[header.interpretation];
  if (!header || !colours || header.bands <= colours) return undefined;
  const background = `#${policy.background.map((level) => level.toString(16).padStart(2, "0")).join("")}`;
  return {
    level: "note",
    code: "transparency",
    text: `The picture has transparent pixels. JPEG responses show the background ${background} there; PNG and WebP responses stay transparent.`,
    advice: "image.background sets the colour.",
  };
}

/** Returns a finding if an embedded profile is ignored. */
export function ignoredProfileFinding(known: DiagnosisFacts): Finding | undefined {
  const ignored = known.header?.colour?.ignored;
  if (ignored === undefined) return undefined;
  return {
    level: "problem",
    code: "profile_ignored",
    text: `The embedded colour profile is not used: ${ignored}. Colours: ${profileUse(known)}.`,
    advice: "Embed the right profile, which is PROFILE.icc here, or take this one out.",
    command: `${embedProfile}\n${dropProfile}`,
  };
}

/** Returns a finding if a CMYK image has no usable profile, so that its colours are a guess. */
export function inksFinding({ header }: DiagnosisFacts): Finding | undefined {
  if (header?.interpretation !== "cmyk" || (header.colour && header.colour.ignored === undefined))
    return undefined;
  return {
    level: "note",
    code: "cmyk_without_profile",
    text: "The picture is CMYK without a usable profile: colours are converted as SWOP inks on coated paper, which may not be the intended ones.",
    advice: "Embed the profile of the press that the file was made for, which is PROFILE.icc here.",
    command: embedProfile,
  };
}

/** Returns a finding that describes the handling of colours, if nothing is wrong with it. */
export function colourFinding(known: DiagnosisFacts): Finding | undefined {
  const { header, profile } = known;
  if (!header || header.unsupported || header.colour?.ignored !== undefined) return undefined;
  if (header.interpretation === "cmyk" && !header.colour) return undefined;
  const from = profile?.description ?? (header.colour ? "the colours that the file names" : undefined);
  return {
    level: "good",
    code: "colour",
    text: from
      ? `Colours are those of ${from}. How they are used: ${profileUse(known)}.`
      : `The file does not define its colours. How they are used: ${profileUse(known)}.`,
  };
}

export function orientationFinding({ header, settings: { policy } }: DiagnosisFacts): Finding | undefined {
  if (!header || header.orientation === 1) return undefined;
  const turned = policy.metadata !== "preserve";
  return {
    level: "note",
    code: "orientation",
    text: turned
      ? `The file has the orientation tag ${header.orientation}: responses show it upright, and the sizes of image information are the upright ones.`
      : `The file has the orientation tag ${header.orientation}. Responses keep the stored pixels and contain the tag, because image.metadata is preserve; viewers of tiles show it as stored.`,
    ...(turned
      ? {}
      : { advice: "If tiles should be upright, rotate the file itself, or set image.metadata to strip." }),
  };
}

export function metadataFinding({ metadata, settings: { policy } }: DiagnosisFacts): Finding | undefined {
  const kinds = Object.keys(metadata ?? {}).filter((kind) => kind !== "icc");
  if (kinds.length === 0) return undefined;
  const names = kinds.map((kind) => kind.toUpperCase()).join(", ");
  return policy.metadata === "preserve"
    ? {
        level: "note",
        code: "metadata",
        text: `Responses carry ${names} of the file, which may contain places and names.`,
      }
    : {
        level: "good",
        code: "metadata",
        text: `${names} of the file ${kinds.length > 1 ? "are" : "is"} left out of responses (image.metadata: strip).`,
      };
}
