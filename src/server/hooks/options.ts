// Options under `hook:`: the engine, the facts that it receives about a request, and the options of each
// engine.

import { z } from "zod";
import { jsOptions } from "./js/options.ts";
import { lookupOptions } from "./lookup.ts";
import { webhookOptions } from "./webhook.ts";

/** Fields about one connection (RFC 9110, section 7.6.1), or about the end of the message. */
const hopByHop =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|host)$/i;

const headerForm =
  "expected the name of a header of the request, such as X-Group; those about the connection, Host and Content-Length are not given to hooks";

const headerName = z
  .string({ error: headerForm })
  .refine((name) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && !hopByHop.test(name), {
    error: headerForm,
  });

/** The engines, each with its options under its own name. */
export const hookEngines = ["noop", "lookup", "js", "webhook"] as const;

/** Schema of `hook:`. */
export const hookOptions = z.strictObject({
  engine: z.enum(hookEngines).default("noop").meta({
    description:
      "What implements the hooks. `noop`: nothing. `lookup`: a template or a mapping file. `js`: functions of your own. `webhook`: a web service.",
    edit: "restart",
  }),
  headers: z.array(headerName).default([]).meta({
    description:
      "Names of the request headers that hooks see. `Vary` includes each of them. With Cookie, Authorization or a header that proxies add, responses are private.",
    edit: "restart",
  }),
  client_ip: z.boolean().default(false).meta({
    description: "If true, hooks see the address of the client, and responses are private.",
    edit: "restart",
  }),
  lookup: lookupOptions.prefault({}),
  js: jsOptions.prefault({}),
  webhook: webhookOptions.prefault({}),
});

export type HookOptions = z.output<typeof hookOptions>;
