// The options under `signed_links:`.

import { z } from "zod";
import { keyIdForm } from "./link-token.ts";

const idForm = "expected 1 to 16 letters, digits, hyphens and underscores, such as 2026";

/** More keys than two are of use only while links of several years are valid. */
const maxKeys = 16;

const key = z.strictObject({
  id: z
    .string({ error: idForm })
    .regex(keyIdForm, idForm)
    .meta({ description: "Name of the key, which its links contain.", edit: "live" }),
  secret_env: z.string().min(1, "expected the name of an environment variable that holds the secret").meta({
    description: "Environment variable that holds the secret of the key, such as 32 random bytes.",
    edit: "live",
  }),
});

/** Schema of `signed_links:`. */
export const linkOptions = z.strictObject({
  keys: z
    .array(key)
    .max(maxKeys)
    .refine((keys) => new Set(keys.map(({ id }) => id)).size === keys.length, {
      error: "expected keys with different ids",
    })
    .default([])
    .meta({
      description:
        "Keys of links that open an image to anyone who has them, past logins and the budgets of visitors; `smalti sign` makes them with the first key. Removing a key ends its links. Empty: there are no such links.",
      edit: "live",
    }),
});

export type LinkOptions = z.output<typeof linkOptions>;
