// Options of tracing.

import { z } from "zod";
import { isServiceUrl } from "../../base/index.ts";

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
        "URL of the collector for traces, which has to accept OTLP over HTTP as JSON. The service appends `/v1/traces` unless the URL ends with it. Empty: nothing is traced.",
      edit: "restart",
    }),
  token_env: z.string().default("").meta({
    description:
      "Environment variable that holds the token for the collector, which the service sends as `Authorization: Bearer`.",
    edit: "restart",
  }),
  sample_ratio: z
    .number({ error: ratioForm })
    .min(0, { error: ratioForm })
    .max(1, { error: ratioForm })
    .default(1)
    .meta({
      description:
        "Share of the requests that the service traces, from 0 to 1. If a request comes with a `traceparent`, that header alone decides.",
      edit: "restart",
    }),
});

export type TracingOptions = z.output<typeof tracingOptions>;
