// Streams of a PDF file that are made here are deflated (ISO 32000-1, 7.4.4).

/** Returns a text in the form of zlib (RFC 1950), which the filter FlateDecode takes. */
export async function deflate(text: string | Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const coded = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(coded).arrayBuffer());
}
