// A whole job of a pool worker, from ranges of bytes to an encoded derivative.

import { type ByteSource, concatenate } from "../../base/index.ts";
import type { Encoded, EncodedPieces, RowStream, SidecarLayer, TextPage } from "../codecs/codec.ts";
import type { Codecs } from "../codecs/codecs.ts";
import type { Embedding, MasterPage, RenderPlan } from "../codecs/plan.ts";
import { srgbProfile } from "../colour/write.ts";
import { profileOf } from "../metadata/colour.ts";
import { correctedExif } from "../metadata/exif-edit.ts";
import type { Metadata } from "../metadata/metadata.ts";
import type { PixelBuffer } from "../pipeline/pixels.ts";
import { runSteps } from "../pipeline/run-steps.ts";
import { colourKernels } from "./colour-kernels.ts";
import { type JobContext, stillWanted } from "./job-context.ts";
import { overlayKernel, overlayPixels, overlayStepOf } from "./overlays.ts";

/**
 * Kinds of jobs: an encoded derivative, a layer of a sidecar, the pixels of an overlay, or the words of a
 * page as JSON. Plain data.
 */
export type Task =
  | { readonly kind: "render"; readonly plan: RenderPlan }
  | ({ readonly kind: "sidecar"; readonly layer: SidecarLayer } & MasterPage)
  | ({ readonly kind: "words" } & TextPage)
  | { readonly kind: "overlay"; readonly plan: Pick<RenderPlan, "read" | "steps"> };

/**
 * Runs a job and returns its bytes; a sidecar and the pixels of an overlay are also returned as an {@link
 * Encoded}. Throws the errors of the codecs, and ImagingError `cancelled`.
 */
export async function runTask(task: Task, context: JobContext): Promise<Encoded> {
  const { bytes, codecs, sidecar, wanted } = context;
  if (task.kind === "render") return render(task.plan, context);
  await stillWanted(wanted);
  if (task.kind === "overlay") return { bytes: await overlayPixels(task.plan, bytes, codecs) };
  if (task.kind === "words") {
    const lines = await codecs.decoder(task.header.format).words?.read(bytes, task);
    return { bytes: new TextEncoder().encode(JSON.stringify(lines ?? [])) };
  }
  const { header, page, layer } = task;
  const built = codecs.decoder(header.format).sidecar?.build(bytes, { header, page }, sidecar, layer);
  return { bytes: (await built) ?? new Uint8Array() };
}

/**
 * Decodes, runs the steps and encodes, or uses the codec's own shortcut, then embeds metadata. Checks between
 * the stages that the job is still wanted.
 */
async function render(plan: RenderPlan, context: JobContext): Promise<Encoded> {
  const { pieces, incomplete } = await encodedPixels(plan, context);
  context.stages?.enter("encode");
  const [head, ...rest] = pieces;
  const start = await withMetadata(head!, plan, context.bytes, context.codecs);
  const bytes = rest.length === 0 ? start : concatenate([start, ...rest]);
  return { bytes, ...(incomplete && { incomplete }) };
}

async function encodedPixels(plan: RenderPlan, context: JobContext): Promise<EncodedPieces> {
  const { codecs, bytes, sidecar, overlay, wanted, stages } = context;
  await stillWanted(wanted);
  const codec = codecs.decoder(plan.read.header.format);
  const step = overlayStepOf(plan);
  const laid = step && overlay && (await overlayKernel(plan, step, bytes, codecs, overlay));
  // Derivatives from planes and lossless crops cannot have an overlay.
  const derived =
    step || plan.bySteps ? undefined : await codec.derive?.(bytes, plan, sidecar, codecs.kernels, stages);
  if (derived) return derived;
  stages?.enter("decode");
  if (plan.rows !== undefined) return encodeByRows({ ...plan, rows: plan.rows }, context);
  const decoded = await codec.decode(bytes, plan.read, sidecar);
  await stillWanted(wanted);
  stages?.enter("steps");
  const pixels = runSteps(decoded, plan.steps, { ...(await colourKernels(plan, bytes, codecs)), ...laid });
  await stillWanted(wanted);
  stages?.enter("encode");
  const encoded = await codecs.encoder(plan.write.format).encode(pixels, plan.write);
  return { pieces: [encoded], incomplete: decoded.incomplete };
}

/**
 * Returns the encoded derivative of a plan with the metadata of `plan.write.embed`. Throws the errors of
 * reading the master's bytes.
 */
async function withMetadata(
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

/**
 * Decodes, changes and encodes a few rows before it reads the next ones: an image of any size takes only the
 * memory of those rows and of the encoded file. Returns the same bytes as encoding all rows together. Throws
 * the errors of the codecs, and ImagingError `cancelled`.
 */
async function encodeByRows(
  plan: RenderPlan & { readonly rows: number },
  { codecs, bytes, sidecar, wanted, stages }: JobContext,
): Promise<EncodedPieces> {
  const { read, steps, write, rows } = plan;
  const kernels = await colourKernels(plan, bytes, codecs);
  const height = Math.ceil(read.region.height / read.scaleFactor);
  const pieces: Uint8Array[] = [];
  let stream: RowStream | undefined;
  const take = async (decoded: PixelBuffer) => {
    await stillWanted(wanted);
    stages?.enter("steps");
    const pixels = runSteps(decoded, steps, kernels);
    stages?.enter("encode");
    stream ??= codecs.encoder(write.format).encodeRows!({ ...pixels, height }, write);
    pieces.push(stream.rows(pixels.data as Uint8Array));
    stages?.enter("decode");
  };
  await stillWanted(wanted);
  const incomplete = await codecs.decoder(read.header.format).rows!.decode(bytes, read, rows, take, sidecar);
  pieces.push(stream!.finish());
  return { pieces, incomplete };
}
