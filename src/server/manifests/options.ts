// The options under `presentation:`.

import { z } from "zod";
import { durationOption, parseDuration, parseUrl, sizeOption, textOrLanguageMap } from "../../base/index.ts";

const originForm = "expected an origin such as https://images.example.org, without a path";

const isOrigin = (text: string) =>
  /^https?:\/\//i.test(text) && parseUrl(text)?.origin === text.toLowerCase();

const address = z
  .string()
  .refine((text) => text === "" || /^https?:\/\/[^\s/]/i.test(text) || /^\/(?![/\\])\S*$/.test(text), {
    error: "expected an address with https://, or a path of this service with /",
  })
  .default("");

const intervalForm = "expected a duration from 10s to 7d, such as 1h";

function isInterval(text: string): boolean {
  if (!durationOption.safeParse(text).success) return false;
  const ms = parseDuration(text);
  return ms >= 10_000 && ms <= 7 * 86_400_000;
}

const onOff = (usual: "on" | "off") => z.enum(["on", "off"]).default(usual);

/** The viewers that pages open. */
export const viewerNames = ["mirador", "uv"] as const;

/** Schema of `presentation:`. */
export const presentationOptions = z.strictObject({
  enabled: z.boolean().default(true).meta({
    description:
      "If true, the service makes manifests and collections from the folders of the sources and the manifest files in them.",
    edit: "restart",
  }),
  derive: z.enum(["auto", "always"]).default("auto").meta({
    description:
      "`auto`: if a hook implements `resolve`, file names need not be identifiers, so the service lists a folder only if the hook also implements `presentation` for it. `always`: it lists all folders.",
    edit: "restart",
  }),
  pages: z.enum(["all", "first"]).default("all").meta({
    description:
      "`all`: in the manifest of a folder each page of a TIFF or PDF with several pages is a canvas. `first`: each file is one canvas, of its first page.",
    edit: "restart",
  }),
  texts: z.boolean().default(true).meta({
    description:
      "If true, files of text next to images (ALTO, PAGE, hOCR, plain text) give canvases their lines, and manifests a search. `texts: false` in the manifest file of a folder turns them off there.",
    edit: "restart",
  }),
  pdf_texts: z.boolean().default(true).meta({
    description:
      "If true, the text in a PDF is that of its pages, unless a file of text is next to it. It includes text that something covers. After turning it off, empty the cache `text`.",
    edit: "restart",
  }),
  default_viewer: z.enum(viewerNames).default("mirador").meta({
    description:
      "The viewer that /view opens: `mirador`, or `uv` for Universal Viewer. `?viewer=` in an address selects the other one.",
    edit: "restart",
  }),
  title: textOrLanguageMap.meta({
    description:
      "Name of the start page, or its names by language. Empty: the label of the manifest file at the top of the default source, else `smalti`.",
    edit: "restart",
  }),
  provider: z
    .strictObject({
      label: textOrLanguageMap.meta({
        description:
          "Name of the institution that provides the images, or its names by language. The start page shows it. Empty: the provider in the manifest file at the top of the default source.",
        edit: "restart",
      }),
      homepage: address.meta({
        description: "Address of the provider's own page, which the label links to.",
        edit: "restart",
      }),
      logo: address.meta({
        description: "Address of the provider's logo, which the start page shows next to the label.",
        edit: "restart",
      }),
    })
    .prefault({}),
  show_gated: z
    .enum(["hidden", "locked"], {
      error:
        "expected hidden (not listed) or locked (listed by its title, with a lock and the way to log in)",
    })
    .default("hidden")
    .meta({
      description:
        "How pages list a folder that a rule gates to readers without access. `hidden`: not at all. `locked`: by its title, with a lock, the heading of the profile and a link to the login; searches find it by its title. Its contents stay hidden in either case.",
      edit: "restart",
    }),
  login_services: z
    .enum(["manifest", "images"], {
      error: "expected manifest (named once, in the services of the manifest) or images (at each image)",
    })
    .default("manifest")
    .meta({
      description:
        "Where manifests of gated images describe the services to log in. `manifest`: once, and images refer to them. `images`: at each image; Mirador 3 shows gated images only then.",
      edit: "restart",
    }),
  changes: z
    .strictObject({
      enabled: z.boolean().default(false).meta({
        description:
          "If true, `/iiif/changes` is a stream of the changes to manifests (Change Discovery API 1.0), for those who harvest them. It is kept in the cache `changes`, which should survive a restart.",
        edit: "restart",
      }),
      interval: z
        .string({ error: intervalForm })
        .refine(isInterval, { error: intervalForm })
        .default("1h")
        .meta({
          description:
            "How long after a look at all folders the service looks again for what has changed. Each look lists all folders of the sources.",
          edit: "restart",
          form: "duration",
        }),
    })
    .prefault({}),
  download: z
    .strictObject({
      pdf: onOff("on").meta({
        description:
          "`on`: manifests offer their pages as one PDF. JPEG and JPEG 2000 masters that readers may see whole pass through as they are; other pages are rendered.",
        edit: "restart",
      }),
      zip: onOff("off").meta({
        description:
          "`on`: manifests offer their masters as one ZIP, with all that the files contain. Only readers who may see all of an image get its file.",
        edit: "restart",
      }),
      max_pages: z.int().min(1).max(2000).default(1000).meta({
        description: "Manifests with more canvases are not offered as one file; 2000 at most.",
        edit: "restart",
      }),
      max_size: sizeOption.default("4GiB").meta({
        description:
          "Bytes of masters that one file may contain. Pages of a PDF with more are rendered; a ZIP with more is refused.",
        edit: "restart",
      }),
      page_size: z.int().min(256).max(10_000).default(2500).meta({
        description: "Longest side, in pixels, of the pages of a PDF that have to be rendered.",
        edit: "restart",
      }),
    })
    .prefault({}),
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
