// Findings about cost: whether tiles are fast to serve, and if not, which property of the file is the reason.

import type { Finding } from "../../../base/index.ts";
import { maxCheapMs, msText, pixelsText, sizeText } from "../../../server/index.ts";
import type { Cost } from "../costs.ts";
import type { DiagnosisFacts } from "../known.ts";
import { toHuffman, toJpegPyramid, toPyramid, toWarm } from "./commands.ts";
import { isDamaged } from "./picture.ts";

type Tile = Cost & Required<Pick<Cost, "expected">>;

const tilesOf = ({ costs = [] }: DiagnosisFacts): readonly Tile[] =>
  costs.filter((cost): cost is Tile => cost.what === "tile" && cost.expected !== undefined);

/** A reason why tiles of a file are slow; the first row that applies is shown. */
interface Reason {
  readonly code: string;
  readonly applies: (known: DiagnosisFacts, tile: Tile) => boolean;
  readonly text: (known: DiagnosisFacts) => string;
  readonly advice: string;
  readonly command: string;
}

const convertToTiles = "Convert it once to a tiled TIFF with reduced levels, and serve that.";
const isFormat = (format: string) => (known: DiagnosisFacts) => known.header?.format === format;

const reasons: readonly Reason[] = [
  {
    code: "arithmetic_jpeg",
    applies: ({ header, file }) => header?.format === "jpg" && /arithmetic/.test(file?.compression ?? ""),
    text: () => "A JPEG in arithmetic coding is decoded as a whole for every tile.",
    advice: "Re-encode it with Huffman coding, which is lossless.",
    command: toHuffman,
  },
  {
    code: "strips",
    applies: ({ file }, { scale }) => file?.layout === "strips" && scale === 1,
    text: ({ file }) =>
      file?.blocks === 1
        ? "The TIFF is stored in one strip, which is decoded from its beginning for a tile."
        : `The TIFF is stored in strips${file?.block ? ` of ${sizeText(file.block)} pixels` : ""}, each of which has to be decoded for a tile that overlaps it.`,
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
        ? "The TIFF has no reduced levels, so tiles of reduced sizes are made from all pixels under them."
        : "The TIFF has too few reduced levels, so tiles of the smallest sizes are made from many pixels.",
    advice: convertToTiles,
    command: toPyramid,
  },
  {
    code: "png_rows",
    applies: isFormat("png"),
    text: ({ file }) =>
      file?.interlaced
        ? "An interlaced PNG is decoded as a whole for every tile."
        : "The rows of a PNG can only be decoded after all rows above them.",
    advice: convertToTiles,
    command: toPyramid,
  },
  {
    code: "whole_webp",
    applies: isFormat("webp"),
    text: () => "A WebP is decoded as a whole for every tile.",
    advice: convertToTiles,
    command: toJpegPyramid,
  },
  {
    code: "whole_gif",
    applies: isFormat("gif"),
    text: () => "A GIF is decoded as a whole for every tile, and a later frame with all frames before it.",
    advice: convertToTiles,
    command: toPyramid,
  },
  {
    code: "jp2_resolutions",
    applies: isFormat("jp2"),
    text: ({ file }) =>
      (file?.decompositions ?? 0) === 0
        ? "The JPEG 2000 file has no wavelet levels, so tiles of reduced sizes are made from all pixels under them."
        : "A tile of a JPEG 2000 file decodes only the part under it, but each pixel of that is expensive.",
    advice: convertToTiles,
    command: toPyramid,
  },
  {
    code: "progressive_jpeg",
    applies: ({ header, file }) => header?.format === "jpg" && file?.progressive === true,
    text: () => "A progressive JPEG has to be decoded as a whole, since each of its scans covers all of it.",
    advice: convertToTiles,
    command: toJpegPyramid,
  },
  {
    code: "drawn",
    applies: ({ header }) => header?.drawn !== undefined,
    text: () => "The page is drawn, with everything on it that lies under a tile.",
    advice: convertToTiles,
    command: toPyramid,
  },
  {
    code: "jpeg",
    applies: () => true,
    text: () => "A JPEG can only be decoded from its beginning.",
    advice: convertToTiles,
    command: toJpegPyramid,
  },
];

