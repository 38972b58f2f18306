// What codecs on the calling thread need of a platform.

import type { Platform } from "../../base/index.ts";
import type { CodecHost } from "../../imaging/index.ts";

export type CodecPlatform = Pick<Platform, "wasm" | "loadWasm" | "deflate" | "zlib">;

/** Returns the host of codecs that run on the calling thread. */
export const codecHost = (
  platform: CodecPlatform,
  noteIgnoredProfile?: CodecHost["noteIgnoredProfile"],
): CodecHost => ({
  wasm: (name) => platform.wasm(name),
  loadWasm: (name) => platform.loadWasm(name),
  deflate: (data, level) => platform.deflate(data, level),
  zlib: platform.zlib,
  ...(noteIgnoredProfile && { noteIgnoredProfile }),
});
