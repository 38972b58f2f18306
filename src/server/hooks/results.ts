// Checks what hooks return. Any unknown member is a failure of the hook, so that a misspelled name never
// counts as no opinion.

import { z } from "zod";
import { parseUrl } from "../../base/index.ts";
import { type Authorization, HookError, type HookFunction, type Resolution } from "./hook.ts";

/** Maximum characters of an identifier, key or address; a request target cannot have more. */
const maxLength = 8192;
/** Maximum characters of a text for people. */
const maxText = 1000;

/** A text that is safe in a header, a log and a file name. */
const plainText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^\P{Cc}*$/u, "expected text of one line");

/** An optional member; JSON uses null for that. */
const orNull = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined);

const webAddress = plainText(maxLength)
  .refine((text) => /^https?:\/\/[^/]/i.test(text) && parseUrl(text) !== undefined, {
    error: "expected an absolute http or https URL",
  })
  .transform((text) => new URL(text).href);

/** A plain object with any members. */
const members = z.record(z.string(), z.unknown());

const results = {
  resolve: z.union(
    [
      z.literal(false),
      z.strictObject({
        key: plainText(maxLength),
        source: orNull(plainText(maxText)),
        page: orNull(z.int().min(1)),
      }),
    ],
    {
      error: "expected { key, source?, page? }, or false where there is no such image",
    },
  ),
  authorize: z.strictObject({
    allow: z.boolean(),
    reason: orNull(plainText(maxText)),
    substitute: orNull(z.union([z.literal(true), plainText(maxLength)])),
    redirect: orNull(webAddress),
    profile: orNull(plainText(maxText)),
    status: orNull(z.int()),
  }),
  presentation: members,
  overlay: z.union([z.literal(false), members], {
    error: "expected overlay settings such as { image, opacity }, or false for no overlay",
  }),
} as const satisfies Record<HookFunction, z.ZodType>;

export interface HookResults {
  /** False if there is no image under this identifier. */
  readonly resolve: Resolution | false;
  readonly authorize: Authorization;
  readonly presentation: Readonly<Record<string, unknown>>;
  /** False for no overlay, whatever is configured. */
  readonly overlay: Readonly<Record<string, unknown>> | false;
}

/**
 * Returns the checked result of a function; undefined if it has no opinion. Throws HookError with what is
 * wrong.
 */
export function checkResult<F extends HookFunction>(name: F, result: unknown): HookResults[F] | undefined {
  if (result === undefined || result === null) return undefined;
  const { success, data, error } = results[name].safeParse(result);
  if (success) return data as HookResults[F];
  const [issue] = error.issues;
  const path = issue?.path.join(".");
  throw new HookError(
    `the answer is not of the form of ${name}: ${path ? `${path}: ` : ""}${issue?.message}`,
  );
}
