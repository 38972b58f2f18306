// @jsquash/jpeg beside libjpeg-turbo with scaled decoding, and beside our own encoder.

import sharp from "sharp";
import { codecHost } from "../lib/codec-host.mjs";
import { compiled } from "../lib/compiled.mjs";
import { fixture, keptPicture, moduleOf, montage, packaged, peakMegabytes } from "./packages.mjs";

/** 12000 x 8400 pixels. */
const large = () =>
  keptPicture("20x21.jpg", async () => (await montage(20, 21)).jpeg({ quality: 90 }).toBuffer());

async function theirDecoder() {
  const { init, default: decode } = await packaged("@jsquash/jpeg", "@jsquash/jpeg/decode.js");
  let memory;
  await init(undefined, {
    instantiateWasm(imports, done) {
      const instance = new WebAssembly.Instance(
        moduleOf("@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm"),
        imports,
      );
      memory = Object.values(instance.exports).find((each) => each instanceof WebAssembly.Memory);
      done(instance);
      return instance.exports;
    },
    print() {},
    printErr() {},
  });
  return { decode: (data) => decode(new Uint8Array(data).buffer), memory: () => memory.buffer.byteLength };
}

async function ownDecoder() {
  const { turboDecoder } = await compiled("src/codecs/jpg/turbo/decoder.ts");
  const { readJpegHeader } = await compiled("src/codecs/jpg/markers/header.ts");
  const { memoryBytes } = await compiled("src/lib/byte-source.ts");
  const decoder = turboDecoder(await codecHost());
  return async (data, scaleFactor) => {
    const bytes = memoryBytes(data);
    const header = await readJpegHeader(bytes);
    const region = { x: 0, y: 0, width: header.width, height: header.height };
    return decoder(bytes, { header, page: 1, region, scaleFactor });
  };
}

/** 1200 x 900 pixels whose coded data has a marker that no JPEG has (Recommendation T.81, table B.1). */
async function damaged() {
  const picture = (await montage(2, 3)).resize(1200, 900, { fit: "fill" });
  const file = new Uint8Array(await picture.jpeg({ quality: 90 }).toBuffer());
  file.set([0xff, 0xc4, 0, 3, 0x55], file.length >> 1);
  return file;
}

const attempt = (decode, data) =>
  decode(data).then(
    () => true,
    () => false,
  );

async function encoders() {
  const picture = sharp(fixture("base.png")).removeAlpha().resize(512, 512, { fit: "cover" });
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const rgba = new Uint8Array(width * height * 4).fill(255);
  for (let i = 0; i < width * height; i++) rgba.set(data.subarray(3 * i, 3 * i + 3), 4 * i);
  const { createJpegEncoder } = await compiled("src/codecs/jpg/encode/fast-encode.ts");
  const own = createJpegEncoder((await codecHost()).wasm("jpeg-encode"));
  const { init, default: encode } = await packaged("@jsquash/jpeg", "@jsquash/jpeg/encode.js");
  await init(moduleOf("@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm"));
  const pixels = { width, height, bands: 3, interpretation: "rgb", data: new Uint8Array(data) };
  return {
    theirs: () => encode({ width, height, data: new Uint8ClampedArray(rgba) }, { quality: 90 }),
    own: () => own.encode({ kind: "pixels", pixels }, { quality: 90, chroma: "420" }),
  };
}

const scaled = "12000 x 8400 pixels, whole; own at 1/8";

export const rows = [
  {
    package: "@jsquash/jpeg",
    what: `decode ${scaled}`,
    unit: "ms",
    rounds: 3,
    async times() {
      const file = await large();
      const [{ decode }, own] = [await theirDecoder(), await ownDecoder()];
      return { theirs: () => decode(file), own: () => own(file, 8) };
    },
  },
  {
    package: "@jsquash/jpeg",
    what: `peak memory for ${scaled}`,
    unit: "MB",
    values: {
      async theirs() {
        await (await theirDecoder()).decode(await large());
        return peakMegabytes();
      },
      async own() {
        await (await ownDecoder())(await large(), 8);
        return peakMegabytes();
      },
    },
  },
  {
    package: "@jsquash/jpeg",
    what: "bands of a CMYK file",
    values: {
      theirs: async () => {
        const { width, height, data } = await (await theirDecoder()).decode(fixture("jpg-cmyk-adobe.jpg"));
        return `${data.length / width / height} (RGBA)`;
      },
      own: async () => `${(await (await ownDecoder())(fixture("jpg-cmyk-adobe.jpg"), 1)).bands} (CMYK)`,
    },
  },
  {
    package: "@jsquash/jpeg",
    what: "memory kept for each damaged file of 1.1 megapixels",
    unit: "MB",
    values: {
      async theirs() {
        const { decode, memory } = await theirDecoder();
        const file = await damaged();
        if (await attempt(decode, file)) return "read without an error";
        const before = memory();
        for (let n = 0; n < 20; n++) await attempt(decode, file);
        return (memory() - before) / 20 / 1e6;
      },
    },
  },
  {
    package: "@jsquash/jpeg",
    what: "of 150 damaged files, answered before one hangs",
    values: {
      async theirs(progress) {
        const { decode } = await theirDecoder();
        const file = await damaged();
        for (let n = 1; n <= 150; n++) {
          await attempt(decode, file);
          progress(n);
        }
        return 150;
      },
      async own(progress) {
        const decode = await ownDecoder();
        const file = await damaged();
        for (let n = 1; n <= 150; n++) {
          await attempt((data) => decode(data, 1), file);
          progress(n);
        }
        return 150;
      },
    },
  },
  { package: "@jsquash/jpeg", what: "encode 512 x 512 pixels at quality 90", unit: "ms", times: encoders },
];
