import { expect, test } from "vitest";
import { fullScale, type Interpretation, type PixelBuffer } from "../../../src/imaging/pipeline/pixels.ts";
import { runSteps } from "../../../src/imaging/pipeline/run-steps.ts";
import { type Shape, shapeAfter } from "../../../src/imaging/pipeline/shape.ts";
import type { Step } from "../../../src/imaging/pipeline/step.ts";
import fc from "../../properties.ts";
import { kernels } from "./kernels.ts";
import { noise, picture } from "./pictures.ts";

test("steps run in their order", () => {
  const source = picture(3, 2, 1, (x, y) => y * 3 + x);
  // 0 1 2      2 1 0      5 2
  // 3 4 5  ->  5 4 3  ->  4 1
  //                       3 0
  expect([...runSteps(source, [{ op: "mirror" }, { op: "rotate", degrees: 90 }], kernels).data]).toEqual([
    5, 2, 4, 1, 3, 0,
  ]);
  //            3 0        0 3
  //        ->  4 1    ->  1 4
  //            5 2        2 5
  expect([...runSteps(source, [{ op: "rotate", degrees: 90 }, { op: "mirror" }], kernels).data]).toEqual([
    0, 3, 1, 4, 2, 5,
  ]);
});

test("no steps leave the pixels as they are", () => {
  const source = noise(4, 4, 3);
  expect(runSteps(source, [], kernels)).toBe(source);
});

test("steps leave their input's samples alone", () => {
  const source = noise(9, 8, 4);
  const before = source.data.slice();
  for (const steps of stepsOfEachKind) runSteps(source, [steps], kernels);
  expect(source.data).toEqual(before);
});

const stepsOfEachKind: readonly Step[] = [
  { op: "orient", orientation: 6 },
  { op: "crop", left: 1, top: 0, width: 2, height: 3 },
  { op: "resize", x: { size: 5, origin: 0, scale: 1.5 }, y: { size: 4, origin: 0.25, scale: 0.8 } },
  { op: "to-srgb", profile: false },
  { op: "to-light" },
  { op: "from-light", bits: 8 },
  { op: "from-light", bits: 16 },
  { op: "sharpen", radius: 0.6, amount: 0.5, threshold: 2 },
  { op: "mirror" },
  { op: "rotate", degrees: 270 },
  { op: "rotate", degrees: 33.3 },
  { op: "gray" },
  { op: "bitonal" },
  { op: "flatten", background: [255, 128, 0] },
  { op: "depth", bits: 8 },
  { op: "depth", bits: 16 },
];

const sources: readonly PixelBuffer[] = ([8, 16] as const).flatMap((bits) =>
  (
    [
      [1, "gray"],
      [2, "gray"],
      [3, "rgb"],
      [4, "rgb"],
      [3, "ycc"],
      [4, "ycc"],
      [4, "cmyk"],
    ] as const satisfies [1 | 2 | 3 | 4, Interpretation][]
  ).map(([bands, interpretation]) => ({ ...noise(7, 9, bands, bits), interpretation })),
);

function shapeOf(pixels: PixelBuffer): Shape {
  const { width, height, bands, interpretation } = pixels;
  return { width, height, bands, interpretation, depth: fullScale(pixels) === 255 ? 8 : 16 };
}

test("the shape predicted for any steps equals that of their result, for every kind of pixels", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...sources),
      fc.array(fc.constantFrom(...stepsOfEachKind), { maxLength: 5 }),
      (source, steps) => {
        // a crop that no longer fits is refused by the runner, and is no matter of shapes
        let shape = shapeOf(source);
        for (const step of steps) {
          if (step.op === "crop")
            fc.pre(step.left + step.width <= shape.width && step.height <= shape.height);
          shape = shapeAfter(shape, [step]);
        }
        const out = runSteps(source, steps, kernels);
        expect(shapeOf(out)).toEqual(shape);
        expect(shapeAfter(shapeOf(source), steps)).toEqual(shape);
        expect(out.data.length).toBe(shape.width * shape.height * shape.bands);
      },
    ),
    { numRuns: 500 },
  );
});
