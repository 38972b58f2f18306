// The published vulnerabilities of software that WebAssembly modules of packages were compiled from, and
// whether the service has them. The bill of materials and docs/contributing/vulnerabilities.md are made of
// it.

/**
 * Vulnerabilities by `ids` of a `part`: name and version of a row of scripts/upstream.mjs. `state`,
 * `justification` and `response` are those of CycloneDX 1.5 (vulnerabilities[].analysis); `detail` says why,
 * and what shows it.
 */
export const vulnerabilities = [
  {
    ids: ["CVE-2023-4863"],
    part: ["libwebp", "1.1.0-54-gd2e245ea"],
    state: "exploitable",
    response: ["workaround_available"],
    detail:
      "A WebP, or a WebP block of a TIFF, writes past its Huffman tables, inside the memory of a WebAssembly instance. Each master is decoded in an instance of its own, so the memory of no other image can be reached (test/hostile/decoders.test.ts). No package has a fixed build; CVE-2023-5129 was the same.",
  },
  {
    ids: ["CVE-2023-6350", "CVE-2023-6351", "CVE-2023-6704"],
    part: ["libavif", "1.0.1"],
    state: "exploitable",
    response: ["workaround_available"],
    detail:
      "An AVIF uses memory that is free or not its own, inside the memory of a WebAssembly instance. Each master is decoded in an instance of its own, whose memory is bounded, so the memory of no other image can be reached (test/hostile/decoders.test.ts). No package has a newer build.",
  },
  {
    ids: ["CVE-2025-48174", "CVE-2025-48175"],
    part: ["libavif", "1.0.1"],
    state: "not_affected",
    justification: "protected_at_runtime",
    detail:
      "Overflows when the encoder gets images of extreme sizes. Its input is pixels of the service, up to 16,384 on a side.",
  },
  {
    ids: ["CVE-2024-5171"],
    part: ["libaom", "3.7.0"],
    state: "not_affected",
    justification: "protected_at_runtime",
    detail:
      "An overflow when the encoder allocates images of extreme sizes. Its input is pixels of the service, up to 16,384 on a side.",
  },
  {
    ids: ["CVE-2023-1999"],
    part: ["libwebp", "1.1.0-54-gd2e245ea"],
    state: "not_affected",
    justification: "protected_at_runtime",
    detail:
      "A double free when the encoder runs out of memory. Its input is pixels of the service; the size of a response is bounded before, and an instance is dropped after any error.",
  },
  {
    ids: [
      "CVE-2018-25009",
      "CVE-2018-25010",
      "CVE-2018-25011",
      "CVE-2018-25012",
      "CVE-2018-25013",
      "CVE-2018-25014",
      "CVE-2020-36328",
      "CVE-2020-36329",
      "CVE-2020-36330",
      "CVE-2020-36331",
      "CVE-2020-36332",
    ],
    part: ["libwebp", "1.1.0-54-gd2e245ea"],
    state: "resolved",
    detail: "Fixed in libwebp 1.0.1.",
  },
  {
    ids: [
      "CVE-2020-13790",
      "CVE-2021-46822",
      "CVE-2021-20205",
      "CVE-2021-37972",
      "CVE-2021-29390",
      "CVE-2023-2804",
    ],
    part: ["libjpeg-turbo", "2.0.4"],
    state: "not_affected",
    justification: "code_not_present",
    detail:
      "Readers of PPM and GIF, later versions, and samples of 12 bits; the module exports a decompressor of 8 bits.",
  },
  {
    ids: ["CVE-2020-35538"],
    part: ["libjpeg-turbo", "2.0.4"],
    state: "not_affected",
    justification: "code_not_reachable",
    detail: "jpeg_skip_scanlines, which tjDecompress2 does not call.",
  },
  {
    ids: ["CVE-2020-17541"],
    part: ["libjpeg-turbo", "2.0.4"],
    state: "not_affected",
    justification: "code_not_reachable",
    detail: "The transform, which is not exported; fixed in 2.0.4.",
  },
  {
    ids: ["CVE-2026-75466"],
    part: ["libjpeg-turbo", "3.2.0"],
    state: "not_affected",
    justification: "code_not_reachable",
    detail: "The reader of PNG, which the interface of the module does not call.",
  },
  {
    ids: ["OSV-2026-1068"],
    part: ["libjpeg-turbo", "3.2.0"],
    state: "in_triage",
    detail:
      "Found by OSS-Fuzz in tj3Compress8, without a public cause. The encoder of progressive JPEG calls it with packed gray or RGB of 8 bits, 1 to 65,500 pixels a side, 4:4:4 or 4:2:0, and room for the largest file; only the values of the pixels come from outside. Each call has an instance of its own, so that other images cannot be reached.",
  },
  {
    ids: ["CVE-2018-14498", "CVE-2020-13790"],
    part: ["mozjpeg", "3.3.1"],
    state: "not_affected",
    justification: "code_not_present",
    detail: "Readers of BMP and PPM; the module has the encoder alone.",
  },
  {
    ids: ["CVE-2026-107080"],
    part: ["openjpeg", "2.5.4"],
    state: "not_affected",
    justification: "code_not_reachable",
    detail:
      "opj_dwt_encode_and_deinterleave_v is the 5-3 wavelet. OpenJPEG calls it for reversible files alone; the service writes irreversible ones, as the COD marker of files of all sizes shows (test/imaging/codecs/jp2/encode.test.ts).",
  },
  {
    ids: ["CVE-2025-54874"],
    part: ["openjpeg", "2.5.4"],
    state: "not_affected",
    justification: "code_not_reachable",
    detail: "The decoder, which is not used; fixed in 2.5.4.",
  },
  {
    ids: ["CVE-2026-41254"],
    part: ["lcms2", "2.16"],
    state: "not_affected",
    justification: "protected_by_mitigating_control",
    detail:
      "A grid of more nodes than 32 bits count is read past its end. src/imaging/colour/grid-sizes.ts refuses profiles with such a grid in any table, those of multiProcessElementsType included (test/imaging/colour/damaged-profiles.test.ts). Each profile has an instance of its own.",
  },
  {
    ids: ["CVE-2026-42798"],
    part: ["lcms2", "2.16"],
    state: "not_affected",
    justification: "code_not_reachable",
    detail: "The reader of .cube files, which the module does not export.",
  },
  {
    ids: [
      "CVE-2025-46687",
      "CVE-2025-46688",
      "CVE-2025-62490",
      "CVE-2025-62491",
      "CVE-2025-62492",
      "CVE-2025-62493",
      "CVE-2025-62494",
      "CVE-2025-62495",
      "CVE-2025-62496",
    ],
    part: ["quickjs", "2025-09-13"],
    state: "resolved",
    detail: "Fixed in the version that is bundled, which runs scripts of the operator alone.",
  },
];

/** Returns where an identifier is described. */
export const sourceOf = (id) =>
  id.startsWith("CVE-")
    ? { name: "NVD", url: `https://nvd.nist.gov/vuln/detail/${id}` }
    : { name: "OSV", url: `https://osv.dev/vulnerability/${id}` };
