// Writes small PDF files, whose syntax tests choose.

export interface PdfStream {
  readonly dictionary: string;
  readonly data: Uint8Array;
}

/** An object by its number: its syntax, or a stream, whose length is added. */
export type PdfObjects = Readonly<Record<number, string | PdfStream>>;

const text = (value: string) => Buffer.from(value, "latin1");

export interface Writing {
  /** Entries of the trailer after /Root 1 0 R. */
  readonly trailer?: string;
  /** A cross-reference stream in place of a table. */
  readonly isStream?: boolean;
  /** Object streams of objects by their numbers, in which each is the first; with `isStream`. */
  readonly stored?: Readonly<Record<number, number>>;
}

/** Returns a file of these objects, of which 1 is the catalog. */
export function pdfFile(
  objects: PdfObjects,
  { trailer = "", isStream = false, stored = {} }: Writing = {},
): Uint8Array {
  const parts: Buffer[] = [text("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")];
  const offsets = new Map<number, number>();
  const length = () => parts.reduce((sum, part) => sum + part.length, 0);
  const write = (number: number, value: string | PdfStream) => {
    offsets.set(number, length());
    parts.push(text(`${number} 0 obj\n`));
    if (typeof value === "string") parts.push(text(`${value}\nendobj\n`));
    else
      parts.push(
        text(`<< ${value.dictionary} /Length ${value.data.length} >>\nstream\n`),
        Buffer.from(value.data),
        text("\nendstream\nendobj\n"),
      );
  };
  for (const [number, value] of Object.entries(objects)) write(Number(number), value);
  const size = Math.max(...Object.keys({ ...objects, ...stored }).map(Number)) + 1;
  const start = length();
  if (isStream) {
    offsets.set(size, start);
    const entries = Array.from({ length: size + 1 }, (_, number) => {
      const offset = offsets.get(number);
      const stream = stored[number];
      if (stream !== undefined) return [2, stream >> 24, stream >> 16, stream >> 8, stream, 0];
      return offset === undefined
        ? [0, 0, 0, 0, 0, 0]
        : [1, offset >> 24, offset >> 16, offset >> 8, offset, 0];
    });
    const dictionary = `/Type /XRef /Size ${size + 1} /W [1 4 1] /Root 1 0 R ${trailer}`;
    write(size, { dictionary, data: Uint8Array.from(entries.flat()) });
  } else {
    const entry = (number: number) => {
      const offset = offsets.get(number);
      return `${`${offset ?? 0}`.padStart(10, "0")} ${offset === undefined ? "65535 f" : "00000 n"} \n`;
    };
    const entries = Array.from({ length: size }, (_, number) => entry(number));
    parts.push(
      text(`xref\n0 ${size}\n${entries.join("")}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\n`),
    );
  }
  parts.push(text(`startxref\n${start}\n%%EOF\n`));
  return Uint8Array.from(Buffer.concat(parts));
}

export interface Scan {
  readonly image: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Entries of the image's dictionary; DeviceRGB and DCTDecode by default. */
  readonly entries?: string;
  /** Entries of the page's. */
  readonly page?: string;
  /** Size of the page in points; that of the image by default. */
  readonly points?: readonly [width: number, height: number];
  /** Operators; `/I` is the image. */
  readonly content?: string;
  /** Entries of the resources. */
  readonly resources?: string;
}

/** Returns the objects of a flat tree of pages, each of one image. */
export function scanObjects(scans: readonly Scan[]): Record<number, string | PdfStream> {
  const objects: Record<number, string | PdfStream> = { 1: "<< /Type /Catalog /Pages 2 0 R >>" };
  const numbers = scans.map((_, i) => 3 + 3 * i);
  const kids = numbers.map((number) => `${number} 0 R`).join(" ");
  objects[2] = `<< /Type /Pages /Count ${scans.length} /Kids [${kids}] >>`;
  for (const [i, scan] of scans.entries()) {
    const number = numbers[i]!;
    const [width, height] = scan.points ?? [scan.width, scan.height];
    const resources = `<< /XObject << /I ${number + 2} 0 R >> ${scan.resources ?? ""} >>`;
    objects[number] =
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents ${number + 1} 0 R /Resources ${resources} ${scan.page ?? ""} >>`;
    objects[number + 1] = {
      dictionary: "",
      data: text(scan.content ?? `q ${width} 0 0 ${height} 0 0 cm /I Do Q`),
    };
    const entries = scan.entries ?? "/ColorSpace /DeviceRGB /Filter /DCTDecode";
    objects[number + 2] = {
      dictionary: `/Type /XObject /Subtype /Image /Width ${scan.width} /Height ${scan.height} /BitsPerComponent 8 ${entries}`,
      data: scan.image,
    };
  }
  return objects;
}

/** Changes up to ten bytes of a file, half of them to digits and delimiters, and cuts some files. */
export function mutate(original: Uint8Array, below: (limit: number) => number): Uint8Array {
  const result = original.slice();
  const replacements = [...Buffer.from("0123456789<>[]()/%R \n", "latin1"), 0, 255];
  for (let i = 1 + below(10); i > 0; i--) {
    const at = below(result.length);
    result[at] = below(2) === 0 ? replacements[below(replacements.length)]! : below(256);
  }
  const cut = below(12) === 0 ? below(result.length) : result.length;
  return result.subarray(0, cut);
}
