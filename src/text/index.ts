// The door of the house: what others may use of it.

export type { FilePage } from "./formats/file-page.ts";
// Readers of files of text.
export type { FileOptions } from "./formats/intake.ts";
export { createMetsReader, type MetsFile, type MetsPage, type MetsReader, readMets } from "./formats/mets.ts";
export {
  type TextBounds,
  type TextErrorCode,
  TextFileError,
  textBounds,
  textErrorCodes,
  tooLargeText,
} from "./formats/text-bounds.ts";
export type { TextFormat } from "./formats/text-formats.ts";
export { createTextReader, readTextFile, type TextFile, type TextReader } from "./formats/text-reader.ts";
// The index of words: segments of pages in blocks of a store.
export { type Completion, type Completions, complete } from "./index/autocomplete.ts";
export type { Blocks } from "./index/block-files.ts";
export { type BuildOptions, buildSegment, type IndexedPage } from "./index/build.ts";
export { type Compound, compoundOf, compoundsOn } from "./index/compounds.ts";
export { rulesVersion } from "./index/fold.ts";
export type { SegmentFacts } from "./index/head.ts";
export type { Lost } from "./index/lost-block.ts";
export type { LinePart, PageHit } from "./index/match.ts";
export { matchFirst, matchHits } from "./index/match-hits.ts";
export { OpenSegments } from "./index/open-segments.ts";
export { type PageQuery, pageQueryOf, type Stemmer } from "./index/page-query.ts";
export { type PlainPhrase, plainPhrasesOf, plainUnitsOf } from "./index/plain-units.ts";
export { parseQuery, type Query, type QueryCut } from "./index/query.ts";
export {
  type Found,
  type PageHits,
  type SearchedSegment,
  type SearchOptions,
  search,
} from "./index/search.ts";
export { type Block, blocksOfSegment, type RecordedPage } from "./index/segment-blocks.ts";
export type { MayRead } from "./index/segment-search.ts";
export type { SegmentInfo } from "./index/segment-writer.ts";
/** The text of one page: lines in reading order, words with boxes. */
export type { Box, Line, PageText, Word } from "./page-text.ts";
// The pages of a file as records.
export {
  decodeRecords,
  encodeRecords,
  type FileRecords,
  pageOfRecords,
  readRecords,
  recordOf,
  soundRecords,
  weightOfRecords,
} from "./record/file-records.ts";
// The record of a page in bytes, as a store keeps it.
export { decodePage, encodePage, recordVersion } from "./record/page-record.ts";
// The text of a page for people.
export { type PlainTextOptions, pageLanguage, plainText } from "./record/plain-text.ts";
// Boxes of a page in pixels of its canvas.
export { boxScaleOf, type PageFit, pageFit, type ScaleOptions, scalePage } from "./record/scale-page.ts";
// The search in an exported site, in files that any web server has.
export { type SiteFile, SiteIndex } from "./site/site-index.ts";
export { clausesOf, type FoundLine, linesWith, OpenSite } from "./site/site-search.ts";
