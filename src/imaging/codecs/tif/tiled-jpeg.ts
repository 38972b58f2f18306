// A stored level of JPEG strips or tiles as one image.

import type { ByteSource } from "../../../base/index.ts";
import type { Rectangle } from "../image-header.ts";
import type { McuRange } from "../jpg/region/geometry.ts";
import type { Engine } from "../jpg/region/index.ts";
import { type Form, formOfImage, hasSameComponents, mcuSize, type TileForm } from "../jpg/tiles/form.ts";
import { type Tile, type TiledJpeg, unusableTilesError } from "../jpg/tiles/tiles.ts";
import { withRanges } from "../ranges.ts";
import { type Block, blocksOf } from "./blocks.ts";
import { JPEG } from "./compression/compression.ts";
import type { JpegCoding } from "./compression/jpeg-stream.ts";
import type { JpegTiles } from "./compression/jpeg-tiles.ts";
import type { Picture } from "./directory/picture.ts";
import type { OpenPicture } from "./opening.ts";
import { jpegColour } from "./parts.ts";

/** Largest strip or tile in pixels: all of it is read, and walked from its top, for any region. */
const maxPixels = 1024 * 1024;
/** Maximum stored bytes of a region. */
export const maxBytes = 8 << 20;
/** Gap in bytes for a source that names none. */
const diskGap = 1024;

/** Sets of tables that tiles of a region may have: each takes about 100 KB as tables to decode with. */
const maxForms = 16;

/** What is the same for all regions of a level. */
interface Level {
  readonly coding: JpegCoding;
  /** Form of the whole image, after that of its first tile. */
  readonly form: Form;
}

const levels = new WeakMap<OpenPicture, Promise<Level | undefined>>();

/**
 * Returns a stored picture as an image of JPEG tiles; undefined for other pictures. Throws ImagingError
 * `decode`.
 */
export async function tiledJpegOf(
  bytes: ByteSource,
  opened: OpenPicture,
  tiles: JpegTiles,
): Promise<TiledJpeg | undefined> {
  if (!isSuitable(opened.picture)) return undefined;
  let level = levels.get(opened);
  if (!level) {
    level = openLevel(bytes, opened, tiles);
    levels.set(opened, level);
    level.catch(() => levels.delete(opened));
  }
  const known = await level;
  return known && new LevelTiles(bytes, opened, known, tiles);
}

const isSuitable = (picture: Picture): boolean =>
  picture.compression === JPEG &&
  !picture.planar &&
  picture.samples === (picture.photometric === 1 ? 1 : 3) &&
  [1, 2, 6].includes(picture.photometric) &&
  hasSmallBlocks(picture);

/** True if strips or tiles are small enough to be read as an image of JPEG tiles. */
export const hasSmallBlocks = ({
  blockWidth,
  blockHeight,
}: Pick<Picture, "blockWidth" | "blockHeight">): boolean => blockWidth * blockHeight <= maxPixels;

/** Reads the first stored tile of the first row, which decides for all others. */
async function openLevel(
  bytes: ByteSource,
  opened: OpenPicture,
  tiles: JpegTiles,
): Promise<Level | undefined> {
  const { picture, tables } = opened;
  const { width, height, blockWidth, blockHeight } = picture;
  const coding = { colour: jpegColour(picture), tables };
  const row = await blocksOf(bytes, opened, { x: 0, y: 0, width, height: 1 }, 0);
  const first = [...row].find(({ isBlank }) => !isBlank);
  if (!first) return undefined;
  const data = await bytes.read(first.offset, first.bytes);
  const form = tiles.find(data, coding) ?? (await tiles.read(data, coding));
  const mcu = mcuSize(form);
  const isOnGrid =
    (blockWidth >= width || blockWidth % mcu.width === 0) &&
    (blockHeight >= height || blockHeight % mcu.height === 0);
  return isOnGrid ? { coding, form: formOfImage(form, width, height) } : undefined;
}

/** The tiles of a level, read by region. */
class LevelTiles implements TiledJpeg {
  readonly engine: Engine;
  readonly form: Form;
  readonly rowsOfTile: number;
  readonly #bytes: ByteSource;
  readonly #opened: OpenPicture;
  readonly #level: Level;
  readonly #tiles: JpegTiles;

  constructor(bytes: ByteSource, opened: OpenPicture, level: Level, tiles: JpegTiles) {
    this.engine = tiles.engine();
    this.form = level.form;
    this.rowsOfTile = Math.ceil(opened.picture.blockHeight / mcuSize(level.form).height);
    this.#bytes = bytes;
    this.#opened = opened;
    this.#level = level;
    this.#tiles = tiles;
  }

  async withTiles<T>(mcus: McuRange, use: (tiles: readonly Tile[]) => T): Promise<T> {
    const bytes = this.#bytes;
    const region = regionOf(mcus, this.form, this.#opened.picture);
    const blocks = [...(await blocksOf(bytes, this.#opened, region, 0))];
    if (blocks.some(({ isBlank }) => isBlank))
      throw unusableTilesError("stored strips or tiles", "blank ones");
    const stored = blocks.reduce((sum, block) => sum + block.bytes, 0);
    if (stored > maxBytes) throw unusableTilesError(`at most ${maxBytes} bytes of JPEG`, `${stored}`);
    const ranges = blocks.map(({ offset, bytes: length }) => ({ offset, length }));
    const source = {
      read: (offset: number, length: number) => bytes.read(offset, length),
      borrow: bytes.borrow,
      gap: bytes.gap ?? diskGap,
    };
    const forms = new Map<Block, TileForm>();
    for (;;) {
      const unknown = new Map<Block, Uint8Array>();
      const made = await withRanges(ranges, source, (read) => {
        const found = blocks.flatMap((block) => {
          const data = read.bytesOf({ offset: block.offset, length: block.bytes });
          const form = forms.get(block) ?? this.#tiles.find(data, this.#level.coding);
          if (!form) unknown.set(block, data.slice());
          return form ? [this.#tileOf(block, data, form)] : [];
        });
        return unknown.size > 0 ? undefined : { used: use(found) };
      });
      if (made) return made.used;
      for (const [block, data] of unknown) {
        const { coding } = this.#level;
        forms.set(block, this.#tiles.find(data, coding) ?? (await this.#tiles.read(data, coding)));
        if (new Set(forms.values()).size > maxForms)
          throw unusableTilesError(`at most ${maxForms} sets of JPEG tables in a region`, "more");
      }
    }
  }

  #tileOf({ x, y, allRows }: Block, data: Uint8Array, form: TileForm): Tile {
    const { blockWidth, blockHeight, height } = this.#opened.picture;
    const { frame } = form;
    const isSized =
      frame.width === blockWidth &&
      frame.height >= Math.min(allRows, height - y) &&
      frame.height <= blockHeight;
    if (!isSized || !hasSameComponents(form, this.form))
      throw unusableTilesError("JPEG strips or tiles of one size and sampling", "others");
    const mcu = mcuSize(form);
    return { form, data, left: x / mcu.width, top: y / mcu.height };
  }
}

/** Returns the pixels of some MCUs that are inside of the picture. */
function regionOf({ left, right, top, bottom }: McuRange, form: Form, picture: Picture): Rectangle {
  const mcu = mcuSize(form);
  const [x, y] = [left * mcu.width, top * mcu.height];
  return {
    x,
    y,
    width: Math.min(right * mcu.width, picture.width) - x,
    height: Math.min(bottom * mcu.height, picture.height) - y,
  };
}
