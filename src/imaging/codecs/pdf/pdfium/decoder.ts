// Draws regions of pages at any scale. The whole file is in the memory of an instance of PDFium, which stays
// for the next read of the same file.

import { type ByteSource, fileTooLarge } from "../../../../base/index.ts";
import type { CodecHost, Decoder, Reduction, WordReader } from "../../codec.ts";
import type { ImageHeader } from "../../image-header.ts";
import { asImagingError } from "../../instance.ts";
import { rowsByParts } from "../../parts.ts";
import type { ReadRequest } from "../../plan.ts";
import { PdfDocument } from "./document.ts";
import { imageBytesOf } from "./header.ts";

/** Bytes that PDFium takes in addition to the file and the decoded images of a page. */
const workBytes = 96 * 2 ** 20;
/** Size of the largest file whose text is read: its instance stays for the next page. */
const maxTextBytes = 96 * 2 ** 20;
/** Size of the largest file: the memory of an instance ends at 2 GiB. */
const maxBytes = 2 ** 30;
/** Memory up to which an instance stays for the next read. */
const lastingBytes = 192 * 2 ** 20;
/** Bytes of a pixel of the result in the instance, and as RGB. */
const pixelBytes = 4 + 3;
/** Cost of a drawn pixel, and of a decoded byte of an image, in pixels of JPEG. */
const [drawnPixels, decodedBytes] = [20, 0.5];

const sizeOf = ({ region, scaleFactor }: ReadRequest) => ({
  width: Math.ceil(region.width / scaleFactor),
  height: Math.ceil(region.height / scaleFactor),
});

/** Memory of an instance that reads a page. */
const limitFor = (read: ReadRequest, fileSize: number): number => {
  const { width, height } = sizeOf(read);
  return workBytes + fileSize + imageBytesOf(read.header) + 4 * width * height;
};

/** The file that was read last. */
interface Open {
  readonly version: string;
  readonly document: PdfDocument;
}

/** Creates the decoder of pages that are not one image, and the reader of the text of all. */
export function drawnDecoder(
  host: Pick<CodecHost, "loadWasm">,
): Pick<Decoder, "memory" | "decodedPixels" | "decode" | "rows" | "scales"> & { readonly words: WordReader } {
  let open: Open | undefined;
  /** Lets `work` use the file in an instance that may take `limit` bytes. It stays unless that throws. */
  const withFile = async <T>(
    bytes: ByteSource,
    { version, limit }: { readonly version: string | undefined; readonly limit: number },
    work: (document: PdfDocument) => T,
  ): Promise<T> => {
    const known = open?.version === version ? open?.document : undefined;
    open = undefined;
    try {
      const { size = Number.POSITIVE_INFINITY } = bytes;
      if (size > maxBytes) throw fileTooLarge(maxBytes);
      const source = { size, read: (offset: number, length: number) => bytes.read(offset, length) };
      const document = known ?? (await PdfDocument.open(await host.loadWasm("pdfium"), source, limit));
      document.limit = limit;
      const result = work(document);
      if (version !== undefined && document.memory <= lastingBytes) open = { version, document };
      return result;
    } catch (error) {
      throw asImagingError(error, "decode", "PDFium stopped at this page; it may be damaged.");
    }
  };
  const reading = {
    memory(read, fileSize) {
      const { width, height } = sizeOf(read);
      return limitFor(read, fileSize) + (pixelBytes - 4) * width * height;
    },
    async decode(bytes, read) {
      const { header, page, region, scaleFactor, version } = read;
      const { width, height } = sizeOf(read);
      const data = await withFile(bytes, { version, limit: limitFor(read, bytes.size ?? 0) }, (document) =>
        document.render({
          page,
          width: header.width / scaleFactor,
          height: header.height / scaleFactor,
          region: { x: region.x / scaleFactor, y: region.y / scaleFactor, width, height },
        }),
      );
      return { width, height, bands: 3, interpretation: "rgb", data };
    },
  } satisfies Pick<Decoder, "memory" | "decode">;
  return {
    ...reading,
    decodedPixels(read) {
      const { width, height } = sizeOf(read);
      return drawnPixels * width * height + decodedBytes * imageBytesOf(read.header);
    },
    rows: rowsByParts(reading, ({ scaleFactor }) => 256 * scaleFactor),
    scales: { of: halvings },
    words: {
      maxBytes: maxTextBytes,
      memory: (_, fileSize) => workBytes + fileSize,
      read: (bytes, { header, page, version }) =>
        withFile(bytes, { version, limit: workBytes + (bytes.size ?? 0) }, (document) =>
          document.words(page, uprightSize(header)),
        ),
    },
  };
}

/** Returns the size of a page as viewers show it. */
const uprightSize = ({ width, height, orientation }: ImageHeader) =>
  orientation > 4 ? { width: height, height: width } : { width, height };

/** Returns the powers of two by which a page can be drawn smaller. */
function halvings({ width, height }: ImageHeader): Reduction[] {
  const count = Math.floor(Math.log2(Math.min(width, height)));
  return Array.from({ length: Math.max(0, count) }, (_, i) => ({ factor: 2 ** (i + 1), quality: "level" }));
}
