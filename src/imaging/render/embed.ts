// Embeds metadata in an encoded derivative, however it was made.

import type { ByteSource } from "../../base/index.ts";
import type { Codecs } from "../codecs/codecs.ts";
import type { Embedding, RenderPlan } from "../codecs/plan.ts";
import { srgbProfile } from "../colour/write.ts";
import { profileOf } from "../metadata/colour.ts";
import { correctedExif } from "../metadata/exif-edit.ts";
import type { Metadata } from "../metadata/metadata.ts";

/**
 * Returns the encoded derivative of a plan with the metadata of `plan.write.embed`. Throws the errors of
 * reading the master's bytes.
 */
export async function withMetadata(
  encoded: Uint8Array,
  plan: RenderPlan,
  bytes: ByteSource,
  codecs: Codecs,
): Promise<Uint8Array> {
  const { embed: embedding, format } = plan.write;
  const { embed } = codecs.encoder(format);
  if (!embedding) return encoded;
  const metadata = await metadataFor(embedding, plan, bytes, codecs);
  return Object.values(metadata).some((each) => each !== undefined) ? embed(encoded, metadata) : encoded;
}

async function metadataFor(
  embedding: Embedding,
  { read, steps }: RenderPlan,
  bytes: ByteSource,
  codecs: Codecs,
): Promise<Metadata> {
  const { header } = read;
  const codec = codecs.decoder(header.format);
  const own = embedding.metadata ? await codec.metadata?.read(bytes, header) : undefined;
  const profiles = {
    none: () => undefined,
    srgb: srgbProfile,
    source: async () =>
      (header.colour?.from === "icc" && own?.icc) || (await profileOf(codec, bytes, header)),
  };
  const icc = await profiles[embedding.profile ?? "none"]();
  if (!embedding.metadata)
    return { icc, exif: correctedExif(undefined, { orientation: embedding.orientation ?? 1 }) };
  const srgb = steps.some(({ op }) => op === "to-srgb");
  const exif = correctedExif(own?.exif, { orientation: embedding.orientation, srgb });
  return { icc, exif, xmp: own?.xmp, iptc: own?.iptc };
}
