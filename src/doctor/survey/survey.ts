// A survey of a collection: what is damaged, slow or unusual, in groups with examples and advice.

import { type Finding, forEachConcurrently, ServiceError, takeUntil, worstFirst } from "../../base/index.ts";
import {
  type AnnotationFiles,
  besideFaults,
  countWalk,
  createTally,
  type Folder,
  type FolderLocation,
  type Folders,
  identifierOf,
  manifestFileFaults,
  type PageTexts,
  type Progress,
  type RenderParts,
  showsTexts,
  walkImages,
} from "../../server/index.ts";
import { embedProfile, type NameCommands, withNames } from "../image/findings/commands.ts";
import { findingsOf } from "../image/findings/index.ts";
import type { DiagnosisFacts } from "../image/known.ts";
import { lookAt } from "../image/look.ts";
import { TextSurvey } from "./texts.ts";

export interface SurveyOptions {
  /** Identifiers of images and folders; if empty, everything that the sources list. */
  readonly selection: readonly string[];
  /** Files after which the survey stops; absent: none. */
  readonly limit?: number | undefined;
  /** Files that are looked at simultaneously. */
  readonly concurrency: number;
  /** True to render a tile of each image, and the whole image if that is cheap. */
  readonly measures: boolean;
  /** Names in the commands of findings. */
  readonly nameCommands: NameCommands;
  readonly signal: AbortSignal;
  /** Called after each file. */
  readonly onProgress?: (progress: Progress) => void;
}

/** Files with the same finding, which is that of the first example. */
export interface SurveyGroup extends Finding {
  readonly files: number;
  /** Identifiers of the first files. */
  readonly examples: readonly string[];
}

export interface SurveyReport {
  readonly files: number;
  /** Files with at least one finding of level `problem`. */
  readonly problems: number;
  /** Files that are slow, and have no problem. */
  readonly slow: number;
  /** Files by format; those that are no images are under "none". */
  readonly formats: Readonly<Record<string, number>>;
  readonly megapixels: number;
  /** The most severe first, then by number of files. */
  readonly groups: readonly SurveyGroup[];
  /** The images whose slowest tile is expected to cost most, in milliseconds of processor time. */
  readonly slowestTiles: readonly { readonly identifier: string; readonly ms: number }[];
  /** Folders that could not be listed. */
  readonly unlisted: readonly Finding[];
  /** Mistakes in manifest files: the first thousand. */
  readonly manifestFaults: readonly Finding[];
  /** Number of all mistakes in manifest files. */
  readonly manifestFaultCount: number;
  readonly seconds: number;
  /** True if the limit ended it. */
  readonly limited: boolean;
  readonly interrupted: boolean;
}

/** Examples of each group; a program gets as many as a person can look at. */
const maxExamples = 20;
const maxSlow = 10;
/** Mistakes in manifest files that a report has. */
const maxFaults = 1000;

/** Findings that say nothing about a file itself. */
const omitted: ReadonlySet<string> = new Set([
  "sidecar_absent",
  "sidecar_built",
  "access",
  "not_as_expected",
]);

/**
 * Looks at the selected images like the image doctor, and groups what it finds. Reads headers and metadata
 * only, unless `measures` is set. Errors of files are findings, and an abort ends it early; it throws
 * neither.
 */
