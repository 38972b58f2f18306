import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { testHost } from "../../../../host.ts";
import { plainFields, tiffFile } from "../tiff-file.ts";

/**
 * A drawing of 101 by 60 pixels, written by libtiff in each of its CCITT schemes (through Pillow and
 * ImageMagick).
 */
const files = [
  [
    "modified Huffman",
    "SUkqALwAAADYsNiw2LDYsNiw2LDYsNiw2LDYsNiw2LDYsNiw2LDYsNiw2LDYsNiacNjfANjXYNgVgNmPwNpOYNq84N6ouNiw2LDYsNiw2LDYsNiw2LDYsN4hoDRWhsAy7QkAS8bXANmFMNpFQFlA1RIAJcakACRDTIBUQ3aAU0dCHCQAC0dF60QABemXk4AExvEALUNxcBdC0DAWQtBA2aqbUDRTiYAVQk0g3knRwN3V+LDbuutcWVRDFoAJAAABAwABAAAAZQAAAAEBAwABAAAAPAAAAAIBAwABAAAAAQAAAAMBAwABAAAAAgAAAAYBAwABAAAAAQAAABEBBAABAAAACAAAABYBAwABAAAAPAAAABcBBAABAAAAtAAAABwBAwABAAAAAQAAAAAAAAA=",
  ],
  [
    "group 3 of one dimension",
    "SUkqAPoAAAAAHYsADsWAB2LAA7FgAdiwAOxYAHYsADsWAB2LAA7FgAdiwAOxYAHYsADsWAB2LAA7FgAdiwAOxYAHYsADsTTgA7G+AAdjXYAOwKwAHZj8AHaTmADtXnAB3qi4AOxYAHYsADsWAB2LAA7FgAdiwAOxYAHYsADsWAB3iGgATRWhsAEy7QkACl42uAB2YUwAdpFQAFZQNUSAASXGpAAJIhpkAAqiG7QAFTR0IcJAAIWjovWiAAQXpl5OACCY3iAAS1DcXABF0LQMAEWQtBAAdmqm1AAJopxMAEVQk0gAO8k6OADu6vxYADt3XWuABWVRDFoAAAkAAAEDAAEAAABlAAAAAQEDAAEAAAA8AAAAAgEDAAEAAAABAAAAAwEDAAEAAAADAAAABgEDAAEAAAABAAAAEQEEAAEAAAAIAAAAFgEDAAEAAAA8AAAAFwEEAAEAAADxAAAAHAEDAAEAAAABAAAAAAAAAA==",
  ],
  [
    "group 3 of one dimension, rows filled to bytes",
    "SUkqALYBAAAAATUDw1QAATUDw1QAATUDw1QAATUDw1QAATUDw1QAATUDw1QAATUDw1QAATUDw1QAATUDw1QAATUDw1QAATUDw1QAATUDw1QAATUDw1QAATUDw1QAATUDw1QAATUDw1QAATUDw1QAATUDw1QAATUDw1QAATUDw0h8AAE1A8Gp4AE1A8Gl2AABNQPDNgwAATUDwzHGAAE1A8MtxQABNQPAw4QAATUDwwOGwAE1A8NUAAE1A8NUAAE1A8NUAAE1A8NUAAE1A8NUAAE1A8NUAAE1A8NUAAE1A8NUAAE1A8NUAAE1A8xwaQABNQZx2ODUAAE1Badjg1gAATUCxwahyAABNQPDMHFAATUDwyxxAAE1AoHBuOIOFAABNQOHBpgKAAE1A3HBpsOAATUFMcGqAcABNQUhwg4aLhwoAAE1BkHCDhshjhwAATUFZxHDZAEAATUFVwanDQABNQVBwaoDYAABNQ1hw1YBuAABNQ1Rw1YBQAABNQPDccWwLgABNQZxxYDKAAE1DUHBrsMsAAE1A84AgcIAATUD3AMOY5gAATUD+wYhjkABNQKBxBwzjg4AEQAAAQMAAQAAAGUAAAABAQMAAQAAADwAAAACAQMAAQAAAAEAAAADAQMAAQAAAAMAAAAGAQMAAQAAAAAAAAAKAQMAAQAAAAEAAAARAQQAAQAAAAgAAAASAQMAAQAAAAEAAAAVAQMAAQAAAAEAAAAWAQMAAQAAADwAAAAXAQQAAQAAAK0BAAAaAQUAAQAAAIgCAAAbAQUAAQAAAJACAAAcAQMAAQAAAAEAAAAkAQQAAQAAAAQAAAAoAQMAAQAAAAMAAAApAQMAAgAAAAAAAQAAAAAAKVxxAAAABAApXHEAAAAEAA==",
  ],
  [
    "group 3 of two dimensions",
    "SUkqAOQAAAAAHsWABQAexYAFAB7FgAUAHsWABQAexYAFAB7FgAUAHsWABQAexYAFAB7FgAUAHsWABAgoAPY3wACSgA9gVgAJBQAe0nMAEEFAB71RcAEMAHsWABQAexYAFAB7FgAUAHsWABQAe8Q0ACJokoAMy7QkACSEk1AB7MKYAJKADWUDVEgAEEhCwAZIhpkAAgghQUAGpo6EOEgAEEEIQQoJKADBemXk4AJIUFABlqG4uACIuhSgAxZC0EABCSaCUAGaKcTABEVQhKAD3knRwASQSOKAD27rrXAAisqCQIYACgAAAQMAAQAAAGUAAAABAQMAAQAAADwAAAACAQMAAQAAAAEAAAADAQMAAQAAAAMAAAAGAQMAAQAAAAEAAAARAQQAAQAAAAgAAAAWAQMAAQAAADwAAAAXAQQAAQAAANsAAAAcAQMAAQAAAAEAAAAkAQQAAQAAAAEAAAAAAAAA",
  ],
  [
    "group 3 of two dimensions, rows filled to bytes",
    "SUkqAAABAAAAAexYAAFAAexYAAFAAexYAAFAAexYAAFAAexYAAFAAexYAAFAAexYAAFAAexYAAFAAexYAAFAAexYAAECCgAB7G+AASUAAewKwAEgoAHtJzABBBQAAe9UXAABDAAB7FgAAUAB7FgAAUAB7FgAAUAB7FgAAUAB7xDQAAETRJQAAZl2hIABJCSagAHswpgAASUAAaygaokAAQSELAABkiGmQAABBBCgoAGpo6EOEgABBBCEEKCSgAGC9MvJwAEkKCgAAZahuLgAARF0KUABiyFoIAABCSaCUAGaKcTAARFUISgAAe8k6OABJBI4oAHt3XWuAAEVlQSBDAoAAAEDAAEAAABlAAAAAQEDAAEAAAA8AAAAAgEDAAEAAAABAAAAAwEDAAEAAAADAAAABgEDAAEAAAABAAAAEQEEAAEAAAAIAAAAFgEDAAEAAAA8AAAAFwEEAAEAAAD4AAAAHAEDAAEAAAABAAAAJAEEAAEAAAAFAAAAAAAAAA==",
  ],
  [
    "group 4",
    "SUkqAHwAAAAmoHhq//////wQWEtLCWgtLCCyB4YHHH//8geY+QZx0sJJaQkMofEIIdLIFA5BuOEEOEhC6CCWEEKC0iEHCRh8IIQghQSWEgkkOkKC0EEshrDilpJYkMocJaSCyGoOISxQRAgfSCRMfCSpZAoHgkCGACACABAAAAEDAAEAAABlAAAAAQEDAAEAAAA8AAAAAgEDAAEAAAABAAAAAwEDAAEAAAAEAAAABgEDAAEAAAAAAAAACgEDAAEAAAABAAAAEQEEAAEAAAAIAAAAEgEDAAEAAAABAAAAFQEDAAEAAAABAAAAFgEDAAEAAAA8AAAAFwEEAAEAAABzAAAAGgEFAAEAAABCAQAAGwEFAAEAAABKAQAAHAEDAAEAAAABAAAAKAEDAAEAAAADAAAAKQEDAAIAAAAAAAEAAAAAAClccQAAAAQAKVxxAAAABAA=",
  ],
] as const;

