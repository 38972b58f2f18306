// The options of a source, by type; a new type joins as one member of the union.

import { z } from "zod";
import { durationOption } from "../lib/option-types.ts";

const shared = {
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "expected letters, digits, dots, dashes or underscores")
    .meta({ description: "Name in logs, in /ready and in cache keys.", edit: "restart" }),
  prefix: z
    .string()
    .regex(/^([^/\\].*\/)?$/s, "expected text that ends with /, such as museum/, or nothing")
    .default("")
    .meta({
      description:
        "Identifiers that begin with it belong to this source; it is taken off. Empty: the default source.",
      edit: "restart",
    }),
};

const filesystem = z.strictObject({
  ...shared,
  type: z.literal("filesystem").meta({ description: "Kind of source." }),
  root: z.string().min(1).meta({
    description: "Folder of the masters; relative to the configuration file.",
    edit: "restart",
  }),
  revalidate: durationOption.default("60s").meta({
    description:
      "How long a file that was found counts as unchanged before it is looked at again; what is rendered is always of one and the same file. 0s: looked at for each request.",
    edit: "restart",
  }),
});

export type FilesystemSourceOptions = z.output<typeof filesystem>;

/** Schema of `sources:`; an empty list keeps the bundled sample. */
export const sourceOptions = z
  .array(z.discriminatedUnion("type", [filesystem]))
  .default([])
  .superRefine((sources, context) => {
    for (const key of ["name", "prefix"] as const)
      sources.forEach((source, i) => {
        const other = sources.findIndex((each) => each[key] === source[key]);
        if (other < i)
          context.addIssue({
            code: "custom",
            path: [i, key],
            message: `is the same as that of sources.${other}; each source needs its own`,
          });
      });
  });

export type SourceOptions = z.output<typeof sourceOptions>[number];
