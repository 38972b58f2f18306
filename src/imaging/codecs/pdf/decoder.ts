// The PDF decoder. A page that is one image goes to the decoder of that image, with its section of the file:
// regions, lossless crops and sidecars cost what they cost of the image by itself.

import type { Decoder } from "../codec.ts";
import type { ImageHeader } from "../image-header.ts";
import { jp2Decoder } from "../jp2/decoder.ts";
import type { CodecTools } from "../tools.ts";
import { createPdfCaches } from "./directory/file.ts";
import { probePdf, probePdfPages } from "./header.ts";
import { innerBytes, innerFormat, innerHeader, innerLength, innerRead, readInnerMetadata } from "./inner.ts";

/** Cost of a pixel of JPEG 2000 in pixels of JPEG, for which the row of the format states the time. */
const jp2Pixels = 80;

export function pdfDecoder({ host, jpeg, bench }: Pick<CodecTools, "host" | "jpeg" | "bench">): Decoder {
  const inner = { jpg: jpeg, jp2: jp2Decoder(bench) };
  const tools = { host, inner, caches: createPdfCaches() };
  const decoderOf = (header: ImageHeader) => inner[innerFormat(header) ?? "jpg"];
  return {
    probe: (bytes, page, version) => probePdf(bytes, page, tools, version),
    probePages: (bytes, count, version) => probePdfPages(bytes, count, tools, version),
    memory: (read) => decoderOf(read.header).memory(innerRead(read), innerLength(read.header)),
    decodedPixels(read) {
      const pixels = decoderOf(read.header).decodedPixels(innerRead(read));
      return innerFormat(read.header) === "jp2" ? jp2Pixels * pixels : pixels;
    },
    decode: (bytes, read, sidecar) =>
      decoderOf(read.header).decode(innerBytes(bytes, read.header), innerRead(read), sidecar),
    derive: async (bytes, plan, sidecar, kernels, stages) => {
      const { header } = plan.read;
      const read = innerRead(plan.read);
      return decoderOf(header).derive?.(
        innerBytes(bytes, header),
        { ...plan, read },
        sidecar,
        kernels,
        stages,
      );
    },
    rows: {
      apart: (read) => decoderOf(read.header).rows?.apart(innerRead(read)),
      memory: (read, rows) =>
        decoderOf(read.header).rows!.memory(innerRead(read), rows, innerLength(read.header)),
      decode: (bytes, read, rows, take, sidecar) =>
        decoderOf(read.header).rows!.decode(
          innerBytes(bytes, read.header),
          innerRead(read),
          rows,
          take,
          sidecar,
        ),
    },
    scales: {
      of: (header, halvesColour) => decoderOf(header).scales?.of(innerHeader(header), halvesColour) ?? [],
    },
    sidecar: {
      use: (read, _, room) =>
        decoderOf(read.header).sidecar?.use(innerRead(read), innerLength(read.header), room),
      layers: (header, _, room) =>
        (innerFormat(header) &&
          decoderOf(header).sidecar?.layers(innerHeader(header), innerLength(header), room)) ??
        [],
      build: async (bytes, master, access, layer) =>
        (await decoderOf(master.header).sidecar?.build(
          innerBytes(bytes, master.header),
          innerRead(master),
          access,
          layer,
        )) ?? new Uint8Array(),
      memory: (header, _, layer) =>
        decoderOf(header).sidecar?.memory(innerHeader(header), innerLength(header), layer) ?? 0,
      memoryWith: (read, rows) => decoderOf(read.header).sidecar?.memoryWith?.(innerRead(read), rows),
      nsPerPixel: (header, layer) => decoderOf(header).sidecar?.nsPerPixel(innerHeader(header), layer) ?? 0,
      nsWithout(read) {
        const { sidecar } = decoderOf(read.header);
        const { width, height } = read.header;
        const each = () => sidecar?.nsPerPixel(innerHeader(read.header), "ground") ?? 0;
        return sidecar?.nsWithout ? sidecar.nsWithout(innerRead(read)) : width * height * each();
      },
    },
    metadata: {
      read: (bytes, header, kinds) =>
        readInnerMetadata(bytes, header, { decoder: decoderOf(header), zlib: host.zlib, kinds }),
    },
  };
}
