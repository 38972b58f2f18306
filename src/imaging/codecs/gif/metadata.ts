// Metadata in a GIF's application extensions: XMP and an ICC profile (GIF89a, 26; XMP specification part 3,
// 1.1.2; ICC.1, B.6).

import { type ByteSource, blockwise } from "../../lib/byte-source.ts";
import { concatenate } from "../../lib/concatenate.ts";
import type { Metadata, MetadataKinds } from "../../metadata/metadata.ts";
import { hasText, metadataBytes } from "../../metadata/metadata-bytes.ts";
import { tableEntries } from "./header.ts";

/** Identifier and authentication code: eleven characters. */
const names = { xmp: "XMP DataXMP", icc: "ICCRGBG1012" } as const;
/**
 * XMP is not cut into sub-blocks but followed by these bytes, which lead every reader of sub-blocks to their
 * end.
 */
const trailer = 258;
const mostBlocks = 1_000_000;

interface SubBlocks {
  readonly parts: readonly { readonly offset: number; readonly length: number }[];
  /** After the empty one. */
  readonly end: number;
}

/**
 * Returns the metadata of a GIF; a search for the profile alone ends at the first image. Throws what the
 * source throws.
 */
export async function readGifMetadata(bytes: ByteSource, kinds: MetadataKinds = "all"): Promise<Metadata> {
  const walk = blockwise(bytes, 64 * 1024, 2);
  const budget = metadataBytes(bytes);
  const found: { icc?: Uint8Array | undefined; xmp?: Uint8Array | undefined } = {};
  const byte = async (offset: number) => (await walk.read(offset, 1))[0];
  /**
   * Returns the end of the sub-blocks that begin here, after the empty one; undefined if the file ends
   * before.
   */
  const subBlocks = async (start: number): Promise<SubBlocks | undefined> => {
    const parts: { readonly offset: number; readonly length: number }[] = [];
    for (let at = start; parts.length < mostBlocks; ) {
      const length = await byte(at);
      if (length === undefined) return undefined;
      if (length === 0) return { parts, end: at + 1 };
      parts.push({ offset: at + 1, length });
      at += 1 + length;
    }
    return undefined;
  };

  /** Reads the application extension of this name, whose data begin at `start`. */
  const takeApplication = async (name: Uint8Array, { parts, end }: SubBlocks, start: number) => {
    if (hasText(name, names.icc)) {
      const taken = await Promise.all(
        parts.slice(1).map(({ offset, length }) => budget.take(offset, length)),
      );
      if (taken.every((part) => part !== undefined)) found.icc ??= concatenate(taken);
    } else if (kinds === "all" && hasText(name, names.xmp) && end - start > trailer)
      found.xmp ??= await budget.take(start, end - start - trailer);
  };

  const screen = await walk.read(0, 13);
  let at = 13 + 3 * tableEntries(screen[10] ?? 0);
  for (let n = 0; n < mostBlocks; n++) {
    const head = await walk.read(at, 14);
    const [kind, label] = head;
    let data = at + 1;
    if (kind === 0x21) data = at + 2;
    else if (kind === 0x2c && kinds === "all")
      data = at + 11 + 3 * tableEntries(head[9] ?? 0); // after the code size
    else if (kind !== 0) break;
    if (kind === 0) {
      at++;
      continue;
    }
    const rest = await subBlocks(data);
    if (!rest) break;
    if (kind === 0x21 && label === 0xff && head[2] === 11)
      await takeApplication(head.subarray(3), rest, at + 14);
    at = rest.end;
  }
  return found;
}
