// The options under `admin:`.

import { z } from "zod";
import { pathOption } from "../../../base/index.ts";

const nameForm = "expected the name of an operator, as in the file: 1 to 256 characters without a colon";

/** Schema of `admin:`. */
export const adminOptions = z.strictObject({
  htpasswd_file: pathOption.default("").meta({
    description:
      "File of names and password hashes of further operators, in the form of `htpasswd -B`. It counts only if `SERVICE_ADMIN_USER` and `SERVICE_ADMIN_PASS` are set. The service reads it again when it changes.",
    edit: "restart",
  }),
  change: z
    .array(z.string({ error: nameForm }).regex(/^[^:\p{Cc}]{1,256}$/u, { error: nameForm }))
    .max(1000)
    .default([])
    .meta({
      description:
        "Names in that file that may also change something: purge, end sessions, save settings, try logins. All others may only look.",
      edit: "live",
    }),
});

export type AdminOptions = z.output<typeof adminOptions>;
