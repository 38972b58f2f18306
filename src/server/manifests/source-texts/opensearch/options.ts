// The options under `search:`.

import { z } from "zod";
import { durationOption, parseDuration, parseUrl } from "../../../../base/index.ts";

const urlForm =
  "expected an http or https URL without user name, query and fragment, such as https://opensearch.example.org:9200; a password belongs in password_env";

const isUrl = (text: string) =>
  text === "" || (/^https?:\/\/[^/?#@]+(\/[^?#@]*)?$/i.test(text) && parseUrl(text) !== undefined);

/** Naming restrictions of OpenSearch (Create Index API), and no `.`, with which system indexes begin. */
const indexForm =
  "expected a name of lower-case letters, digits, - and _ that begins with a letter, such as smalti";

const edit = "restart" as const;

/** Schema of `search:`. */
export const searchOptions = z
  .strictObject({
    backend: z.enum(["own", "opensearch"]).default("own").meta({
      description:
        "What searches the text of whole sources. `own`: the index in `cache.text`. `opensearch`: OpenSearch from 2.0; not on workerd.",
      edit,
    }),
    url: z.string({ error: urlForm }).refine(isUrl, { error: urlForm }).default("").meta({
      description: "URL of OpenSearch.",
      edit,
    }),
    index: z
      .string({ error: indexForm })
      .regex(/^[a-z][a-z0-9_-]{0,127}$/, { error: indexForm })
      .default("smalti")
      .meta({
        description: "Index, which the service creates, and from which it removes all that is not its own.",
        edit,
      }),
    username: z.string().default("").meta({ description: "Name of the user.", edit }),
    password_env: z.string().default("").meta({
      description: "Environment variable that holds the password.",
      edit,
    }),
    token_env: z.string().default("").meta({
      description: "Environment variable that holds a bearer token.",
      edit,
    }),
    timeout: durationOption
      .refine((text) => parseDuration(text) > 0, { error: "expected more than 0" })
      .default("5s")
      .meta({ description: "Time for a response.", edit }),
  })
  .superRefine(({ backend, url, username, password_env, token_env }, context) => {
    const refuse = (key: string, message: string) =>
      context.addIssue({ code: "custom", path: [key], message });
    if (backend === "opensearch" && url === "")
      refuse("url", "expected a URL, since search.backend is opensearch");
    if ((username === "") !== (password_env === ""))
      refuse("password_env", "expected both of username and password_env, or neither");
    if (username !== "" && token_env !== "")
      refuse("token_env", "expected either a user or a token; remove one of them");
  });

export type SearchOptions = z.output<typeof searchOptions>;