export async function survey(
  {
    images,
    folders,
    manifests,
    texts,
    annotationFiles,
    config,
  }: {
    readonly images: RenderParts;
    readonly folders: Folders;
    readonly manifests?: object | undefined;
    readonly texts: PageTexts;
    readonly annotationFiles: AnnotationFiles;
    config(): { readonly presentation: { readonly texts: boolean } };
  },
  options: SurveyOptions,
): Promise<SurveyReport> {
  const { selection, limit = Number.POSITIVE_INFINITY, concurrency, measures, nameCommands } = options;
  const { signal, onProgress } = options;
  const began = performance.now();
  const tally = createTally();
  const walked = { sources: images.sources, folders };
  const groups = new Map<string, { -readonly [K in keyof SurveyGroup]: SurveyGroup[K] }>();
  const formats: Record<string, number> = {};
  const slowest: { identifier: string; ms: number }[] = [];
  let [problems, slow, pixels] = [0, 0, 0];
  const counting = countWalk(walked, { selection, signal }, limit);

  const hasTexts = manifests && showsTexts({ images, options: config().presentation });
  const textSurvey = new TextSurvey({ sources: images.sources, folders, texts, signal });

  const note = (known: DiagnosisFacts, ofText: readonly Finding[]) => {
    const { header, costs = [], identifier } = known;
    const format = header?.format ?? "none";
    formats[format] = (formats[format] ?? 0) + 1;
    if (header) pixels += header.width * header.height;
    const ms = Math.max(
      0,
      ...costs.flatMap(({ what, expected }) => (what === "tile" && expected ? [expected.ms] : [])),
    );
    if (ms > 0) {
      slowest.push({ identifier, ms: Math.round(ms) });
      slowest.sort((one, other) => other.ms - one.ms).splice(maxSlow);
    }
    const found = [...findingsOf(known), ...surveyFindings(known), ...ofText].filter(isNotable);
    if (found.some(({ level }) => level === "problem")) problems++;
    else if (found.some(({ level }) => level === "slow")) slow++;
    for (const finding of found) addTo(groups, identifier, withNames(finding, known.master, nameCommands));
  };

  const faults: Finding[] = [];
  let faultCount = 0;
  const noteFaults = (found: readonly Finding[]) => {
    faultCount += found.length;
    faults.push(...found.slice(0, maxFaults - faults.length));
  };
  const annotated: (readonly [FolderLocation, Folder])[] = [];
  const visited: FolderLocation[] = [];
  const onFolder = (location: FolderLocation, folder: Folder) => {
    if (location.source.findingsOf) visited.push(location);
    // Without the Presentation API nothing reads manifest files.
    if (hasTexts) textSurvey.enter(location, folder);
    const found = manifests ? manifestFileFaults(images.sources, location, folder) : [];
    noteFaults(found);
    if (manifests && (folder.listing.annotations.length > 0 || folder.mets?.fault))
      annotated.push([location, folder]);
  };

  let taken = 0;
  try {
    const identifiers = walkImages(walked, { selection, signal, onUnlisted: tally.fail, onFolder });
    await forEachConcurrently(
      takeUntil(identifiers, () => ++taken >= limit),
      concurrency,
      async (identifier) => {
        await tally.take(identifier, async () => {
          const known = await lookAt(images, identifier, { measures, limitMs, signal });
          note(known, await textSurvey.findingsOf(known));
        });
        onProgress?.({ done: tally.done(), failed: problems, ...counting.total() });
      },
    );
    for (const location of visited) {
      // If it cannot be read any more, the walk has listed it while it could.
      const found = (await location.source.findingsOf?.(location.key).catch(() => [])) ?? [];
      if (found.some(({ level }) => level === "problem")) problems++;
      for (const finding of found) addTo(groups, identifierOf(location), finding);
    }
    for (const [location, folder] of annotated)
      for await (const fault of besideFaults(annotationFiles, location, folder)) {
        noteFaults([fault]);
        if (signal.aborted) break;
      }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== "cancelled") throw error;
  }
  await counting.ended;
  return {
    files: tally.done(),
    problems,
    slow,
    formats,
    megapixels: Math.round(pixels / 1e6),
    groups: worstFirst([...groups.values()].sort((a, b) => b.files - a.files)),
    slowestTiles: slowest,
    unlisted: tally.failures,
    manifestFaults: faults,
    manifestFaultCount: faultCount,
    seconds: Math.round(performance.now() - began) / 1000,
    limited: taken >= limit,
    interrupted: signal.aborted,
  };
}

/** Milliseconds for one image. */
const limitMs = 60_000;

const isNotable = ({ level, code = "" }: Finding) => level !== "good" && !omitted.has(code);

function addTo(
  groups: Map<string, { -readonly [K in keyof SurveyGroup]: SurveyGroup[K] }>,
  identifier: string,
  { level, code = "", text, advice, command }: Finding,
): void {
  const group = groups.get(code);
  if (!group) {
    const more = { ...(advice !== undefined && { advice }), ...(command !== undefined && { command }) };
    groups.set(code, { level, code, files: 1, text, ...more, examples: [identifier] });
    return;
  }
  group.files++;
  if (group.examples.length < maxExamples) group.examples = [...group.examples, identifier];
}

/** Yields findings that are normal for one image, but worth knowing of a collection. */
function* surveyFindings({ header }: DiagnosisFacts): Iterable<Finding> {
  if (!header || header.unsupported) return;
  const hasProfile = header.colour !== undefined;
  if (hasProfile && header.interpretation === "cmyk")
    yield { level: "note", code: "cmyk", text: "The picture is CMYK: responses are converted to sRGB." };
  if (!hasProfile && header.interpretation === "rgb")
    yield {
      level: "note",
      code: "no_profile",
      text: "The file has no colour profile, so its colours are taken for sRGB.",
      advice: "If it was scanned in another colour space, embed its profile, which is PROFILE.icc here.",
      command: embedProfile,
    };
}
