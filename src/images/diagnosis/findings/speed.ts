// Findings about cost: whether tiles are fast to serve, and what of the file is the reason where they are not.

import { mostCheapMs } from "../../admission/lanes.ts";
import type { Cost } from "../costs.ts";
import type { Finding } from "../diagnosis.ts";
import type { Known } from "../known.ts";
import { msText, pixelsText, sizeText } from "../words.ts";
import { toHuffman, toJpegPyramid, toPyramid } from "./commands.ts";

type Tile = Cost & Required<Pick<Cost, "expected">>;

const tilesOf = ({ costs = [] }: Known): readonly Tile[] =>
  costs.filter((cost): cost is Tile => cost.what === "tile" && cost.expected !== undefined);

/** Why tiles of a file are slow; the first row that applies is shown. */
interface Reason {
  readonly code: string;
  readonly applies: (known: Known, tile: Tile) => boolean;
  readonly text: (known: Known) => string;
  readonly advice: string;
  readonly command: string;
}

const convertToTiles = "Convert it once to a tiled TIFF with reduced levels, and serve that.";
const is = (format: string) => (known: Known) => known.header?.format === format;

const reasons: readonly Reason[] = [
  {
    code: "arithmetic_jpeg",
    applies: ({ header, file }) => header?.format === "jpg" && /arithmetic/.test(file?.compression ?? ""),
    text: () => "A JPEG in arithmetic coding is decoded as a whole for every tile.",
    advice: "Code it again with Huffman coding, which loses nothing.",
    command: toHuffman,
  },
  {
    code: "jpeg_without_sidecar",
    applies: ({ header, sidecar }) => header?.format === "jpg" && sidecar?.state === "absent",
    text: () =>
      "The sidecar that lets tiles of this JPEG be read by themselves is not made yet. The first request makes it; later tiles are quick.",
    advice: "Nothing, unless the first visitor must not wait: then ask for a tile beforehand.",
    command: "",
  },
  {
    code: "strips",
    applies: ({ file }, { scale }) => file?.layout === "strips" && scale === 1,
    text: ({ file }) =>
      `The TIFF is stored in strips${file?.block ? ` of ${sizeText(file.block)} pixels` : ""}, each of which has to be decoded for a tile that meets it.`,
    advice: convertToTiles,
    command: toPyramid,
  },
  {
    code: "large_tiles",
    applies: ({ header, file }, { scale }) =>
      header?.format === "tif" && file?.layout === "tiles" && scale === 1,
    text: ({ file }) =>
      `The TIFF has tiles of ${file?.block ? sizeText(file.block) : "many"} pixels, each of which is decoded whole.`,
    advice: "Convert it with tiles of 256 × 256 pixels.",
    command: toPyramid,
  },
  {
    code: "no_levels",
    applies: ({ header }) => header?.format === "tif",
    text: ({ file }) =>
      (file?.levels?.length ?? 0) === 0
        ? "The TIFF has no reduced levels, so that tiles of reduced sizes are made from all pixels under them."
        : "The reduced levels of the TIFF do not reach far enough, so that tiles of the smallest sizes are made from many pixels.",
    advice: convertToTiles,
    command: toPyramid,
  },
  {
    code: "png_rows",
    applies: is("png"),
    text: ({ file }) =>
      file?.interlaced
        ? "An interlaced PNG is decoded as a whole for every tile."
        : "The rows of a PNG can only be decoded after all rows above them.",
    advice: convertToTiles,
    command: toPyramid,
  },
  {
    code: "whole_webp",
    applies: is("webp"),
    text: () => "A WebP is decoded as a whole for every tile.",
    advice: convertToTiles,
    command: toJpegPyramid,
  },
  {
    code: "whole_gif",
    applies: is("gif"),
    text: () => "A GIF is decoded as a whole for every tile, and a later frame with all frames before it.",
    advice: convertToTiles,
    command: toPyramid,
  },
  {
    code: "jp2_resolutions",
    applies: is("jp2"),
    text: () => "Of a JPEG 2000 file the whole picture at the resolution of a tile is decoded.",
    advice: convertToTiles,
    command: toPyramid,
  },
  {
    code: "jpeg",
    applies: () => true,
    text: () => "A tile needs more pixels of the file than it shows.",
    advice: convertToTiles,
    command: toJpegPyramid,
  },
];

