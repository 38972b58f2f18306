// Makes a derivative a few rows at a time: decodes, changes and encodes them before it reads the next ones.
// An image of any size takes only the memory of those rows and of the encoded file.

import type { EncodedPieces, RowStream } from "../codecs/codec.ts";
import type { RenderPlan } from "../codecs/plan.ts";
import type { PixelBuffer } from "../pipeline/pixels.ts";
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
