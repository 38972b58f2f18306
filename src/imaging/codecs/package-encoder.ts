// Encoders of packages (@jsquash) whose modules take RGBA, and are loaded by the first job that needs them.

import { ImagingError, type Size } from "../../base/index.ts";
import type { CodecHost } from "./codec.ts";
import { asImagingError, cachedInstance, emscriptenOptions } from "./instance.ts";

/** The used exports of a module. */
interface Module<Options> {
  readonly HEAPU8: Uint8Array;
  encode(rgba: Uint8Array, width: number, height: number, options: Options): Uint8Array | null;
}

/** The package's code around a module. */
type LoadGlue = () => Promise<{ readonly default: (options?: object) => Promise<unknown> }>;

interface PackageEncoderRow {
  readonly module: "avif-encode" | "jxl-encode";
  /** Name of the format for people. */
  readonly title: string;
  readonly loadGlue: LoadGlue;
}

/**
 * Creates a function that encodes RGBA, in bytes as the options of the module say. It throws ImagingError
 * `encode`, and the errors of `loadWasm`.
 */
export function createPackageEncoder<Options>(
  host: CodecHost,
  { module: name, title, loadGlue }: PackageEncoderRow,
): (rgba: Uint8Array, size: Size, options: Options) => Promise<Uint8Array> {
  const withEncoder = cachedInstance<Module<Options>>({
    create: async () => {
      const [{ default: create }, module] = await Promise.all([loadGlue(), host.loadWasm(name)]);
      return (await create({
        ...emscriptenOptions(module),
        locateFile: (file: string) => file, // never fetched; prevents the glue from using import.meta.url
      })) as Module<Options>;
    },
    memory: ({ HEAPU8 }) => HEAPU8.length,
  });
  const failure = `The ${title} encoder failed; ask for a smaller size or another format.`;
  return (rgba, { width, height }, options) =>
    withEncoder((encoder) => {
      let encoded: Uint8Array | null;
      try {
        encoded = encoder.encode(rgba, width, height, options);
      } catch (error) {
        throw asImagingError(error, "encode", failure);
      }
      if (!encoded) throw new ImagingError("encode", failure);
      return encoded;
    });
}
