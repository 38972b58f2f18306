// Schemas of the value forms that several parts use in their options (durations and sizes as people write them).

import { z } from "zod";
import { parseDuration, parseSize } from "./quantity.ts";

const accepts = (parse: (text: string) => number) => (text: string) => {
  try {
    return Number.isFinite(parse(text));
  } catch {
    return false;
  }
};

/** A duration: `500ms`, `30s`, `5m`, `24h`, `7d`; kept as written. */
export const durationOption = z
  .string()
  .refine(accepts(parseDuration), { error: "expected a duration such as 500ms, 30s, 5m, 24h or 7d" });

/** A size: `64KiB`, `256MiB`, `10GiB` or plain bytes; kept as written. */
export const sizeOption = z.union([
  z.int().min(0),
  z.string().refine(accepts(parseSize), {
    error: "expected a size such as 64KiB, 256MiB, 10GiB or a number of bytes",
  }),
]);
