// The PDF decoder. A page that is one image goes to the decoder of that image, with its section of the file:
// regions, lossless crops and sidecars cost what they cost of the image by itself. Other pages are drawn.

import type { ByteSource } from "../../../base/index.ts";
import type { Decoder } from "../codec.ts";
import type { ImageHeader } from "../image-header.ts";
import { jp2Decoder } from "../jp2/decoder.ts";
import type { MasterPage } from "../plan.ts";
import type { CodecTools } from "../tools.ts";
import { createPdfCaches } from "./directory/file.ts";
import { probePdf, probePdfPages } from "./header.ts";
import { innerBytes, innerFormat, innerHeader, innerLength, innerRead, readInnerMetadata } from "./inner.ts";
import { drawnDecoder } from "./pdfium/decoder.ts";

/** Cost of a pixel of JPEG 2000 in pixels of JPEG, for which the row of the format states the time. */
const jp2Pixels = 80;

/** Reader of a page: a decoder, and the forms in which it takes the page and its file. */
interface Reader {
  readonly decoder: Omit<Decoder, "probe">;
  readonly header: ImageHeader;
  readonly read: <Read extends MasterPage>(read: Read) => Read;
  readonly bytes: (file: ByteSource) => ByteSource;
  readonly length: (fileSize: number) => number;
}

export function pdfDecoder({ host, jpeg, bench }: Pick<CodecTools, "host" | "jpeg" | "bench">): Decoder {
  const inner = { jpg: jpeg, jp2: jp2Decoder(bench) };
  const tools = { host, inner, caches: createPdfCaches() };
  const drawn = drawnDecoder(host);
  const readerOf = (header: ImageHeader): Reader => {
    const format = innerFormat(header);
    return format
      ? {
          decoder: inner[format],
          header: innerHeader(header),
          read: innerRead,
          bytes: (file) => innerBytes(file, header),
          length: () => innerLength(header),
        }
      : {
          decoder: drawn,
          header,
          read: (read) => read,
          bytes: (file) => file,
          length: (fileSize) => fileSize,
        };
  };
  return {
    probe: (bytes, page, version) => probePdf(bytes, page, tools, version),
    probePages: (bytes, count, version) => probePdfPages(bytes, count, tools, version),
    memory(request, fileSize) {
      const { decoder, read, length } = readerOf(request.header);
      return decoder.memory(read(request), length(fileSize));
    },
    decodedPixels(request) {
      const { decoder, read } = readerOf(request.header);
      const pixels = decoder.decodedPixels(read(request));
      return decoder === inner.jp2 ? jp2Pixels * pixels : pixels;
    },
    decode(file, request, access) {
      const { decoder, read, bytes } = readerOf(request.header);
      return decoder.decode(bytes(file), read(request), access);
    },
    async derive(file, plan, access, kernels, stages) {
      const { decoder, read, bytes } = readerOf(plan.read.header);
      return decoder.derive?.(bytes(file), { ...plan, read: read(plan.read) }, access, kernels, stages);
    },
    rows: {
      apart(request) {
        const { decoder, read } = readerOf(request.header);
        return decoder.rows?.apart(read(request));
      },
      memory(request, rows, fileSize) {
        const { decoder, read, length } = readerOf(request.header);
        return decoder.rows!.memory(read(request), rows, length(fileSize));
      },
      decode(file, request, rows, take, access) {
        const { decoder, read, bytes } = readerOf(request.header);
        return decoder.rows!.decode(bytes(file), read(request), rows, take, access);
      },
    },
    scales: {
      of(header, halvesColour) {
        const reader = readerOf(header);
        return reader.decoder.scales?.of(reader.header, halvesColour) ?? [];
      },
    },
    sidecar: {
      use(request, fileSize, room) {
        const { decoder, read, length } = readerOf(request.header);
        return decoder.sidecar?.use(read(request), length(fileSize), room);
      },
      layers(header, fileSize, room) {
        const reader = readerOf(header);
        return reader.decoder.sidecar?.layers(reader.header, reader.length(fileSize), room) ?? [];
      },
      async build(file, master, access, layer) {
        const { decoder, read, bytes } = readerOf(master.header);
        return (await decoder.sidecar?.build(bytes(file), read(master), access, layer)) ?? new Uint8Array();
      },
      memory(header, fileSize, layer) {
        const reader = readerOf(header);
        return reader.decoder.sidecar?.memory(reader.header, reader.length(fileSize), layer) ?? 0;
      },
      memoryWith(request, rows) {
        const { decoder, read } = readerOf(request.header);
        return decoder.sidecar?.memoryWith?.(read(request), rows);
      },
      nsPerPixel(header, layer) {
        const reader = readerOf(header);
        return reader.decoder.sidecar?.nsPerPixel(reader.header, layer) ?? 0;
      },
      nsWithout(request) {
        const { decoder, read, header } = readerOf(request.header);
        const { sidecar } = decoder;
        if (!sidecar) return 0;
        if (sidecar.nsWithout) return sidecar.nsWithout(read(request));
        return header.width * header.height * sidecar.nsPerPixel(header, "ground");
      },
    },
    words: drawn.words,
    metadata: {
      async read(bytes, header, kinds) {
        const format = innerFormat(header);
        const decoder = format && inner[format];
        return decoder ? readInnerMetadata(bytes, header, { decoder, zlib: host.zlib, kinds }) : {};
      },
    },
  };
}
