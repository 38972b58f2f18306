// The manifests of a service, and the folders that they are made of, built once from its parts.

import { type Env, type KeepAlive, type Log, parseDuration } from "../../base/index.ts";
import type { Auth } from "../access/auth.ts";
import type { LookParts } from "../images/look.ts";
import type { SourceOptions } from "../sources/options.ts";
import type { Slot } from "../stores/slot.ts";
import { Changes } from "./changes/changes.ts";
import { type ObserveParts, Observer } from "./changes/observe.ts";
import type { AnnotationFiles } from "./folders/annotation-files.ts";
import { Folders, type FoldersParts } from "./folders/folders.ts";
import { createManifestFileLog } from "./folders/manifest-file-log.ts";
import type { ReadYaml } from "./folders/manifest-file-text.ts";
import { createManifests, hasUnknownIdentifiers, type Manifests } from "./manifests.ts";
import type { PresentationOptions } from "./options.ts";
import { createSearch, type Search, type SearchParts } from "./search/search.ts";
import { openSearchWords } from "./source-texts/opensearch/opensearch-words.ts";
import type { SearchOptions } from "./source-texts/opensearch/options.ts";
import { SourceTextIndex, type SourceTextIndexParts } from "./source-texts/source-text-index.ts";
import {
  createSourceTexts,
  type SourceTextSearchParts,
  type SourceTexts,
} from "./source-texts/source-text-search.ts";
import { slotWords } from "./source-texts/word-index.ts";
import { showsTexts } from "./texts/folder-texts.ts";
import type { PageTexts } from "./texts/page-texts.ts";
import type { TextIndex } from "./texts/text-index.ts";

export interface FolderParts {
  readonly readYaml: ReadYaml;
  readonly info: Slot;
  /** The options under `sources:`. */
  readonly sources: readonly SourceOptions[];
  readonly keepAlive?: KeepAlive | undefined;
}

/** Defaults for sources without options: the bundled sample. */
const usualTimes = { revalidateMs: 60_000, staleMs: 0 };

/** The folders of the sources. */
export function buildFolders({ info, readYaml, sources, keepAlive }: FolderParts): Folders {
  return new Folders({ info, readYaml, times: timesOf(sources), keepAlive });
}

export interface BuiltSearchParts extends Omit<SearchParts, "revalidateMs"> {
  /** The options under `sources:`. */
  readonly options: readonly SourceOptions[];
}

/** The search in them. */
export function buildSearch({ options, ...parts }: BuiltSearchParts): Search {
  const times = timesOf(options);
  return createSearch({ ...parts, revalidateMs: (source) => times(source).revalidateMs });
}

export interface BuiltSourceTextsParts
  extends Omit<SourceTextIndexParts, "revalidateMs" | "words">,
    Omit<SourceTextSearchParts, "index" | "texts" | "images" | "words"> {
  readonly texts: PageTexts;
  readonly index: TextIndex;
  readonly slot: Slot;
  readonly env: Env;
  /** The options under `search:`. */
  readonly searchOptions: SearchOptions;
  readonly options: PresentationOptions;
  /** The options under `sources:`. */
  readonly sourceOptions: readonly SourceOptions[];
}

/**
 * The search in their texts; undefined if there are none, and if no cache can hold its index. Throws an Error
 * if the secret of the search engine is not set.
 */
export function buildSourceTexts({
  sourceOptions,
  searchOptions,
  env,
  index: ownIndex,
  slot,
  ...parts
}: BuiltSourceTextsParts): SourceTexts | undefined {
  if (!showsTexts(parts)) return undefined;
  const isOwn = searchOptions.backend === "own";
  if (isOwn && slot.maxBytes() === 0) return undefined;
  const words = isOwn
    ? slotWords({ index: ownIndex, slot })
    : openSearchWords(searchOptions, { env, log: parts.log });
  const times = timesOf(sourceOptions);
  const revalidateMs: SourceTextIndexParts["revalidateMs"] = (source) => times(source).revalidateMs;
  const index = new SourceTextIndex({ ...parts, words, revalidateMs });
  return createSourceTexts({ ...parts, index, words });
}

/** Returns the validity of cached facts by source name. */
function timesOf(options: readonly SourceOptions[]): FoldersParts["times"] {
  const times = new Map(
    options.map((source) => [
      source.name,
      {
        revalidateMs: parseDuration(source.revalidate),
        staleMs: "stale_if_error" in source ? parseDuration(source.stale_if_error) : 0,
      },
    ]),
  );
  return ({ name }) => times.get(name) ?? usualTimes;
}

export interface ServiceParts {
  readonly images: LookParts;
  readonly auth?: Auth | undefined;
  readonly folders: Folders;
  readonly options: PresentationOptions;
  readonly texts: PageTexts;
  readonly annotationFiles: AnnotationFiles;
  /** Further paths of the Image API. */
  readonly aliases: readonly string[];
  readonly log: Log;
}

export interface BuiltChangesParts extends Omit<ObserveParts, "images"> {
  readonly images: LookParts;
  readonly slot: Slot;
  readonly options: PresentationOptions;
  readonly log: Log;
}

/**
 * Builds the stream of changes to manifests; undefined if it is disabled, or if a hook decides which
 * identifiers exist, so that no listing knows them.
 */
export function buildChanges({ slot, options, log, ...parts }: BuiltChangesParts): Changes | undefined {
  const { enabled, interval } = options.changes;
  if (!enabled || !slot.lasting) return undefined;
  if (hasUnknownIdentifiers({ ...parts, options })) {
    log.warn(
      "there is no stream of changes, since a hook decides which identifiers exist; set presentation.derive to always, or presentation.changes.enabled to false",
    );
    return undefined;
  }
  const observer = new Observer(parts);
  const observe = (signal: AbortSignal) => observer.observe(signal);
  return new Changes({ slot, observe, intervalMs: parseDuration(interval), log });
}

/** Builds the manifests; undefined if the Presentation API is disabled. */
export function buildManifests({
  images,
  auth,
  folders,
  options,
  texts,
  annotationFiles,
  aliases,
  log,
}: ServiceParts): Manifests | undefined {
  if (!options.enabled) return undefined;
  const manifestFiles = createManifestFileLog(log, options.allowed_origins);
  const { sources } = images;
  const files = { manifestFiles, texts, annotationFiles };
  return createManifests({ images, auth, sources, folders, options, ...files, aliases });
}
