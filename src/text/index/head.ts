// The head of a segment: what it holds, and where. It is written last, so that a segment with a head is
// whole.

import { crc32 } from "../../base/index.ts";
import { blockBytes, type FileDirectory, type FileKind, fileKinds, formatVersion } from "./block-files.ts";
import { rulesVersion } from "./fold.ts";
import { LostBlock } from "./lost-block.ts";
import { ByteReader, ByteWriter } from "./varints.ts";

/** What a segment holds. */
export interface SegmentFacts {
  /** Name of the access class of all its pages. */
  readonly className: string;
  readonly pages: number;
  readonly words: number;
  /** Distinct terms. */
  readonly terms: number;
}

/** The first entry of a block of pages. */
export interface PageBlock {
  readonly firstPage: number;
  readonly firstKey: string;
}

export interface Head extends SegmentFacts {
  /** First term of each block of terms, in their order. */
  readonly firstTerms: readonly string[];
  readonly pageBlocks: readonly PageBlock[];
  /** Key of the last page; "" without pages. */
  readonly lastKey: string;
  /** Bytes of the files that are cut into blocks of equal size. */
  readonly lengths: Readonly<Record<StreamKind, number>>;
  readonly files: Readonly<Record<FileKind, FileDirectory>>;
  /** Bytes of the head itself. */
  readonly bytes: number;
}

export type StreamKind = "postings" | "positions" | "words";
const streamKinds: readonly StreamKind[] = ["postings", "positions", "words"];

/** Maximum length of a key that a head may state. */
export const maxKeyLength = 4096;
/** Maximum bytes of a term that a head may state. */
const maxTermBytes = 512;
/** A page takes at least four bytes of a block, which ends after 32 KiB. */
const maxPagesOfBlock = 8192;
const maxCount = 2 ** 32 - 1;

/** Returns the bytes of a head. */
export function encodeHead(head: Omit<Head, "bytes">): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter(1024);
  for (const version of [formatVersion, rulesVersion]) writer.byte(version);
  writer.text(head.className);
  for (const count of [head.pages, head.words, head.terms]) writer.varint(count);
  writer.varint(head.firstTerms.length);
  for (const term of head.firstTerms) writer.text(term);
  writer.varint(head.pageBlocks.length);
  for (const { firstPage, firstKey } of head.pageBlocks) {
    writer.varint(firstPage);
    writer.text(firstKey);
  }
  writer.text(head.lastKey);
  for (const kind of streamKinds) writer.varint(head.lengths[kind]);
  for (const kind of fileKinds) writeDirectory(writer, head.files[kind]);
  writer.uint32(crc32(writer.writtenBytes()));
  return writer.writtenBytes().slice();
}

function writeDirectory(writer: ByteWriter, { checksums, inline }: FileDirectory): void {
  writer.varint(checksums.length);
  for (const checksum of checksums) writer.uint32(checksum);
  writer.varint(inline ? inline.length + 1 : 0);
  if (inline) writer.bytes(inline);
}

/** Returns the head in the bytes of a value; throws LostBlock if they are not one of these versions. */
export function decodeHead(bytes: Uint8Array): Head {
  if (bytes.length < 6) throw new LostBlock();
  const end = bytes.length - 4;
  if (new ByteReader(bytes, end).uint32() !== crc32(bytes.subarray(0, end))) throw new LostBlock();
  const reader = new ByteReader(bytes, 0, end);
  if (reader.byte() !== formatVersion || reader.byte() !== rulesVersion) throw new LostBlock();
  const className = reader.text(maxKeyLength * 3);
  const [pages, words, terms] = [reader.varint(maxCount), reader.varint(), reader.varint(maxCount)];
  const firstTerms = listOf(reader, () => reader.text(maxTermBytes));
  const pageBlocks = listOf(reader, () => ({
    firstPage: reader.varint(maxCount),
    firstKey: reader.text(maxKeyLength * 3),
  }));
  const lastKey = reader.text(maxKeyLength * 3);
  const [postings, positions, wordMaps] = streamKinds.map(() => reader.varint()) as [number, number, number];
  const lengths = { postings, positions, words: wordMaps };
  const files = Object.fromEntries(fileKinds.map((kind) => [kind, readDirectory(reader)])) as Head["files"];
  for (const kind of streamKinds)
    if (blockCount(files[kind]) !== Math.ceil(lengths[kind] / blockBytes)) throw new LostBlock();
  if (blockCount(files.terms) !== firstTerms.length || blockCount(files.pages) !== pageBlocks.length)
    throw new LostBlock();
  checkPages(pageBlocks, pages);
  return {
    ...{ className, pages, words, terms, firstTerms, pageBlocks, lastKey, lengths, files },
    bytes: bytes.length,
  };
}

/** Throws LostBlock unless the blocks of pages follow each other, and can hold all pages. */
function checkPages(blocks: readonly PageBlock[], pages: number): void {
  blocks.forEach(({ firstPage }, index) => {
    const end = blocks[index + 1]?.firstPage ?? pages;
    const isFirst = index > 0 || firstPage === 0;
    if (!isFirst || end <= firstPage || end - firstPage > maxPagesOfBlock) throw new LostBlock();
  });
  if (blocks.length === 0 && pages > 0) throw new LostBlock();
}

/** Returns the number of blocks of a file. */
export const blockCount = ({ checksums, inline }: FileDirectory): number =>
  checksums.length + (inline ? 1 : 0);

/** Reads a list, of which each item takes at least one byte. */
function listOf<T>(reader: ByteReader, item: () => T): T[] {
  return Array.from({ length: reader.varint(reader.left) }, item);
}

function readDirectory(reader: ByteReader): FileDirectory {
  const checksums = Array.from({ length: reader.varint(Math.floor(reader.left / 4)) }, () => reader.uint32());
  const inline = reader.varint(reader.left + 1);
  return { checksums, ...(inline > 0 && { inline: reader.take(inline - 1).slice() }) };
}
