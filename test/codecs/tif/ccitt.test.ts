import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { tiffCodec } from "../../../src/codecs/tif/codec.ts";
import { memoryBytes } from "../../../src/lib/byte-source.ts";
import { testHost } from "../../host.ts";

/** A drawing of 101 by 60 pixels, written by libtiff in each of its CCITT schemes (through Pillow and ImageMagick). */
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

const codec = tiffCodec(testHost);

async function decode(data: Uint8Array) {
  const header = await codec.probe(memoryBytes(data), 1);
  const region = { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(memoryBytes(data), { header, page: 1, region, scaleFactor: 1 });
}

const bytesOf = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

describe("CCITT", () => {
  test.each(files)("%s decodes to the pixels of libtiff", async (_name, text) => {
    const data = bytesOf(text);
    const expected = await sharp(data).toColourspace("b-w").raw().toBuffer();
    const pixels = await decode(data);
    expect([pixels.width, pixels.height, pixels.bands]).toEqual([101, 60, 1]);
    expect([...pixels.data]).toEqual([...expected]);
  });

  test.each(files)("%s that is cut off is refused", async (_name, text) => {
    const data = bytesOf(text);
    const view = new DataView(data.buffer);
    const directory = view.getUint32(4, true);
    for (let i = 0; i < view.getUint16(directory, true); i++) {
      const entry = directory + 2 + i * 12;
      if (view.getUint16(entry, true) !== 279) continue;
      const type = view.getUint16(entry + 2, true);
      if (type === 3) view.setUint16(entry + 8, view.getUint16(entry + 8, true) >> 1, true);
      else view.setUint32(entry + 8, view.getUint32(entry + 8, true) >> 1, true);
    }
    await expect(decode(data)).rejects.toMatchObject({ kind: "decode" });
  });

  test("rows as wide as the longest codes need decode to the pixels of libvips", async () => {
    // White, then black, past the longest run that one code word can tell (2560).
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