/**
 * Returns a finding for each reason why tiles are slow, with the tiles that it applies to; tiles are slow if
 * they exceed the limit of cheap jobs.
 */
export function speedFindings(known: DiagnosisFacts): Finding[] {
  const tiles = tilesOf(known);
  // Speed does not matter while an image cannot be rendered or part of it is missing; a timeout, however,
  // concerns speed.
  const failure = known.failures.get("measure");
  if (tiles.length === 0 || (failure && failure.kind !== "timeout") || isDamaged(known)) return [];
  const measured = known.measured?.find(({ what }) => what === "tile")?.ms;
  const slow = tiles.filter(({ scale, expected }) =>
    scale === 1 ? Math.min(measured ?? expected.ms, expected.ms) > maxCheapMs : expected.ms > maxCheapMs,
  );
  if (slow.length === 0) return failure ? [] : fastFinding(tiles, measured, firstMs(known) > maxFirstMs);
  const byReason = new Map<Reason, Tile[]>();
  for (const tile of slow) {
    const reason = reasons.find(({ applies }) => applies(known, tile)) as Reason;
    byReason.set(reason, [...(byReason.get(reason) ?? []), tile]);
  }
  const named = new Set<string>();
  return [...byReason].map(([{ code, text, advice, command }, of]) => {
    // A command that helps against several reasons is advised once.
    const isNew = !named.has(command);
    named.add(command);
    return {
      level: "slow",
      code: `slow_${code}`,
      text: `${text(known)} ${expectationText(of)}`,
      ...(isNew && { advice, command }),
    };
  });
}

/**
 * Returns a finding if all tiles are expected to be cheap; empty if a measured one took much longer, which
 * has its own finding.
 */
function fastFinding(tiles: readonly Tile[], measured: number | undefined, isFirstSlow: boolean): Finding[] {
  const slowest = Math.max(...tiles.map(({ expected }) => expected.ms));
  if (measured !== undefined && measured > farOff.leastMs) return [];
  return [
    {
      level: "good",
      code: "fast",
      text: `Tiles are fast to serve${isFirstSlow ? " after the first" : ""}: the slowest is expected to take ${msText(slowest)}.`,
    },
  ];
}

function expectationText(tiles: readonly Tile[]): string {
  const scales = tiles.map(({ scale }) => `1/${scale}`).join(", ");
  const worst = tiles.reduce((a, b) => (b.expected.ms > a.expected.ms ? b : a));
  const decoded = pixelsText(Math.round(worst.expected.decoded));
  return `A tile at ${scales} is expected to take up to ${msText(worst.expected.ms)}, for which ${decoded} ${/^1 /.test(decoded) ? "is" : "are"} decoded.`;
}

const spareTheWait =
  "Let smalti warm build the sidecar before readers come, or convert the file once to a tiled TIFF with reduced levels and serve that, which needs none.";

/** Milliseconds that a reader notices: a first tile that takes longer is slow. */
const maxFirstMs = 1000;

/** Returns the expected milliseconds of a tile that waits for its sidecar: to build it, and to use it. */
const expectedFirstMs = (known: DiagnosisFacts): number =>
  (known.sidecarMs ?? 0) + (tilesOf(known)[0]?.expected.ms ?? 0);

/** Returns the milliseconds of a first tile, which builds the sidecar: as measured, or else as expected. */
const firstMs = (known: DiagnosisFacts): number =>
  known.measured?.find((each) => each.firstMs !== undefined)?.firstMs ??
  (known.sidecar?.state === "absent" || known.sidecar?.state === "building" ? expectedFirstMs(known) : 0);

/** Returns why the tiles of a file depend on a sidecar; undefined if the image has no tiles. */
function reasonOf(known: DiagnosisFacts): Reason | undefined {
  const [tile] = tilesOf(known);
  return tile && reasons.find(({ applies }) => applies(known, tile));
}

