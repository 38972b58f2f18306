// OpenJPEG's header function, fzstd, omggif and srvx, beside what is used instead of them.

import http from "node:http";
import { codecHost } from "../lib/codec-host.mjs";
import { compiled } from "../lib/compiled.mjs";
import { fixture, isSame, moduleOf, packaged, rgbaOf, soundFixtures } from "./packages.mjs";

async function openJpeg() {
  const file = "@cornerstonejs/codec-openjpeg/dist/openjpegwasm";
  const { default: create } = await packaged(
    "@cornerstonejs/codec-openjpeg",
    "@cornerstonejs/codec-openjpeg/wasmjs",
  );
  const quiet = () => {};
  const openjpeg = await create({
    instantiateWasm(imports, done) {
      const instance = new WebAssembly.Instance(moduleOf(`${file}.wasm`), imports);
      done(instance);
      return instance.exports;
    },
    print: quiet,
    printErr: quiet,
  });
  return (data, act) => {
    const decoder = new openjpeg.J2KDecoder();
    decoder.getEncodedBuffer(data.length).set(data);
    decoder[act]();
    const { width, height } = decoder.getFrameInfo();
    return `${width} x ${height}`;
  };
}

async function ownJp2() {
  const { jp2Codec } = await compiled("src/codecs/jp2/codec.ts");
  const { memoryBytes } = await compiled("src/lib/byte-source.ts");
  const codec = jp2Codec(await codecHost());
  return async (data) => {
    const { width, height } = await codec.probe(memoryBytes(data), 1);
    return `${width} x ${height}`;
  };
}

/** RFC 8878: a header and one compressed block of 14 bytes whose 32,512 sequences copy 65,539 bytes each. */
const copiesBillions = Uint8Array.from([
  ...[0x28, 0xb5, 0x2f, 0xfd, 0, 0x70],
  ...[(12 << 3) | 5, 0, 0],
  ...[0x09, 65, 255, 0, 0, 0x54, 1, 0, 52, 255, 255, 1],
]);

/** What becomes of the frame, and after how many milliseconds. */
async function untilRefused(decompress) {
  const began = performance.now();
  try {
    await decompress(copiesBillions);
    return `read in ${(performance.now() - began).toFixed(1)} ms`;
  } catch {
    return `refused in ${(performance.now() - began).toFixed(1)} ms`;
  }
}

const still = soundFixtures(".gif").filter((name) => !/animated|small/.test(name));

/** First frames of GIFs whose first frame fills them, that differ from libvips. */
async function wrongGifs(rgba) {
  let wrong = 0;
  for (const name of still) if (!isSame(await rgba(fixture(name)), await rgbaOf(fixture(name)))) wrong++;
  return `${wrong} of ${still.length}`;
}

const answer = () => new Response("text", { headers: { "content-type": "text/plain" } });

/** Serves a short text and asks for it `count` times, 6 at once; the client's time is part of both sides. */
async function asked(port, count) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 6 });
  const one = () =>
    new Promise((resolve, reject) => {
      http
        .get({ port, agent, path: "/", host: "127.0.0.1" }, (response) =>
          response.resume().on("end", resolve),
        )
        .on("error", reject);
    });
  await Promise.all(Array.from({ length: count }, one));
  agent.destroy();
}

export const rows = [
  {
    package: "@cornerstonejs/codec-openjpeg",
    what: "size by the header of a file of 600 x 400",
    values: {
      theirs: async () => (await openJpeg())(fixture("jp2-reversible.jp2"), "readHeader"),
      own: async () => (await ownJp2())(fixture("jp2-reversible.jp2")),
    },
  },
  {
    package: "@cornerstonejs/codec-openjpeg",
    what: "size after decoding a file of which half is missing",
    values: { theirs: async () => (await openJpeg())(fixture("bad-trunc-50.jp2"), "decode") },
  },
  {
    package: "fzstd",
    what: "23 bytes that copy two billion",
    values: {
      async theirs(progress) {
        progress("begun");
        const { decompress } = await packaged("fzstd");
        return untilRefused((data) => decompress(data));
      },
      async own() {
        const { decompressed } = await compiled("src/codecs/zstd/frames.ts");
        return untilRefused((data) => {
          const source = decompressed(data, 65536);
          for (let part = source.next(); part; ) part = source.next();
        });
      },
    },
  },
  {
    package: "omggif",
    what: "GIF fixtures read wrongly, first frames",
    values: {
      async theirs() {
        const { GifReader } = await packaged("omggif");
        return wrongGifs(async (data) => {
          const reader = new GifReader(data);
          const out = new Uint8Array(reader.width * reader.height * 4);
          reader.decodeAndBlitFrameRGBA(0, out);
          return out;
        });
      },
    },
  },
  {
    package: "srvx",
    what: "500 answers over HTTP, the client included; own: @hono/node-server",
    unit: "ms",
    async times() {
      const srvx = await packaged("srvx", "srvx/node");
      const { serve } = await packaged("@hono/node-server");
      const theirs = await srvx
        .serve({ port: 0, hostname: "127.0.0.1", silent: true, fetch: answer })
        .ready();
      const own = await new Promise((resolve) => {
        const server = serve({ port: 0, hostname: "127.0.0.1", fetch: answer }, () => resolve(server));
      });
      const [a, b] = [Number(new URL(theirs.url).port), own.address().port];
      return { theirs: () => asked(a, 500), own: () => asked(b, 500) };
    },
  },
];
