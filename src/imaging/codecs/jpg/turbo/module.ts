// The TurboJPEG decompressor in WebAssembly: its C interface (turbojpeg.h 2.0) and the few imports that it
// needs.

/** Exports of the module. Pointers are numbers; int results are 0 for success. */
export interface Turbo {
  readonly memory: WebAssembly.Memory;
  malloc(bytes: number): number;
  free(pointer: number): void;
  tjInitDecompress(): number;
  tjDestroy(decompressor: number): number;
  /**
   * Returns -1 also for a warning, or for chroma sampling without a name; width and height are set in that
   * case.
   */
  tjDecompressHeader3(
    decompressor: number,
    jpeg: number,
    jpegLength: number,
    width: number,
    height: number,
    sampling: number,
    colorspace: number,
  ): number;
  /**
   * Scales by the largest factor that fits `width` x `height`. Returns -1 also for a warning (damaged data,
   * shown as gray).
   */
  tjDecompress2(
    decompressor: number,
    jpeg: number,
    jpegLength: number,
    output: number,
    width: number,
    pitch: number,
    height: number,
    pixelFormat: number,
    flags: number,
  ): number;
}

/** TJPF: order of the samples of a pixel. */
export const pixelFormats = { gray: 6, rgb: 0, cmyk: 11 } as const;

/** The flag TJFLAG_ACCURATEDCT. Fancy upsampling is the default. */
export const accurateDct = 4096;

/**
 * Creates an instance. libjpeg reports fatal errors by longjmp; here that throws through the module, which
 * leaves the instance unusable.
 */
export function createTurbo(module: WebAssembly.Module): Turbo {
  const refuse = (name: string) => () => {
    throw new Error(`libjpeg: ${name}`);
  };
  const { exports } = new WebAssembly.Instance(module, {
    env: { setjmp: () => 0, longjmp: refuse("fatal error") },
    wasi_snapshot_preview1: {
      environ_sizes_get: () => 0,
      environ_get: () => 0,
      proc_exit: refuse("exit"),
      fd_close: () => 0,
      fd_seek: () => 0,
      fd_write: () => 0,
    },
  });
  return exports as unknown as Turbo;
}
