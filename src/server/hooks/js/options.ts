// The options of the engine `js`.

import { z } from "zod";
import { durationOption, parseDuration, parseSize, pathOption, sizeOption } from "../../../base/index.ts";

/** Limits a schema's values to a range, inclusive. */
const isWithin =
  <T extends string | number>(parse: (text: T) => number, least: number, max: number) =>
  (text: T) =>
    parse(text) >= least && parse(text) <= max;

const mebibyte = 2 ** 20;

/** Schema of `hook.js`. */
export const jsOptions = z.strictObject({
  file: pathOption.default("").meta({
    description:
      "An ES module that exports `resolve`, `authorize`, `presentation` or `overlay`; relative to the configuration file. The service reads it again when it changes.",
    edit: "restart",
  }),
  timeout: durationOption
    .refine(isWithin(parseDuration, 1, 10_000), { error: "expected a duration between 1ms and 10s" })
    .default("50ms")
    .meta({
      description: "How long one call may run. The time that it waits in the queue does not count.",
      edit: "restart",
    }),
  memory: sizeOption
    .refine(isWithin(parseSize, 16 * mebibyte, 1024 * mebibyte), {
      error: "expected a size between 16MiB and 1GiB",
    })
    .default("32MiB")
    .meta({ description: "How much memory one call may use.", edit: "restart" }),
});

export type JsOptions = z.output<typeof jsOptions>;
