// @jsquash/png beside our own PNG.

import { crc32, deflateSync } from "node:zlib";
import { codecHost } from "../lib/codec-host.mjs";
import { compiled } from "../lib/compiled.mjs";
import { chances } from "../lib/session.mjs";
import {
  asRgba,
  fixture,
  isSame,
  keptPicture,
  moduleOf,
  montage,
  packaged,
  rgbaOf,
  soundFixtures,
} from "./packages.mjs";

const megapixels = 0.24 * 16;
const colour = () => keptPicture("4x4.png", async () => (await montage(4, 4)).png().toBuffer());

async function theirs() {
  const { init, default: decode } = await packaged("@jsquash/png", "@jsquash/png/decode.js");
  const { init: initEncode, default: encode } = await packaged("@jsquash/png", "@jsquash/png/encode.js");
  const file = "@jsquash/png/codec/pkg/squoosh_png_bg.wasm";
  const { memory } = await init(moduleOf(file));
  await initEncode(moduleOf(file));
  return { memory, encode, decode: (data) => decode(new Uint8Array(data).buffer) };
}

async function own() {
  const { pngCodec } = await compiled("src/codecs/png/codec.ts");
  const { memoryBytes } = await compiled("src/lib/byte-source.ts");
  const codec = pngCodec(await codecHost());
  return {
    encode: (pixels) => codec.write.encode(pixels, { format: "png", quality: 80 }),
    async decode(data) {
      const bytes = memoryBytes(data);
      const header = await codec.probe(bytes, 1);
      const region = { x: 0, y: 0, width: header.width, height: header.height };
      return codec.decode(bytes, { header, page: 1, region, scaleFactor: 1 });
    },
  };
}

async function wrongFixtures(decode, convert) {
  const names = soundFixtures(".png");
  let wrong = 0;
  for (const name of names)
    if (!isSame(convert(await decode(fixture(name))), await rgbaOf(fixture(name)))) wrong++;
  return `${wrong} of ${names.length}`;
}

/** How many files with one changed bit of picture data are read without an error. The data is stored, so that it inflates all the same. */
async function unnoticed(decode) {
  const plain = fixture("base.png");
  const start = Buffer.from(plain).indexOf("IDAT");
  const stored = deflateSync(Buffer.alloc(400 * (1 + 600 * 3)), { level: 0 });
  const head = plain.subarray(0, start - 4);
  const chunk = Buffer.alloc(12 + stored.length + 12);
  chunk.writeUInt32BE(stored.length, 0);
  chunk.write("IDAT", 4, "latin1");
  stored.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + stored.length)), 8 + stored.length);
  Buffer.from("0000000049454e44ae426082", "hex").copy(chunk, 12 + stored.length);
  const file = Buffer.concat([head, chunk]);
  await decode(new Uint8Array(file));
  const chance = chances(1);
  let read = 0;
  for (let n = 0; n < 20; n++) {
    const damaged = new Uint8Array(file);
    damaged[head.length + 100 + Math.floor(chance() * 60_000)] ^= 1 << (n % 8);
    if (
      await decode(damaged).then(
        () => true,
        () => false,
      )
    )
      read++;
  }
  return `${read} of 20`;
}

async function growth({ memory, decode }) {
  const damaged = fixture("base.png").slice();
  damaged.fill(0x55, damaged.length >> 1, (damaged.length >> 1) + 999);
  const fail = () =>
    decode(damaged).then(
      () => {
        throw new Error("read");
      },
      () => {},
    );
  await fail();
  const before = memory.buffer.byteLength;
  for (let n = 0; n < 40; n++) await fail();
  return (memory.buffer.byteLength - before) / 40 / 1e6;
}

export const rows = [
  {
    package: "@jsquash/png",
    what: "decode, 3.8 megapixels of RGB",
    unit: "ms / megapixel",
    per: megapixels,
    async times() {
      const file = await colour();
      const [a, b] = [await theirs(), await own()];
      return { theirs: () => a.decode(file), own: () => b.decode(file) };
    },
  },
  {
    package: "@jsquash/png",
    what: "encode, 3.8 megapixels of RGB",
    unit: "ms / megapixel",
    per: megapixels,
    async times() {
      const [a, b] = [await theirs(), await own()];
      const pixels = await b.decode(await colour());
      const image = new ImageData(new Uint8ClampedArray(asRgba(pixels)), pixels.width, pixels.height);
      return { theirs: () => a.encode(image), own: () => b.encode(pixels) };
    },
  },
  {
    package: "@jsquash/png",
    what: "png-gray4.png written again",
    unit: "KB written",
    values: {
      async theirs() {
        const pixels = await (await theirs()).decode(fixture("png-gray4.png"));
        return (await (await theirs()).encode(pixels)).byteLength / 1000;
      },
      async own() {
        const codec = await own();
        return (await codec.encode(await codec.decode(fixture("png-gray4.png")))).length / 1000;
      },
    },
  },
  {
    package: "@jsquash/png",
    what: "fixtures read wrongly, in 8 bits",
    values: {
      theirs: async () => wrongFixtures((await theirs()).decode, ({ data }) => data),
      own: async () => wrongFixtures((await own()).decode, asRgba),
    },
  },
  {
    package: "@jsquash/png",
    what: "files with a changed bit read without an error",
    values: {
      theirs: async () => unnoticed((await theirs()).decode),
      own: async () => unnoticed((await own()).decode),
    },
  },
  {
    package: "@jsquash/png",
    what: "memory kept for each damaged file of 0.24 megapixels",
    unit: "MB",
    values: { theirs: async () => growth(await theirs()) },
  },
];
