// The options under `presentation:`.

import { z } from "zod";

const originForm = "expected an origin such as https://images.example.org, without a path";

const isOrigin = (text: string) =>
  /^https?:\/\//i.test(text) && URL.canParse(text) && new URL(text).origin === text.toLowerCase();

/** Schema of `presentation:`. */
export const presentationOptions = z.strictObject({
  enabled: z.boolean().default(true).meta({
    description:
      "Whether the service makes manifests and collections of the folders of the sources and of the manifest files in them.",
    edit: "restart",
  }),
  derive: z.enum(["auto", "always"]).default("auto").meta({
    description:
      "`auto`: while a hook answers `resolve`, file names need not be identifiers, so the service lists a folder only if the hook answers `presentation` for it too. `always`: it lists all folders.",
    edit: "restart",
  }),
  default_viewer: z.enum(["mirador", "uv"]).default("mirador").meta({
    description:
      "The viewer that /view opens: `mirador`, or `uv` for Universal Viewer. `?viewer=` in an address selects the other one.",
    edit: "restart",
  }),
  allowed_origins: z
    .array(z.string({ error: originForm }).refine(isOrigin, { error: originForm }))
    .default([])
    .meta({
      description:
        "Origins of other servers, such as https://images.example.org, whose images manifest files may name. If a file names others, the service serves it as it is, and the log says so.",
      edit: "restart",
    }),
});

export type PresentationOptions = z.output<typeof presentationOptions>;
