// Files with a large canvas and small frames, made by arithmetic.

export interface CanvasFrame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Palette index that shows what is below, for a GIF; the frame itself has index 0. */
  readonly transparent?: number;
  /** 2: the area is cleared afterwards; 3: it is restored. */
  readonly disposal?: number;
}

export interface Canvas {
  readonly width: number;
  readonly height: number;
}

const little16 = (value: number) => [value & 255, value >> 8];
const little24 = (value: number) => [...little16(value & 0xffff), value >> 16];
const little32 = (value: number) => [...little16(value & 0xffff), ...little16(value >>> 16)];
const ascii = (text: string) => [...new TextEncoder().encode(text)];

/** Colour of all frames. */
const colour = [10, 20, 30] as const;

/** A GIF whose frames have one colour, 10, 20, 30 (GIF89a specification). */
export function gif({ width, height }: Canvas, frames: readonly CanvasFrame[]): Uint8Array {
  return Uint8Array.from([
    ...ascii("GIF89a"),
    ...little16(width),
    ...little16(height),
    0x80, // a colour table of two entries
    0,
    0,
    ...colour,
    255,
    255,
    255,
    ...frames.flatMap((frame) => [
      ...[0x21, 0xf9, 4, ((frame.disposal ?? 0) << 2) | Number(frame.transparent !== undefined)],
      ...[0, 0, frame.transparent ?? 0, 0],
      0x2c,
      ...[frame.x, frame.y, frame.width, frame.height].flatMap(little16),
      0,
      ...indexZero(frame.width * frame.height),
    ]),
    0x3b,
  ]);
}

/** Image data of index 0: after each clear code one code of 3 bits for a pixel (appendix F). */
function indexZero(pixels: number): number[] {
  const bits: number[] = [];
  const put = (code: number) => bits.push(code & 1, (code >> 1) & 1, (code >> 2) & 1);
  for (let n = 0; n < pixels; n++) {
    put(4);
    put(0);
  }
  put(5);
  const bytes: number[] = [];
  for (let at = 0; at < bits.length; at += 8)
    bytes.push(bits.slice(at, at + 8).reduce((byte, bit, n) => byte | (bit << n), 0));
  const blocks: number[] = [2];
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.slice(at, at + 255);
    blocks.push(block.length, ...block);
  }
  return [...blocks, 0];
}

/** An animated WebP with alpha, whose frames have the colour 10, 20, 30 (WebP Container Specification). */
export function animatedWebp({ width, height }: Canvas, frames: readonly CanvasFrame[]): Uint8Array {
  const chunk = (name: string, data: readonly number[]) => [
    ...ascii(name),
    ...little32(data.length),
    ...data,
    ...(data.length % 2 ? [0] : []),
  ];
  const body = [
    ...ascii("WEBP"),
    ...chunk("VP8X", [0x12, 0, 0, 0, ...little24(width - 1), ...little24(height - 1)]),
    ...chunk("ANIM", [0, 0, 0, 0, 0, 0]),
    ...frames.flatMap((frame) =>
      chunk("ANMF", [
        ...[frame.x / 2, frame.y / 2, frame.width - 1, frame.height - 1, 100].flatMap(little24),
        0,
        ...chunk("VP8L", plainVp8l(frame)),
      ]),
    ),
  ];
  return Uint8Array.from([...ascii("RIFF"), ...little32(body.length), ...body]);
}

/** A lossless bitstream of one colour: prefix codes of a single symbol, which take no bits. */
function plainVp8l({ width, height }: Canvas): number[] {
  const bits: number[] = [];
  const put = (value: number, count: number) => {
    for (let n = 0; n < count; n++) bits.push((value >> n) & 1);
  };
  put(width - 1, 14);
  put(height - 1, 14);
  put(1, 1); // alpha is used
  put(0, 3); // version
  put(0, 3); // no transform, no colour cache, no meta prefix codes
  const [red, green, blue] = colour;
  for (const symbol of [green, red, blue, 255, 0]) {
    put(1, 1); // a simple code
    put(0, 1); // of one symbol
    put(1, 1); // of 8 bits
    put(symbol, 8);
  }
  const bytes = [0x2f];
  for (let at = 0; at < bits.length; at += 8)
    bytes.push(bits.slice(at, at + 8).reduce((byte, bit, n) => byte | (bit << n), 0));
  return bytes;
}
