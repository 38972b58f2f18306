// Makes a derivative a few rows at a time: decodes, changes and encodes them before it reads the next ones.
// An image of any size takes only the memory of those rows and of the encoded file.

import type { Encoded, RowStream } from "../codecs/codec.ts";
import type { RenderPlan } from "../codecs/plan.ts";
import { concatenate } from "../lib/concatenate.ts";
import { runSteps } from "../pipeline/run-steps.ts";
import { colourKernels } from "./colour-kernels.ts";
import { type JobContext, stillWanted } from "./job-context.ts";

/**
 * Returns the same bytes as encoding all rows together. Throws the errors of the codecs, and ImagingError
 * `cancelled`.
 */
export async function encodeByRows(
  plan: RenderPlan & { readonly rows: number },
  { codecs, bytes, sidecar, wanted, stages }: JobContext,
): Promise<Encoded> {
  const { read, steps, write, rows } = plan;
  const codec = codecs.byFormat(read.header.format);
  const kernels = await colourKernels(plan, bytes, codecs);
  const height = Math.ceil(read.region.height / read.scaleFactor);
  const pieces: Uint8Array[] = [];
  let stream: RowStream | undefined;
  let incomplete = false;
  for (const region of partsOf(read.region, rows)) {
    await stillWanted(wanted);
    stages?.enter("decode");
    const decoded = await codec.decode(bytes, { ...read, region }, sidecar);
    stages?.enter("steps");
    const pixels = runSteps(decoded, steps, kernels);
    stages?.enter("encode");
    stream ??= codecs.encoder(write.format).encodeRows!({ ...pixels, height }, write);
    pieces.push(stream.rows(pixels.data as Uint8Array));
    incomplete ||= decoded.incomplete === true;
  }
  pieces.push(stream!.finish());
  return { bytes: concatenate(pieces), ...(incomplete && { incomplete }) };
}

/** Divides a region at rows of the image that are multiples of `rows`. */
function* partsOf(region: RenderPlan["read"]["region"], rows: number) {
  const end = region.y + region.height;
  for (let y = region.y; y < end; ) {
    const next = Math.min(end, (Math.floor(y / rows) + 1) * rows);
    yield { ...region, y, height: next - y };
    y = next;
  }
}
