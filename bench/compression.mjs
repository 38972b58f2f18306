// Measures the cost of compressing documents by level: bytes and milliseconds for manifests of 60, 1,000 and
// 20,000 canvases.
//   node bench/compression.mjs

import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const site = "https://images.example.org";

function manifest(canvases) {
  const items = Array.from({ length: canvases }, (_, n) => {
    const service = [{ id: `${site}/iiif/3/book%2Fpage-${n}.jpg`, type: "ImageService3", profile: "level2" }];
    const canvas = `${site}/iiif/presentation/3/book/canvas/${n + 1}`;
    const size = { width: 2000 + (n % 37), height: 3000 + (n % 41) };
    const picture = { type: "Image", format: "image/jpeg", service };
    return {
      id: canvas,
      type: "Canvas",
      label: { none: [`page-${n}`] },
      ...size,
      thumbnail: [
        { id: `${service[0].id}/full/^133,200/0/default.jpg`, width: 133, height: 200, ...picture },
      ],
      items: [
        {
          id: `${canvas}/page`,
          type: "AnnotationPage",
          items: [
            {
              id: `${canvas}/annotation`,
              type: "Annotation",
              motivation: "painting",
              body: { id: `${service[0].id}/full/max/0/default.jpg`, ...size, ...picture },
              target: canvas,
            },
          ],
        },
      ],
    };
  });
  return Buffer.from(JSON.stringify({ id: `${site}/iiif/presentation/3/book`, type: "Manifest", items }));
}

const ways = {
  br: (bytes, level) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: level } }),
  gzip: (bytes, level) => gzipSync(bytes, { level }),
};

for (const canvases of [60, 1_000, 20_000]) {
  const bytes = manifest(canvases);
  console.log(`${canvases} canvases, ${bytes.length} bytes`);
  for (const [name, compress] of Object.entries(ways))
    for (const level of [1, 4, 5, 6, 9]) {
      const times = Array.from({ length: canvases > 5_000 ? 3 : 9 }, () => {
        const began = performance.now();
        compress(bytes, level);
        return performance.now() - began;
      }).sort((a, b) => a - b);
      const median = times[times.length >> 1].toFixed(1);
      console.log(`  ${name} ${level}: ${compress(bytes, level).length} bytes, ${median} ms`);
    }
}
