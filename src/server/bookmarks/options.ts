// Options under `content_state:`: links to views, and the storage of states.

import { z } from "zod";
import { pathOption } from "../../base/index.ts";

const edit = "restart" as const;

const store = z
  .strictObject({
    enabled: z.boolean().default(false).meta({
      description:
        "If true, the service stores content states at permanent addresses. This needs a folder, and a token for writing.",
      edit,
    }),
    dir: pathOption.default("").meta({
      description:
        "Folder of the states. The service never removes anything from it, and only one server may write to it. Make backups of it.",
      edit,
    }),
    write_token: z.string().default("").meta({
      description: "Bearer token that a client has to send to store a state. Prefer write_token_env.",
      edit,
      secret: true,
    }),
    write_token_env: z.string().default("").meta({
      description: "Environment variable that holds this token. Without a token the service stores nothing.",
      edit,
    }),
  })
  .superRefine(({ enabled, dir, write_token, write_token_env }, context) => {
    const refuse = (key: string, message: string) =>
      context.addIssue({ code: "custom", path: [key], message });
    if (enabled && dir === "")
      refuse("dir", "expected a folder for the states, since content_state.store.enabled is true");
    if (write_token !== "" && write_token_env !== "")
      refuse("write_token", "expected only one of write_token and write_token_env; remove this one");
  });

/** Schema of `content_state:`. */
export const contentStateOptions = z.strictObject({
  enabled: z.boolean().optional().meta({
    description:
      "If true, there are links to views (Content State API 1.0): /content-state/, and the parameter iiif-content of /view. Empty: the value of presentation.enabled.",
    edit,
  }),
  store: store.prefault({}),
});

export type ContentStateOptions = z.output<typeof contentStateOptions>;
