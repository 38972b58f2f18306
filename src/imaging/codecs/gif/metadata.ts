// Metadata in a GIF's application extensions: XMP and an ICC profile (GIF89a, 26; XMP specification part 3,
// 1.1.2; ICC.1, B.6).

import type { ByteSource } from "../../../base/index.ts";
import type { Metadata, MetadataKinds } from "../../metadata/metadata.ts";
import { hasText, metadataBytes } from "../../metadata/metadata-bytes.ts";
import { forwardReader, maxFileBytes, skipSubBlocks, tableEntries } from "./header.ts";

/** Identifier and authentication code: eleven characters. */
const names = { xmp: "XMP DataXMP", icc: "ICCRGBG1012" } as const;
/**
 * XMP is not cut into sub-blocks but followed by these bytes, which lead every reader of sub-blocks to their
 * end.
 */
const trailer = 258;
const maxBlocks = 1_000_000;

/**
 * Returns the metadata of a GIF; a search for the profile alone ends at the first image. Throws what the
 * source throws.
 */
export async function readGifMetadata(bytes: ByteSource, kinds: MetadataKinds = "all"): Promise<Metadata> {
  const input = forwardReader(bytes);
  const budget = metadataBytes(bytes);
  const found: { icc?: Uint8Array | undefined; xmp?: Uint8Array | undefined } = {};

  /** Reads the application extension of this name, whose sub-blocks of data are from `start` to `end`. */
  const takeApplication = async (name: Uint8Array, start: number, end: number) => {
    if (hasText(name, names.icc)) {
      const data = await budget.take(start, end - start);
      if (data) found.icc ??= joinSubBlocks(data);
    } else if (kinds === "all" && hasText(name, names.xmp) && end - start > trailer)
      found.xmp ??= await budget.take(start, end - start - trailer);
  };

  /** Reads an extension to its end, at the byte after its introducer. */
  const takeExtension = async () => {
    if (!input.has(13)) await input.fill();
    const start = input.position();
    const head = input.next(13);
    const isApplication = head[0] === 0xff && head[1] === 11;
    input.skip(start + 1 - input.position());
    await skipSubBlocks(input);
    if (isApplication) await takeApplication(head.subarray(2), start + 13, input.position());
  };

  await input.fill();
  const screen = input.next(13);
  input.skip(3 * tableEntries(screen[10] ?? 0));
  for (let n = 0; n < maxBlocks && input.position() < maxFileBytes; n++) {
    if (!input.has(1)) await input.fill();
    const [kind] = input.next(1);
    if (kind === 0x21) await takeExtension();
    else if (kind === 0x2c && kinds === "all") {
      if (!input.has(9)) await input.fill();
      input.skip(3 * tableEntries(input.next(9)[8] ?? 0) + 1); // to after the code size
      await skipSubBlocks(input);
    } else if (kind !== 0) break;
  }
  return found;
}

/** Returns the contents of sub-blocks without their lengths. */
function joinSubBlocks(data: Uint8Array): Uint8Array {
  const joined = new Uint8Array(data.length);
  let length = 0;
  for (let at = 0; at < data.length && data[at] !== 0; at += 1 + data[at]!) {
    const part = data.subarray(at + 1, at + 1 + data[at]!);
    joined.set(part, length);
    length += part.length;
  }
  return joined.subarray(0, length);
}
