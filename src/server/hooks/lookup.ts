// The engine `lookup`: a template that turns an identifier into a key, or a mapping file.

import { z } from "zod";
import { type Log, type Platform, pathOption, plainSegments, watchFile } from "../../base/index.ts";
import { type HookEngine, HookError, type RequestInput, type Resolution } from "./hook.ts";
import { type Mapping, mappingFormats, readMapping } from "./mapping.ts";
import { mappingYamlReader } from "./mapping-yaml.ts";
import { parseTemplate } from "./template.ts";

/** Schema of `hook.lookup`. */
export const lookupOptions = z.strictObject({
  template: z
    .string()
    .superRefine((text, context) => {
      try {
        parseTemplate(text);
      } catch (error) {
        context.addIssue({ code: "custom", message: (error as Error).message });
      }
    })
    .default("")
    .meta({
      description:
        'Template that makes the key of an identifier, such as "{{ .Identifier }}.tif"; the page on hooks lists values and filters.',
      edit: "restart",
    }),
  file: pathOption
    .refine((name) => name === "" || mappingFormats.some((end) => name.toLowerCase().endsWith(`.${end}`)), {
      error: `expected the name of a file that ends in .${mappingFormats.join(", .")}`,
    })
    .default("")
    .meta({
      description:
        "File that maps identifiers, as YAML, JSON or CSV; relative to the configuration file. The service reads it again when it changes.",
      edit: "restart",
    }),
  source: z.string().default("").meta({
    description: "The source of keys without a source in the mapping. Empty: the default source.",
    edit: "restart",
  }),
  unmapped: z.enum(["not_found", "pass"]).default("not_found").meta({
    description:
      "What happens to identifiers that are not in the mapping file. `not_found`: the response is 404. `pass`: the service looks for them as if there were no hook.",
    edit: "restart",
  }),
});

export type LookupOptions = z.output<typeof lookupOptions>;

type Where = Pick<Platform, "files" | "startWorker">;

/** How rows are compared with requests. */
export interface RowNaming {
  /** Returns all names of an image, the one that counts first. */
  namesOf(identifier: string, page: number): readonly string[];
  /** Returns the form that these names have. Throws for a text that no identifier can be. */
  formOf(text: string): string;
}

const plainNaming: RowNaming = {
  namesOf: (identifier, page) => [`${identifier};${page}`, identifier],
  formOf: (text) => text,
};

/** Throws an Error that names the faulty key of the options or the file. */
export async function createLookupEngine(
  options: LookupOptions,
  platform: Where,
  log: Pick<Log, "info" | "error">,
  naming: RowNaming = plainNaming,
): Promise<HookEngine> {
  if ((options.template === "") === (options.file === ""))
    throw new Error("hook.lookup: expected either template or file; set one of them");
  return options.file === "" ? templateEngine(options) : mappingEngine(options, platform, log, naming);
}

function templateEngine({ template, source }: LookupOptions): HookEngine {
  const { fill } = parseTemplate(template);
  return {
    name: "lookup",
    has: (name) => name === "resolve",
    async call(name, input): Promise<Resolution | false | undefined> {
      if (name !== "resolve") return undefined;
      const key = fill((input as RequestInput).identifier);
      // An identifier without a part that the template needs, or with an impossible key, names nothing.
      return key !== undefined && canBeKey(key) ? { key, ...(source && { source }) } : false;
    },
    check: async () => {},
    close: async () => {},
  };
}

function canBeKey(text: string): boolean {
  // The two slashes of a URL are kept.
  const folded = text.replace(/(?<=^|\/)(https?:)\/\//gi, "$1/");
  return plainSegments(folded) !== undefined && !/\p{Cc}/u.test(text);
}

async function mappingEngine(
  { file, source, unmapped }: LookupOptions,
  platform: Where,
  log: Pick<Log, "info" | "error">,
  { namesOf, formOf }: RowNaming,
): Promise<HookEngine> {
  const readYaml = mappingYamlReader(platform);
  const watched = await watchFile<Mapping>({
    path: file,
    files: platform.files,
    log,
    of: "hook",
    key: "hook.lookup.file",
    read: (bytes) => readMapping(file, bytes, readYaml, formOf),
  });
  /** The rows of an image that say something about a function: that of the page, then that of the file. */
  const rowsOf = ({ identifier, page }: RequestInput) => {
    const { rows } = watched.current();
    return namesOf(identifier, page).flatMap((name) => {
      const row = rows.get(name);
      return row ? [{ row, isOfPage: name.endsWith(`;${page}`) && row.identifier !== identifier }] : [];
    });
  };
  return {
    name: "lookup",
    // An identifier without a row may be unknown, whatever the other rows contain.
    has: (name) => name === "resolve" || watched.current().functions.has(name),
    async call(name, input) {
      const looking = watched.refresh();
      if (looking) await looking;
      const found = rowsOf(input as RequestInput);
      const saying = found.find(({ row }) => row.results[name] !== undefined);
      const result = saying?.row.results[name];
      if (name !== "resolve") return result;
      if (result === undefined) return found.length > 0 || unmapped === "pass" ? undefined : false;
      // The key of a row for a page names the picture of that page.
      const page = saying?.isOfPage && { page: 1 };
      return { ...(source && { source }), ...(result as object), ...page };
    },
    *rows() {
      const { rows, impossible } = watched.current();
      for (const { identifier, line, results } of [...rows.values(), ...impossible])
        yield { identifier, line, hasKey: results.resolve !== undefined };
    },
    async check() {
      await watched.refresh();
      const problem = watched.problem();
      if (problem !== undefined) throw new HookError(problem);
    },
    close: async () => {},
  };
}
