// The sources that the WebAssembly modules of packages were compiled from, which their package.json does not
// say, and the files of their licences. The build makes THIRD_PARTY_LICENSES.txt and the bill of materials
// from it.
//
// Versions are those that a module states, if it does: test/scripts/upstream.test.ts. Texts in licences/ are
// those of the repositories, at the tag of the version.

/**
 * Software by name and version: `license` is an SPDX expression, `repository` is on github.com, `tag` is that
 * of the version there, `commit` the one that was compiled, `cpe` is vendor and product for those who look up
 * vulnerabilities; `release` is the last one before a version between two. `texts` are paths from the root of
 * this project, `packages` those that contain it.
 */
export const upstream = [
  {
    name: "emscripten",
    license: "MIT",
    repository: "emscripten-core/emscripten",
    texts: ["scripts/licences/emscripten.txt"],
    packages: [
      "@cornerstonejs/codec-libjpeg-turbo-8bit",
      "@cornerstonejs/codec-openjpeg",
      "@jitl/quickjs-wasmfile-release-sync",
      "@jsquash/avif",
      "@jsquash/jpeg",
      "@jsquash/jxl",
      "@jsquash/webp",
      "lcms-wasm",
    ],
  },
  // Brotli, Highway and skcms are those that libjxl's commit names.
  {
    name: "brotli",
    license: "MIT",
    repository: "google/brotli",
    texts: ["scripts/licences/brotli.txt"],
    packages: ["@jsquash/jxl"],
  },
  {
    name: "highway",
    license: "Apache-2.0",
    repository: "google/highway",
    texts: ["node_modules/@jsquash/jxl/LICENSE"],
    packages: ["@jsquash/jxl"],
  },
  {
    name: "lcms2",
    version: "2.16",
    license: "MIT",
    repository: "mm2/Little-CMS",
    tag: "lcms2.16",
    commit: "453bafeb85b4ef96498866b7a8eadcc74dff9223",
    cpe: "littlecms:little_cms",
    texts: ["scripts/licences/lcms.txt"],
    packages: ["lcms-wasm"],
  },
  {
    name: "libaom",
    version: "3.7.0",
    license: "BSD-2-Clause",
    repository: "jbeich/aom",
    tag: "v3.7.0",
    cpe: "aomedia:aomedia",
    texts: ["scripts/licences/libaom.txt"],
    packages: ["@jsquash/avif"],
  },
  {
    name: "libavif",
    version: "1.0.1",
    license: "BSD-2-Clause",
    repository: "AOMediaCodec/libavif",
    tag: "v1.0.1",
    cpe: "aomedia:libavif",
    texts: ["scripts/licences/libavif.txt"],
    packages: ["@jsquash/avif"],
  },
  {
    name: "libjpeg-turbo",
    version: "2.0.4",
    license: "IJG AND BSD-3-Clause AND Zlib",
    repository: "libjpeg-turbo/libjpeg-turbo",
    tag: "2.0.4",
    commit: "166e34213e4f4e2363ce058a7bcc69fd03e38b76",
    cpe: "libjpeg-turbo:libjpeg-turbo",
    texts: ["scripts/licences/libjpeg-turbo-2.0.4.md", "scripts/licences/ijg.txt"],
    packages: ["@cwasm/jpeg-turbo"],
  },
  {
    name: "libjpeg-turbo",
    version: "3.2.0",
    license: "IJG AND BSD-3-Clause AND Zlib",
    repository: "libjpeg-turbo/libjpeg-turbo",
    tag: "3.2.0",
    commit: "c85e6b905bf237038faa936dab160ebfc5da0344",
    cpe: "libjpeg-turbo:libjpeg-turbo",
    texts: ["scripts/licences/libjpeg-turbo-3.2.0.md", "scripts/licences/ijg.txt"],
    packages: ["@cornerstonejs/codec-libjpeg-turbo-8bit"],
  },
  // libspng and zlib come with libjpeg-turbo 3.2.0, which also reads and writes PNG.
  {
    name: "libspng",
    version: "0.7.4",
    license: "BSD-2-Clause AND libpng-2.0",
    repository: "randy408/libspng",
    tag: "v0.7.4",
    texts: ["scripts/licences/libspng.txt", "scripts/licences/libpng.txt"],
    packages: ["@cornerstonejs/codec-libjpeg-turbo-8bit"],
  },
  {
    // 18 January 2022, between two versions
    name: "libjxl",
    version: "0.6.1-9f544641",
    release: "0.6.1",
    license: "BSD-3-Clause",
    repository: "libjxl/libjxl",
    commit: "9f544641ec83f6abd9da598bdd08178ee8a003e0",
    cpe: "libjxl_project:libjxl",
    texts: ["scripts/licences/libjxl.txt"],
    packages: ["@jsquash/jxl"],
  },
  // libavif's encoder has libsharpyuv of this commit.
  {
    name: "libsharpyuv",
    version: "1.3.1-e2c85878",
    release: "1.3.1",
    license: "BSD-3-Clause",
    repository: "webmproject/libwebp",
    commit: "e2c85878f6a33f29948b43d3492d9cdaf801aa54",
    cpe: "webmproject:libwebp",
    texts: ["node_modules/@jsquash/webp/codec/LICENSE.codec.md"],
    packages: ["@jsquash/avif"],
  },
  {
    // 54 commits after 1.1.0, by which its decoder still calls itself
    name: "libwebp",
    version: "1.1.0-54-gd2e245ea",
    release: "1.1.0",
    license: "BSD-3-Clause",
    repository: "webmproject/libwebp",
    commit: "d2e245ea9e959a5a79e1db0ed2085206947e98f2",
    cpe: "webmproject:libwebp",
    texts: ["node_modules/@jsquash/webp/codec/LICENSE.codec.md"],
    packages: ["@jsquash/webp"],
  },
  {
    name: "mozjpeg",
    version: "3.3.1",
    license: "IJG AND BSD-3-Clause AND Zlib",
    repository: "mozilla/mozjpeg",
    tag: "v3.3.1",
    cpe: "mozilla:mozjpeg",
    texts: ["node_modules/@jsquash/jpeg/codec/LICENSE.codec.md", "scripts/licences/ijg.txt"],
    packages: ["@jsquash/jpeg"],
  },
  // The C library of Emscripten and of the WASI SDK.
  {
    name: "musl",
    license: "MIT",
    repository: "bminor/musl",
    texts: ["scripts/licences/musl.txt"],
    packages: [
      "@cornerstonejs/codec-libjpeg-turbo-8bit",
      "@cornerstonejs/codec-openjpeg",
      "@cwasm/jpeg-turbo",
      "@jitl/quickjs-wasmfile-release-sync",
      "@jsquash/avif",
      "@jsquash/jpeg",
      "@jsquash/jxl",
      "@jsquash/webp",
      "lcms-wasm",
    ],
  },
  {
    name: "openjpeg",
    version: "2.5.4",
    license: "BSD-2-Clause",
    repository: "uclouvain/openjpeg",
    tag: "v2.5.4",
    commit: "6c4a29b00211eb0430fa0e5e890f1ce5c80f409f",
    cpe: "uclouvain:openjpeg",
    texts: ["scripts/licences/openjpeg.txt"],
    packages: ["@cornerstonejs/codec-openjpeg"],
  },
  {
    name: "quickjs",
    version: "2025-09-13",
    license: "MIT",
    repository: "bellard/quickjs",
    cpe: "quickjs_project:quickjs",
    texts: ["node_modules/@jitl/quickjs-wasmfile-release-sync/LICENSE"],
    packages: ["@jitl/quickjs-wasmfile-release-sync"],
  },
  {
    name: "skcms",
    license: "BSD-3-Clause",
    repository: "google/skcms",
    texts: ["scripts/licences/skcms.txt"],
    packages: ["@jsquash/jxl"],
  },
  {
    name: "zlib",
    version: "1.3.2",
    license: "Zlib",
    repository: "madler/zlib",
    tag: "v1.3.2",
    cpe: "zlib:zlib",
    texts: ["scripts/licences/zlib.txt"],
    packages: ["@cornerstonejs/codec-libjpeg-turbo-8bit"],
  },
];

/** Texts of packages that hold none, from their repositories. */
export const packageTexts = {
  "@cornerstonejs/codec-libjpeg-turbo-8bit": "scripts/licences/cornerstone-codecs.txt",
  "@cornerstonejs/codec-openjpeg": "scripts/licences/cornerstone-codecs.txt",
  "@cwasm/jpeg-turbo": "scripts/licences/cwasm-jpeg-turbo.txt",
  "snowball-stemmers": "scripts/licences/snowball-stemmers.txt",
};
