// Opens the stored pictures of a file. What was parsed of the latest ones stays in memory.

import { type ByteSource, createLru, ImagingError } from "../../../base/index.ts";
import { damagedTif } from "../damaged.ts";
import { JPEG } from "./compression/compression.ts";
import { type BlockTable, openBlockTable } from "./directory/block-table.ts";
import {
  type Directory,
  openTiff,
  readDirectory,
  readField,
  readNumber,
  type TiffFile,
} from "./directory/ifd.ts";
import type { Picture } from "./directory/picture.ts";
import { readPicture } from "./directory/read-picture.ts";
import type { Stage } from "./directory/stages.ts";
import { tags } from "./directory/tags.ts";

/** All that decoding needs of a stored picture, apart from its strips and tiles. */
export interface OpenPicture {
  readonly picture: Picture;
  readonly littleEndian: boolean;
  /** T4Options or T6Options. */
  readonly options: number;
  /** JPEGTables, if the compression is JPEG. */
  readonly tables?: Uint8Array | undefined;
  /** ColorMap, if the samples are indices of it. */
  readonly palette?: readonly number[] | undefined;
  readonly blocks: BlockTable;
}

/**
 * Opens the picture of a stage. `version` identifies the bytes of the file: the result stays in memory under
 * it. Throws ImagingError `unsupported` and `decode`.
 */
export type OpenStage = (
  bytes: ByteSource,
  stage: Pick<Stage, "offset">,
  version: string | undefined,
) => Promise<OpenPicture>;

/** Bytes of the pictures that stay in memory. */
const cacheBytes = 8 * 2 ** 20;
/** Estimated bytes of a picture in addition to its tables. */
const pictureBytes = 2048;

/** Creates the function that opens pictures. */
export function createOpening(): OpenStage {
  const cache = createLru<string, OpenPicture>(cacheBytes);
  return async (bytes, { offset }, version) => {
    if (version === undefined) return openPicture(bytes, offset);
    const key = `${version} ${offset}`;
    const known = cache.get(key);
    if (known) return known;
    const opened = await openPicture(bytes, offset);
    cache.set(key, opened, weightOf(opened));
    return opened;
  };
}

const weightOf = ({ blocks, tables, palette }: OpenPicture) =>
  pictureBytes + blocks.weight() + (tables?.length ?? 0) + 8 * (palette?.length ?? 0);

async function openPicture(bytes: ByteSource, offset: number): Promise<OpenPicture> {
  const file = await openTiff(bytes);
  const directory = await readDirectory(file, offset);
  const picture = await readPicture(file, directory);
  if (picture.unsupported) throw new ImagingError("unsupported", picture.unsupported);
  const { compression, photometric } = picture;
  return {
    picture,
    littleEndian: file.littleEndian,
    options: (await readNumber(file, directory, compression === 4 ? tags.T6Options : tags.T4Options)) ?? 0,
    tables: compression === JPEG ? await readTables(file, directory) : undefined,
    palette: photometric === 3 ? await readPalette(file, directory, picture) : undefined,
    blocks: await openBlockTable(file, directory, picture),
  };
}

const MAX_TABLES = 64 * 1024;

async function readTables(file: TiffFile, directory: Directory): Promise<Uint8Array | undefined> {
  const tables = await readField(file, directory, tags.JPEGTables, MAX_TABLES);
  return tables && Uint8Array.from(tables);
}

async function readPalette(file: TiffFile, directory: Directory, picture: Picture): Promise<number[]> {
  const size = 3 * 2 ** picture.bits;
  const colours = await readField(file, directory, tags.ColorMap, 3 * 65536);
  if (colours?.length !== size)
    throw damagedTif(`a colour map of ${size} values`, `${colours?.length ?? "none"}`);
  return colours;
}