/** Returns a finding if the first tile, which builds the sidecar, is slow: its time, the cause and a fix. */
function slowFirstFinding(known: DiagnosisFacts): Finding | undefined {
  const { sidecar, measured = [] } = known;
  const ms = firstMs(known);
  if (ms <= maxFirstMs) return undefined;
  const reason = reasonOf(known);
  const isMeasured = measured.some((each) => each.firstMs !== undefined);
  const cause = reason ? ` ${reason.text(known)}` : "";
  const sidecarText =
    sidecar?.state === "complete"
      ? "The sidecar is in the origin cache now: tiles are fast as long as it is there."
      : "The first requests build the sidecar and leave it in the origin cache, so later ones are fast.";
  return {
    level: "slow",
    code: "slow_first",
    text: `The first request for a tile is slow: ${isMeasured ? `it took ${msText(ms)} here` : `it is expected to take about ${msText(ms)}`}.${cause} ${sidecarText}`,
    advice: spareTheWait,
    command: `${toWarm}\n${reason?.command ?? toPyramid}`,
  };
}

/**
 * Returns a finding about the sidecar: the work that the first tile does before tiles have their expected
 * cost.
 */
export function sidecarFinding(known: DiagnosisFacts): Finding | undefined {
  const { header, sidecar, sidecarMs = 0 } = known;
  if (!header || !sidecar || sidecar.state === "none" || isDamaged(known)) return undefined;
  if (sidecar.state === "unavailable") return noSidecar(sidecar.until !== undefined);
  const slow = slowFirstFinding(known);
  if (slow) return slow;
  const cost = `The first tiles of this image build its sidecar, once, which is expected to take ${msText(sidecarMs)}`;
  if (sidecar.state === "absent")
    return {
      level: "note",
      code: "sidecar_absent",
      text: `${cost}. It is not built yet: later tiles will not pay for it.`,
      advice: "Nothing; smalti warm spares the first reader the wait.",
    };
  const ms = expectedFirstMs(known);
  if (ms <= maxFirstMs)
    return { level: "good", code: "sidecar_built", text: `${cost}. It is built, and tiles use it.` };
  // Operators often ask after the complaint of a reader, whose request has built the sidecar.
  return {
    level: "note",
    code: "sidecar_built",
    text: `This image is fast now because its sidecar is in the origin cache. Unless smalti warm built it, the first reader had to wait for it: that is expected to take about ${msText(ms)}, longer on a busy machine. The next reader will wait again if the entry is evicted or purged.`,
    advice: spareTheWait,
    command: `${toWarm}\n${reasonOf(known)?.command ?? toPyramid}`,
  };
}

/** Returns the finding if there can be no sidecar. `byFile`: true if a build failed because of this file. */
const noSidecar = (byFile: boolean): Finding => ({
  level: "slow",
  code: "sidecar_unavailable",
  text: byFile
    ? "No sidecar can be built from this file, so each tile repeats that work: the file is damaged, or its format has no sidecar."
    : "No sidecar of this image can be stored, so each tile repeats that work: the origin slot is too small for it, or building it would need more than image.memory_budget.",
  advice: byFile
    ? "Compare the file with its original; if both are equal, convert it to a tiled TIFF with reduced levels."
    : "Give the slot origin or image.memory_budget more room, or convert the file to a tiled TIFF with reduced levels.",
  command: toJpegPyramid,
});

/**
 * A measurement is reported if it differs from the estimate by this factor, and the longer of the two is at
 * least this many milliseconds: a cold process itself takes some time.
 */
const farOff = { times: 4, leastMs: 500 } as const;

/** Returns a finding if a render took much longer or shorter than expected. */
export function surpriseFinding({ measured = [], costs = [] }: DiagnosisFacts): Finding | undefined {
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
    text: `Measured now, ${surprises.join("; ")}. The estimates are for lossy photographs: flat pictures are faster, lossless ones may be slower, and a busy machine or source adds to the time.`,
    advice:
      "Measure again. If it is slow again, look at the stages: queue is the machine, read is the source.",
  };
}
