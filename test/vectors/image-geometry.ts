// Region and size of requests on given images: what is read and made, and the canonical spelling or the error
// code.

export interface GeometryVector {
  readonly version?: 2 | 3;
  /** Width, height. */
  readonly image: readonly [number, number];
  /** maxWidth, maxHeight, maxArea. */
  readonly limits?: readonly [number, number, number];
  /** `region/size`. */
  readonly ask: string;
  /** x, y, width, height. */
  readonly region?: readonly [number, number, number, number];
  readonly size?: readonly [number, number];
  readonly scale?: number | undefined;
  /** `region/size` of the canonical spelling. */
  readonly canonical?: string;
  readonly code?: string;
}

type Pair = readonly [number, number];
const image: Pair = [600, 400];
const whole = [0, 0, 600, 400] as const;

const sized = (ask: string, size: Pair, canonical: string, scale?: number): GeometryVector => ({
  image,
  ask: `full/${ask}`,
  region: whole,
  size,
  canonical: `full/${canonical}`,
  scale,
});

const cropped = (
  ask: string,
  region: readonly [number, number, number, number],
  scale?: number,
): GeometryVector => ({
  image,
  ask: `${ask}/max`,
  region,
  size: [region[2], region[3]],
  scale,
  canonical: `${region.join(",")}/max`,
});

const refused = (code: string, of: Pair, ...asks: readonly string[]): readonly GeometryVector[] =>
  asks.map((ask) => ({ image: of, ask, code }));

const huge = "18446744073709551616";

