// JPEG strips and tiles for our own decoder: the forms of those that were seen last, and the decoder's
// instance.

import { ImagingError, memoryBytes } from "../../../../base/index.ts";
import type { CodecHost } from "../../codec.ts";
import { createEngine, type Engine } from "../../jpg/region/index.ts";
import { readTileForm, type TileForm } from "../../jpg/tiles/form.ts";
import { unusableTilesError } from "../../jpg/tiles/tiles.ts";
import { type JpegCoding, jpegColours, wholeStream } from "./jpeg-stream.ts";

export interface JpegTiles {
  engine(): Engine;
  /**
   * Returns the form of a strip or tile; undefined unless one with the same bytes up to the entropy-coded
   * data is known.
   */
  find(data: Uint8Array, coding: JpegCoding): TileForm | undefined;
  /**
   * Reads the form of a strip or tile. Throws ImagingError `decode` or `unsupported` for kinds that our
   * decoder refuses.
   */
  read(data: Uint8Array, coding: JpegCoding): Promise<TileForm>;
  /**
   * Returns the result of `work`; undefined if it throws ImagingError `decode` or `unsupported`, since
   * libjpeg-turbo has the last word on such data.
   */
  orRefused<T>(work: () => Promise<T>): Promise<T | undefined>;
}

interface KnownForm {
  readonly coding: JpegCoding;
  /** Bytes of the tile up to the entropy-coded data. */
  readonly head: Uint8Array;
  readonly form: TileForm;
}

/** Number of forms that are kept; the tables of each take about 100 KB. */
const maxForms = 16;

export function jpegTiles(host: Pick<CodecHost, "wasm">): JpegTiles {
  let cached: Engine | undefined;
  /** Most recently used first. */
  const known: KnownForm[] = [];
  return {
    engine: () => (cached ??= createEngine(host.wasm("jpeg-decode"))),
    find(data, coding) {
      const at = known.findIndex(({ head, coding: other }) => begins(data, head) && isSame(coding, other));
      if (at > 0) known.unshift(...known.splice(at, 1));
      return at < 0 ? undefined : known[0]?.form;
    },
    async read(data, coding) {
      const stream = wholeStream(data, coding);
      const form = await readTileForm(memoryBytes(stream), stream.length - data.length);
      if (form?.frame.components.length !== jpegColours[coding.colour].bands)
        throw unusableTilesError("baseline JPEG of the colours that the file names", "another kind");
      known.unshift({ coding, head: data.slice(0, form.scan.start), form });
      known.length = Math.min(known.length, maxForms);
      return form;
    },
    async orRefused(work) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof ImagingError && (error.kind === "decode" || error.kind === "unsupported"))
          return undefined;
        // the state of an instance is unknown after any other error
        cached = undefined;
        throw error;
      }
    },
  };
}

/** True if two directories say the same about their tiles. */
const isSame = (a: JpegCoding, b: JpegCoding): boolean =>
  a.colour === b.colour && (a.tables === b.tables || isEqual(a.tables ?? none, b.tables ?? none));

const none = new Uint8Array();

const isEqual = (a: Uint8Array, b: Uint8Array) => a.length === b.length && begins(a, b);

function begins(data: Uint8Array, head: Uint8Array): boolean {
  if (data.length < head.length) return false;
  for (let i = 0; i < head.length; i++) if (data[i] !== head[i]) return false;
  return true;
}
