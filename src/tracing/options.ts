// Options of tracing.

import { z } from "zod";
import { isServiceUrl } from "../lib/network/s3-options.ts";

const urlForm =
  "expected an http or https URL without query and fragment, such as http://localhost:4318; empty: no tracing";
const ratioForm = "expected a number from 0 to 1";

/** Schema of the section `tracing`. */
export const tracingOptions = z.strictObject({
  otlp_endpoint: z
    .string({ error: urlForm })
    .refine((text) => text === "" || isServiceUrl(text), { error: urlForm })
    .default("")
    .meta({
      description:
        "Where traces are sent: a collector that takes OTLP over HTTP as JSON. `/v1/traces` is appended unless the URL ends so. Empty: nothing is traced.",
      edit: "restart",
    }),
  token_env: z.string().default("").meta({
    description:
      "Environment variable that holds the token which the collector gets as `Authorization: Bearer`.",
    edit: "restart",
  }),
  sample_ratio: z
    .number({ error: ratioForm })
    .min(0, { error: ratioForm })
    .max(1, { error: ratioForm })
    .default(1)
    .meta({
      description:
        "Share of the requests that are traced, from 0 to 1. A request that comes with a `traceparent` is traced where that says so.",
      edit: "restart",
    }),
});

export type TracingOptions = z.output<typeof tracingOptions>;