export const geometryVectors: readonly GeometryVector[] = [
  // Regions: cropped at the edges, refused outside, exact in percent.
  { image, ask: "0,0,600,400/max", region: whole, size: [600, 400], scale: 1, canonical: "full/max" },
  { image, ask: "pct:0,0,100,100/max", region: whole, size: [600, 400], scale: 1, canonical: "full/max" },
  {
    image: [400, 400],
    ask: "square/max",
    region: [0, 0, 400, 400],
    size: [400, 400],
    scale: 1,
    canonical: "full/max",
  },
  cropped("square", [100, 0, 400, 400], 1),
  { image: [400, 601], ask: "square/max", region: [0, 100, 400, 400], size: [400, 400], scale: 1 },
  cropped("500,300,200,200", [500, 300, 100, 100], 1),
  cropped("599,399,1,1", [599, 399, 1, 1], 1),
  cropped(`10,10,${huge},9007199254740993`, [10, 10, 590, 390], 1),
  cropped("pct:50,50,100,100", [300, 200, 300, 200], 1),
  cropped("pct:33.3,0,33.3,100", [200, 0, 200, 400], 1),
  cropped("pct:.5,0,50,50", [3, 0, 300, 200], 1),
  cropped("pct:99.99,0,50,50", [599, 0, 1, 200], 1),
  cropped("pct:0,0,0.01,0.01", [0, 0, 1, 1], 1),
  cropped(`pct:0,50,0.0${"0".repeat(400)}1,${huge}`, [0, 200, 1, 200], 1),
  ...refused("region_outside_image", image, "600,0,1,1/max", "0,400,1,1/max", `${huge},0,1,1/max`),
  ...refused(
    "region_outside_image",
    image,
    "pct:100,0,1,1/max",
    "pct:0,100,1,1/max",
    `pct:0,${huge},1,1/max`,
  ),

  // Sizes from one side, by percent, exact.
  sized("max", [600, 400], "max", 1),
  sized("600,", [600, 400], "max", 1),
  sized("300,", [300, 200], "300,200", 2),
  sized(",100", [150, 100], "150,100", 4),
  sized("200,", [200, 133], "200,133"),
  sized(",133", [200, 133], "200,133"),
  sized("pct:50", [300, 200], "300,200", 2),
  sized("pct:100", [600, 400], "max", 1),
  sized("pct:33.3", [200, 133], "200,133"),
  sized("pct:0.01", [1, 1], "1,1", 1024),
  sized("50,400", [50, 400], "50,400"),
  { image: [1001, 1001], ask: "full/pct:50", size: [501, 501], scale: 2 },
  { image: [1001, 1001], ask: "full/501,", size: [501, 501], scale: 2 },
  { image: [1000, 3], ask: "full/10,", size: [10, 1], canonical: "full/10,1" },

  // Confined: within both sides, touching one, never larger than the region without ^.
  sized("!300,300", [300, 200], "300,200", 2),
  sized("!1000,200", [300, 200], "300,200", 2),
  sized("!600,401", [600, 400], "max", 1),
  sized("!700,400", [600, 400], "max", 1),
  { image: [1000, 999], ask: "full/!100,100", size: [100, 100] },
  { image: [5000, 12], ask: "full/!100,100", size: [100, 1] },
  { image: [1000, 1000], ask: "full/!2000,500", size: [500, 500], scale: 2 },

  // Upscaling.
  ...refused(
    "upscaling_needs_caret",
    image,
    "full/601,",
    "full/,401",
    "full/601,10",
    "full/10,401",
    "full/pct:100.001",
  ),
  ...refused(
    "upscaling_needs_caret",
    image,
    "full/!601,401",
    `full/${huge},`,
    "0,0,10,10/11,",
    "590,0,100,10/,11",
  ),
  sized("^max", [600, 400], "max", 1),
  sized("^600,", [600, 400], "max", 1),
  sized("^300,", [300, 200], "300,200", 2),
  sized("^1200,", [1200, 800], "^1200,800"),
  sized("^,800", [1200, 800], "^1200,800"),
  sized("^pct:200", [1200, 800], "^1200,800"),
  sized("^1200,100", [1200, 100], "^1200,100"),
  sized("^!1200,1200", [1200, 800], "^1200,800"),
  sized("^!300,300", [300, 200], "300,200", 2),

  // Limits: max and boxes are reduced, all else is refused.
  {
    image: [4000, 2000],
    limits: [1000, 0, 0],
    ask: "full/max",
    size: [1000, 500],
    scale: 4,
    canonical: "full/max",
  },
  {
    image: [2000, 4000],
    limits: [1000, 0, 0],
    ask: "full/max",
    size: [500, 1000],
    scale: 4,
    canonical: "full/max",
  },
  { image: [2000, 4000], limits: [1000, 2000, 0], ask: "full/max", size: [1000, 2000], scale: 2 },
  {
    image: [4000, 2000],
    limits: [1000, 0, 0],
    ask: "full/!2000,2000",
    size: [1000, 500],
    scale: 4,
    canonical: "full/max",
  },
  {
    image: [4000, 2000],
    limits: [1000, 0, 0],
    ask: "full/1000,",
    size: [1000, 500],
    scale: 4,
    canonical: "full/max",
  },
  { image: [4000, 2000], limits: [1000, 0, 0], ask: "full/1001,", code: "output_too_large" },
  { image: [4000, 2000], limits: [1000, 0, 0], ask: "full/,501", code: "output_too_large" },
  { image: [4000, 2000], limits: [1000, 0, 0], ask: "full/pct:50", code: "output_too_large" },
  { image: [4000, 2000], limits: [1000, 0, 0], ask: "full/10,1001", code: "output_too_large" },
  {
    image: [4000, 2000],
    limits: [0, 0, 1_000_000],
    ask: "full/max",
    size: [1414, 707],
    canonical: "full/max",
  },
  { image: [4000, 2000], limits: [0, 500, 0], ask: "full/max", size: [1000, 500], scale: 4 },
  { image: [100, 200], limits: [0, 500, 0], ask: "full/^max", size: [250, 500] },
  { image: [4000, 2000], limits: [0, 500, 0], ask: "full/!3000,3000", size: [1000, 500], scale: 4 },
  { image: [4000, 500], limits: [0, 500, 0], ask: "full/max", size: [4000, 500], scale: 1 },
  { image: [4000, 2000], limits: [0, 500, 0], ask: "full/1002,", code: "output_too_large" },
  { image: [4000, 2000], limits: [0, 500, 0], ask: "full/,501", code: "output_too_large" },
  { image: [4000, 2000], limits: [0, 0, 1_000_000], ask: "full/1415,", code: "output_too_large" },
  { image: [1_000_000, 1], limits: [0, 0, 100], ask: "full/max", size: [100, 1] },
  { image: [1, 1_000_000], limits: [0, 0, 100], ask: "full/max", size: [1, 100] },
  {
    image,
    limits: [2000, 0, 0],
    ask: "full/max",
    region: whole,
    size: [600, 400],
    scale: 1,
    canonical: "full/max",
  },
  {
    image,
    limits: [2000, 0, 0],
    ask: "full/^max",
    region: whole,
    size: [2000, 1333],
    canonical: "full/^max",
  },
  { image, limits: [2000, 0, 0], ask: "full/^!3000,3000", size: [2000, 1333], canonical: "full/^max" },
  { image, limits: [2000, 0, 0], ask: "full/^1200,", size: [1200, 800], canonical: "full/^1200,800" },
  { image, limits: [2000, 0, 0], ask: "full/^2001,", code: "output_too_large" },
  { image, limits: [2000, 0, 0], ask: "full/^pct:400", code: "output_too_large" },
  { image, limits: [2000, 0, 0], ask: "full/!3000,3000", code: "upscaling_needs_caret" },
  { image, limits: [0, 0, 960_000], ask: "full/^max", size: [1200, 800], canonical: "full/^max" },

  // Tiles: the scale is exact, both sides rounded up.
  {
    image: [5000, 4000],
    ask: "0,0,512,512/512,512",
    size: [512, 512],
    scale: 1,
    canonical: "0,0,512,512/max",
  },
  {
    image: [5000, 4000],
    ask: "4096,0,1024,1024/452,512",
    region: [4096, 0, 904, 1024],
    size: [452, 512],
    scale: 2,
  },
  { image: [5000, 4000], ask: "4096,0,904,1024/452,", size: [452, 512], scale: 2 },
  { image: [5000, 4000], ask: "0,3072,1024,928/512,", size: [512, 464], scale: 2 },
  { image: [5000, 4000], ask: "full/313,", size: [313, 250], scale: 16 },
  { image: [5000, 4000], ask: "full/1250,1000", size: [1250, 1000], scale: 4 },
  { image: [4097, 4096], ask: "4096,0,1,2048/1,512", size: [1, 512], scale: 4 },
  {
    image: [4097, 4096],
    ask: "4096,0,1,2048/1,",
    size: [1, 512],
    scale: 4,
    canonical: "4096,0,1,2048/1,512",
  },
  { image: [5, 600], ask: "full/3,", size: [3, 300], scale: 2 },
  { image: [5000, 4000], ask: "0,0,512,512/256,", size: [256, 256], scale: 2 },
  {
    image: [5000, 4000],
    ask: "4608,3584,512,512/pct:25",
    region: [4608, 3584, 392, 416],
    size: [98, 104],
    scale: 4,
  },
  { image: [5000, 4000], ask: "1,0,512,512/256,256", size: [256, 256] },
  { image: [5000, 4000], ask: "0,0,511,512/256,256", size: [256, 256] },
  { image: [5000, 4000], ask: "0,0,1024,1024/512,500", size: [512, 500] },
  {
    image: [4097, 4096],
    limits: [256, 0, 0],
    ask: "4096,0,1,1024/1,",
    size: [1, 256],
    scale: 4,
  },
  // Narrow pictures keep their shape unless a tile is meant.
  { image: [1000, 10], ask: "full/,1", size: [100, 1], canonical: "full/100,1" },
  { image: [1, 5000], ask: "full/1,", size: [1, 5000], scale: 1, canonical: "full/max" },

  // Version 2: full equals max, no upscaling, w, if the aspect ratio is preserved.
  { version: 2, image, ask: "full/full", region: whole, size: [600, 400], scale: 1, canonical: "full/full" },
  { version: 2, image, ask: "full/max", region: whole, size: [600, 400], scale: 1, canonical: "full/full" },
  { version: 2, image, ask: "0,0,600,400/600,400", size: [600, 400], scale: 1, canonical: "full/full" },
  { version: 2, image, ask: "full/pct:50", size: [300, 200], scale: 2, canonical: "full/300," },
  { version: 2, image, ask: "full/200,133", size: [200, 133], canonical: "full/200," },
  { version: 2, image, ask: "full/200,134", size: [200, 134], canonical: "full/200,134" },
  { version: 2, image, ask: "full/!300,300", size: [300, 200], scale: 2, canonical: "full/300," },
  {
    version: 2,
    image,
    ask: "500,300,200,200/50,",
    size: [50, 50],
    scale: 2,
    canonical: "500,300,100,100/50,",
  },
  {
    version: 2,
    image: [4097, 4096],
    ask: "4096,0,1,2048/1,",
    size: [1, 512],
    scale: 4,
    canonical: "4096,0,1,2048/1,",
  },
  {
    version: 2,
    image: [4097, 4096],
    ask: "4096,0,1,2048/1,2048",
    size: [1, 2048],
    canonical: "4096,0,1,2048/full",
    scale: 1,
  },
  {
    version: 2,
    image: [4000, 2000],
    limits: [1000, 0, 0],
    ask: "full/full",
    size: [1000, 500],
    scale: 4,
    canonical: "full/full",
  },
  { version: 2, image: [4000, 2000], limits: [1000, 0, 0], ask: "full/1001,", code: "output_too_large" },
  ...["601,", ",401", "601,400", "600,401", "pct:101", "!601,401"].map(
    (size): GeometryVector => ({
      version: 2,
      image,
      ask: `full/${size}`,
      code: "version_2_does_not_upscale",
    }),
  ),
];