/** Tiles that take longer than cheap work may, for each reason those of which it is the reason. */
export function speedFindings(known: Known): Finding[] {
  const tiles = tilesOf(known);
  // Of a picture that cannot be made nobody asks how fast it is.
  if (tiles.length === 0 || known.failures.has("measure")) return [];
  const measured = known.measured?.find(({ what }) => what === "tile")?.ms;
  const slow = tiles.filter(({ scale, expected }) =>
    scale === 1 ? Math.min(measured ?? expected.ms, expected.ms) > mostCheapMs : expected.ms > mostCheapMs,
  );
  const dearest = Math.max(...tiles.map(({ expected }) => expected.ms));
  // What took long against expectations is said by itself.
  if (slow.length === 0 && measured !== undefined && measured > mostCheapMs) return [];
  if (slow.length === 0)
    return [
      {
        level: "good",
        code: "fast",
        text: `Tiles are fast to serve: the dearest is expected to take ${msText(dearest)}.`,
      },
    ];
  const byReason = new Map<Reason, Tile[]>();
  for (const tile of slow) {
    const reason = reasons.find(({ applies }) => applies(known, tile)) as Reason;
    byReason.set(reason, [...(byReason.get(reason) ?? []), tile]);
  }
  const told = new Set<string>();
  return [...byReason].map(([{ code, text, advice, command }, of]) => {
    // What helps against several reasons is said once.
    const isNew = !told.has(command);
    told.add(command);
    return {
      level: code === "jpeg_without_sidecar" ? "note" : "slow",
      code: `slow_${code}`,
      text: `${text(known)} ${expectationText(of)}`,
      ...(isNew && { advice, ...(command !== "" && { command }) }),
    };
  });
}

function expectationText(tiles: readonly Tile[]): string {
  const scales = tiles.map(({ scale }) => `1/${scale}`).join(", ");
  const worst = tiles.reduce((a, b) => (b.expected.ms > a.expected.ms ? b : a));
  return `A tile at ${scales} is expected to take up to ${msText(worst.expected.ms)}, for which ${pixelsText(Math.round(worst.expected.decoded))} are decoded.`;
}

/** What the first request has to do before tiles are cheap. */
export function sidecarFinding({
  header,
  sidecar,
  sidecarMs = 0,
  measured = [],
}: Known): Finding | undefined {
  if (!header || !sidecar) return undefined;
  if (measured.some(({ incomplete }) => incomplete)) return undefined;
  if (sidecar.state === "absent")
    return {
      level: "note",
      code: "sidecar_absent",
      text: `The sidecar of this image is not made yet. The first request makes it, which is expected to take ${msText(sidecarMs)}.`,
    };
  if (sidecar.state !== "unavailable") return undefined;
  return {
    level: "slow",
    code: "sidecar_unavailable",
    text: "No sidecar of this image can be kept, so that each tile does its work again: the file is damaged or of a kind without one, the origin slot is too small for it, or making it would need more than image.memory_budget.",
    advice: "Give the slot origin more room, or convert the file to a tiled TIFF with reduced levels.",
    command: toJpegPyramid,
  };
}

/** How many times longer or shorter than expected is worth a word, and from how many milliseconds on. */
const farOff = { times: 4, leastMs: mostCheapMs } as const;

/** A render that took much longer or shorter than expected. */
export function surpriseFinding({ measured = [], costs = [] }: Known): Finding | undefined {
  const surprises = measured.flatMap(({ what, ms }) => {
    const expected = costs.find((cost) => cost.what === what)?.expected?.ms;
    if (expected === undefined || Math.max(ms, expected) < farOff.leastMs) return [];
    const isFar = Math.max(ms / expected, expected / ms) > farOff.times;
    const name = what === "whole" ? "full/max" : "a tile at 1/1";
    return isFar ? [`${name} took ${msText(ms)} and was expected to take ${msText(expected)}`] : [];
  });
  if (surprises.length === 0) return undefined;
  return {
    level: "note",
    code: "not_as_expected",
    text: `Measured now, ${surprises.join("; ")}. Expectations are for lossy photographs: flat pictures are quicker, lossless ones may be slower, and a busy machine or source adds its own time.`,
    advice:
      "Measure again. Where it takes longer than expected once more, look at the stages: queue is the machine, read is the source.",
  };
}
