// JPEG files taken apart and put together by their marker segments, for the tests of this folder.

export interface Segment {
  readonly code: number;
  readonly body: Uint8Array;
}

/** The segments before the first scan, and the rest of the file from the scan's marker on. */
export function takeApart(jpeg: Uint8Array): { segments: Segment[]; rest: Uint8Array } {
  const segments: Segment[] = [];
  let at = 2;
  while (jpeg[at + 1] !== 0xda) {
    const length = jpeg[at + 2]! * 256 + jpeg[at + 3]!;
    segments.push({ code: jpeg[at + 1]!, body: jpeg.slice(at + 4, at + 2 + length) });
    at += 2 + length;
  }
  return { segments, rest: jpeg.subarray(at) };
}

export function putTogether(segments: readonly Segment[], rest: Uint8Array): Uint8Array {
  const parts = segments.map(({ code, body }) => [
    new Uint8Array([0xff, code, (body.length + 2) >> 8, (body.length + 2) & 255]),
    body,
  ]);
  return new Uint8Array(Buffer.concat([new Uint8Array([0xff, 0xd8]), ...parts.flat(), rest]));
}

/** The file with other segments before its first scan. */
export function withSegments(jpeg: Uint8Array, change: (segments: Segment[]) => Segment[]): Uint8Array {
  const { segments, rest } = takeApart(jpeg);
  return putTogether(change(segments), rest);
}

/** The file with its frame header's code and body changed. */
export function withFrame(jpeg: Uint8Array, change: (frame: Segment) => Segment): Uint8Array {
  return withSegments(jpeg, (segments) => segments.map((s) => (isFrame(s.code) ? change(s) : s)));
}

export function isFrame(code: number): boolean {
  return code >= 0xc0 && code <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(code);
}

/** Bytes of `values` after those of an ASCII `name`. */
export function named(code: number, name: string, values: Iterable<number>): Segment {
  return { code, body: new Uint8Array([...[...name].map((c) => c.charCodeAt(0)), ...values]) };
}
