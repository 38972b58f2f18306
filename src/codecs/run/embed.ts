// What a derivative carries beside its pixels, put into it once it is encoded, whichever way it was made.

import { srgbProfile } from "../../colour/write.ts";
import type { ByteSource } from "../../lib/byte-source.ts";
import type { Blocks } from "../blocks.ts";
import type { Codecs } from "../codecs.ts";
import { profileOf } from "../colour.ts";
import { correctedExif } from "../exif-edit.ts";
import type { Carry, RenderPlan } from "../plan.ts";

/** The encoded answer of a plan with what `plan.write.carry` asks for. Throws what reading the master's bytes throws. */
export async function carried(
  encoded: Uint8Array,
  plan: RenderPlan,
  bytes: ByteSource,
  codecs: Codecs,
): Promise<Uint8Array> {
  const { carry, format } = plan.write;
  const { embed } = codecs.encoder(format);
  if (!carry) return encoded;
  const blocks = await blocksFor(carry, plan, bytes, codecs);
  return Object.values(blocks).some((block) => block !== undefined) ? embed(encoded, blocks) : encoded;
}

async function blocksFor(
  carry: Carry,
  { read, steps }: RenderPlan,
  bytes: ByteSource,
  codecs: Codecs,
): Promise<Blocks> {
  const { header } = read;
  const codec = codecs.byFormat(header.format);
  const own = carry.metadata ? await codec.metadata?.read(bytes, header) : undefined;
  const profiles = {
    none: () => undefined,
    srgb: srgbProfile,
    source: async () =>
      (header.colour?.from === "icc" && own?.icc) || (await profileOf(codec, bytes, header)),
  };
  const icc = await profiles[carry.profile ?? "none"]();
  if (!carry.metadata)
    return { icc, exif: correctedExif(undefined, { orientation: carry.orientation ?? 1 }) };
  const srgb = steps.some(({ op }) => op === "to-srgb");
  const exif = correctedExif(own?.exif, { orientation: carry.orientation, srgb });
  return { icc, exif, xmp: own?.xmp, iptc: own?.iptc };
}
