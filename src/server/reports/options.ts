// The options under `errors:`.

import { z } from "zod";
import { parseUrl } from "../../base/index.ts";

const urlForm =
  "expected an http or https URL without user name and fragment, such as https://errors.example.org/smalti; a token belongs in token_env";

const isUrl = (text: string) =>
  text === "" || (/^https?:\/\/[^/?#@]+([/?][^#]*)?$/i.test(text) && parseUrl(text) !== undefined);

/** Schema of `errors:`. */
export const errorOptions = z.strictObject({
  report_url: z.string({ error: urlForm }).refine(isUrl, { error: urlForm }).default("").meta({
    description:
      "URL that the service posts each response of status 5xx to as JSON, for error tracking; errors of one kind at most once a minute. Empty: it posts none.",
    edit: "restart",
  }),
  token_env: z.string().default("").meta({
    description:
      "Environment variable that holds the token for this URL, which the service sends as `Authorization: Bearer`.",
    edit: "restart",
  }),
});

export type ErrorOptions = z.output<typeof errorOptions>;
