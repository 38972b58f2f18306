// The options under `errors:`.

import { z } from "zod";

const urlForm =
  "expected an http or https URL without user name and fragment, such as https://errors.example.org/smalti; a token belongs into token_env";

const isUrl = (text: string) =>
  text === "" || (/^https?:\/\/[^/?#@]+([/?][^#]*)?$/i.test(text) && URL.canParse(text));

/** Schema of `errors:`. */
export const errorOptions = z.strictObject({
  report_url: z.string({ error: urlForm }).refine(isUrl, { error: urlForm }).default("").meta({
    description:
      "Where each answer of status 5xx is posted as JSON, for error tracking; a kind of error at most once a minute. Empty: nowhere.",
    edit: "restart",
  }),
  token_env: z.string().default("").meta({
    description: "Environment variable that holds the token which reports carry, as `Authorization: Bearer`.",
    edit: "restart",
  }),
});

export type ErrorOptions = z.output<typeof errorOptions>;
