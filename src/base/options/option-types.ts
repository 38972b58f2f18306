// Schemas of the value forms that several parts use in their options (durations, sizes and file names as
// people write them).

import { z } from "zod";
import { parseRange } from "../network/ip-range.ts";
import { parseDuration, parseSize } from "./quantity.ts";

const accepts = (parse: (text: string) => number) => (text: string) => {
  try {
    return Number.isFinite(parse(text));
  } catch {
    return false;
  }
};

const durationForm = "expected a duration such as 500ms, 30s, 5m, 24h or 7d";
export const sizeForm = "expected a size such as 64KiB, 256MiB, 10GiB or a number of bytes";

/** A duration: `500ms`, `30s`, `5m`, `24h`, `7d`; stored as written. */
export const durationOption = z
  .string({ error: durationForm })
  .refine(accepts(parseDuration), { error: durationForm })
  .meta({ form: "duration" });

/** An address or a range of addresses; `example`: those that the message names. */
export const rangeOption = (example = "10.0.0.0/8 or ::1") => {
  const error = `expected an address or range such as ${example}`;
  return z.string({ error }).refine(
    accepts((text) => parseRange(text).prefix),
    { error },
  );
};

/** A size: `64KiB`, `256MiB`, `10GiB` or plain bytes; stored as written. */
export const sizeOption = z
  .union(
    [
      z.int({ error: sizeForm }).min(0, { error: sizeForm }),
      z.string({ error: sizeForm }).refine(accepts(parseSize), { error: sizeForm }),
    ],
    { error: sizeForm },
  )
  .meta({ form: "size" });

/**
 * Name of a file or folder. Relative ones are taken from the folder of the configuration file before any part
 * sees them.
 */
export const pathOption = z.string().meta({ form: "path" });