const codec = createCodecs(testHost).decoder("tif");

async function decode(data: Uint8Array) {
  const header = await codec.probe(memoryBytes(data), 1);
  const region = { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(memoryBytes(data), { header, page: 1, region, scaleFactor: 1 });
}

/** Decodes a file with libvips, damaged or not. */
const readByLibvips = (data: Uint8Array) =>
  sharp(data, { failOn: "none" }).toColourspace("b-w").raw().toBuffer();

/** Position of the entry of a field in the first directory of a little-endian file. */
function entryOf(data: Uint8Array, tag: number): number {
  const view = new DataView(data.buffer);
  const directory = view.getUint32(4, true);
  for (let i = 0; i < view.getUint16(directory, true); i++)
    if (view.getUint16(directory + 2 + i * 12, true) === tag) return directory + 2 + i * 12;
  throw new Error(`no field ${tag}`);
}

function setShort(data: Uint8Array, entry: number, value: number): void {
  const view = new DataView(data.buffer);
  view.setUint16(entry + 2, 3, true);
  view.setUint16(entry + 8, value, true);
}

/** Returns a file of one strip with that strip's size and offset, and the directory entry of its size. */
function strip(data: Uint8Array) {
  const view = new DataView(data.buffer);
  const entry = entryOf(data, 279);
  const short = view.getUint16(entry + 2, true) === 3;
  const size = short ? view.getUint16(entry + 8, true) : view.getUint32(entry + 8, true);
  return { data, entry, size, offset: view.getUint32(entryOf(data, 273) + 8, true) };
}

/** The first row of 101 pixels that is not the same. */
const firstRow = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Math.floor(Array.from(a).findIndex((value, i) => value !== b[i]) / 101);

/** Returns the sample value of T.4's white in a file's interpretation. */
const faxWhite = (data: Uint8Array) => (data[entryOf(data, 262) + 8] === 0 ? 255 : 0);

const bytesOf = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

describe("CCITT", () => {
  test.each(files)("%s decodes to the pixels of libtiff", async (_name, text) => {
    const data = bytesOf(text);
    const expected = await sharp(data).toColourspace("b-w").raw().toBuffer();
    const pixels = await decode(data);
    expect([pixels.width, pixels.height, pixels.bands]).toEqual([101, 60, 1]);
    expect([...pixels.data]).toEqual([...expected]);
  });

  test.each(files)(
    "%s that is cut off has at least the rows that libtiff reads, then white ones",
    async (_name, text) => {
      const { data, entry, size } = strip(bytesOf(text));
      const sound = await readByLibvips(data);
      for (const part of [2, 3, 5]) {
        const cut = Uint8Array.from(data);
        setShort(cut, entry, Math.floor(size / part));
        const pixels = (await decode(cut)).data;
        const row = firstRow(pixels, sound);
        expect(row).toBeGreaterThanOrEqual(firstRow(await readByLibvips(cut), sound));
        expect(pixels.subarray((row + 1) * 101).every((value) => value === faxWhite(data))).toBe(true);
      }
    },
  );

  test.each(files)("%s whose byte count is 0 is read completely", async (_name, text) => {
    const { data, entry } = strip(bytesOf(text));
    const expected = await readByLibvips(data);
    setShort(data, entry, 0);
    expect([...(await decode(data)).data]).toEqual([...expected]);
  });

  test.each(files)("%s with more rows than it holds is white below", async (_name, text) => {
    const { data } = strip(bytesOf(text));
    const expected = [...(await readByLibvips(data))];
    for (const tag of [257, 278]) setShort(data, entryOf(data, tag), 70);
    const pixels = await decode(data);
    expect(pixels.height).toBe(70);
    expect([...pixels.data.subarray(0, 101 * 60)]).toEqual(expected);
    expect(pixels.data.subarray(101 * 60).every((value) => value === faxWhite(data))).toBe(true);
  });

  // If rows are coded independently and begin with an end-of-line code, the next one is found again.
  test.each(files.slice(1, 3))("%s with changed bits decodes like in libtiff", async (_name, text) => {
    const { data, offset, size } = strip(bytesOf(text));
    for (let bit = 40; bit < 8 * (size - 20); bit += 29) {
      const changed = Uint8Array.from(data);
      changed[offset + (bit >> 3)]! ^= 128 >> (bit & 7);
      expect([...(await decode(changed)).data], `bit ${bit}`).toEqual([...(await readByLibvips(changed))]);
    }
  });

  test.each(files)("%s with changed bytes is right as far down as libtiff's reading", async (_name, text) => {
    const { data, offset, size } = strip(bytesOf(text));
    const sound = await readByLibvips(data);
    for (let byte = 8; byte < size - 4; byte += 5) {
      const changed = Uint8Array.from(data);
      changed[offset + byte]! ^= 0x5a;
      const row = firstRow((await decode(changed)).data, sound);
      expect(row, `byte ${byte}`).toBe(firstRow(await readByLibvips(changed), sound));
    }
  });

  test.each([
    ["nothing but zeros", new Uint8Array(64)],
    ["an end-of-line code", Uint8Array.of(0, 16, 1, 0, 16, 1)],
  ])("group 4 of %s is refused", async (_name, block) => {
    const fields = plainFields(64, 64, 1, 1, 0, [259, 3, 4]);
    await expect(decode(tiffFile([{ fields, blocks: [block] }]))).rejects.toMatchObject({ kind: "decode" });
  });

  test("group 3 without end-of-line codes is read, and is white from damage on", async () => {
    // Rows of 8 pixels: four white (1011), four black (011), by table 2 of T.4; then a row that is no code.
    const fields = plainFields(8, 4, 1, 1, 0, [259, 3, 3]);
    const block = Uint8Array.of(0b10110111, 0b01101100, 0b00000010, 0b11111111);
    const row = [255, 255, 255, 255, 0, 0, 0, 0];
    const white = row.map(() => 255);
    const pixels = await decode(tiffFile([{ fields, blocks: [block] }]));
    expect([...pixels.data]).toEqual([...row, ...row, ...white, ...white]);
  });

  test("rows as wide as the longest codes need decode to the pixels of libvips", async () => {
    // White, then black, longer than the longest run of one codeword (2560).
    const width = 9001;
    const raw = new Uint8Array(width * 3).fill(255);
    raw.fill(0, width + 3000, width + 8999);
    raw.fill(0, 2 * width, 3 * width);
    const data = await sharp(raw, { raw: { width, height: 3, channels: 1 } })
      .toColourspace("b-w")
      .tiff({ compression: "ccittfax4", bitdepth: 1 })
      .toBuffer();
    expect((await codec.probe(memoryBytes(data), 1)).variant).toBe("ccitt group 4");
    expect(Buffer.compare(Buffer.from((await decode(data)).data.buffer), Buffer.from(raw))).toBe(0);
  });
});
