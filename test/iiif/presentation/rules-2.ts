// The rules of Presentation API 2.1 for documents: the tables of its appendix B and sections 3 to 5, with
// which documents are checked apart from the code that writes them.

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];
const isUri = (value: unknown) => typeof value === "string" && /^https?:\/\/[^\s/]+(\/|$)/.test(value);

const everywhere =
  "label metadata description thumbnail attribution license logo viewingHint seeAlso service related rendering within".split(
    " ",
  );
const words = (text: string) => text.split(" ").filter((word) => word !== "");

interface Rules {
  readonly required: readonly string[];
  readonly allowed: readonly string[];
  readonly hints: readonly string[];
  /** Members that hold other resources, with their types; "uri" is an address. */
  readonly holds: Readonly<Record<string, readonly string[]>>;
}

const members = ["sc:Collection", "sc:Manifest"];
const content = [
  "dctypes:Image",
  "oa:Choice",
  "oa:SpecificResource",
  "cnt:ContentAsText",
  "cnt:ContentAsText",
];

const rules: Readonly<Record<string, Rules>> = {
  "sc:Collection": {
    required: ["@id", "label"],
    allowed: words("navDate collections manifests members"),
    hints: words("top individuals multi-part"),
    holds: { collections: ["sc:Collection"], manifests: ["sc:Manifest"], members },
  },
  "sc:Manifest": {
    required: ["@id", "label", "sequences"],
    allowed: words("viewingDirection navDate sequences structures"),
    hints: words("individuals paged continuous"),
    holds: { sequences: ["sc:Sequence"], structures: ["sc:Range"] },
  },
  "sc:Sequence": {
    required: ["canvases"],
    allowed: words("viewingDirection startCanvas canvases"),
    hints: words("individuals paged continuous"),
    holds: { canvases: ["sc:Canvas"], startCanvas: ["uri"] },
  },
  "sc:Canvas": {
    required: words("@id label height width"),
    allowed: words("height width images otherContent"),
    hints: words("non-paged facing-pages"),
    holds: { images: ["oa:Annotation"], otherContent: ["sc:AnnotationList"] },
  },
  "sc:Range": {
    required: ["@id", "label"],
    allowed: words("viewingDirection startCanvas canvases ranges members"),
    hints: words("top individuals paged continuous"),
    holds: { canvases: ["uri"], ranges: ["uri"], startCanvas: ["uri"] },
  },
  "sc:AnnotationList": {
    required: ["@id"],
    allowed: words("resources next prev startIndex"),
    hints: [],
    holds: { resources: ["oa:Annotation"], next: ["uri"], prev: ["uri"] },
  },
  "sc:Layer": {
    required: ["@id", "label"],
    allowed: words("viewingDirection otherContent total first last"),
    hints: [],
    holds: { otherContent: ["uri"], first: ["uri"], last: ["uri"] },
  },
  "oa:Annotation": {
    required: words("motivation resource on"),
    allowed: words("motivation resource on"),
    hints: [],
    holds: { resource: content, on: ["uri", "oa:SpecificResource"] },
  },
  "dctypes:Image": { required: ["@id"], allowed: words("format height width"), hints: [], holds: {} },
  "oa:Choice": {
    required: ["default"],
    allowed: words("default item"),
    hints: [],
    holds: { default: content, item: content },
  },
  "oa:SpecificResource": {
    required: ["full"],
    allowed: words("full selector style"),
    hints: [],
    holds: { full: ["uri", ...content] },
  },
  "cnt:ContentAsText": { required: ["chars"], allowed: words("chars format language"), hints: [], holds: {} },
};

/** Resources in collections are references, which have no sequences. */
const minimal = ["collections", "manifests", "members", "otherContent"];
/** Members that are lists even with one in them. */
const lists = words(
  "collections manifests members sequences structures canvases ranges images otherContent resources metadata",
);

/** Returns the faults of a document of Presentation API 2.1; empty if it is valid. */
export function problemsOf2(document: unknown): readonly string[] {
  if (!isObject(document)) return ["no object"];
  const context = document["@context"] === "http://iiif.io/api/presentation/2/context.json";
  const { "@context": _, ...rest } = document;
  return [
    ...(context ? [] : ["no context of its own"]),
    ...resourceProblems(rest, Object.keys(rules), false),
  ];
}

function resourceProblems(value: unknown, types: readonly string[], referred: boolean): readonly string[] {
  if (types.includes("uri") && (types.length === 1 || typeof value === "string"))
    return isUri(value) ? [] : [`no address: ${JSON.stringify(value)}`];
  if (!isObject(value)) return [`no ${types.join(" or ")}`];
  const type = String(value["@type"]);
  const rule = types.includes(type) ? rules[type] : undefined;
  if (rule === undefined) return [`${type} where ${types.join(" or ")} belongs`];
  const required = referred ? rule.required.filter((key) => key.startsWith("@")) : rule.required;
  const known = ["@id", "@type", ...everywhere, ...rule.allowed];
  return [
    ...required.filter((key) => !(key in value) || value[key] === "").map((key) => `${type} lacks ${key}`),
    ...Object.keys(value)
      .filter((key) => !known.includes(key))
      .map((key) => `unknown ${key} in ${type}`),
    ...lists
      .filter(
        (key) =>
          key in value &&
          !(Array.isArray(value[key]) && value[key].length > 0) &&
          key !== "images" &&
          key !== "resources",
      )
      .map((key) => `${key} of ${type} is no list`),
    ...("@id" in value && !isUri(value["@id"]) ? [`@id: no address`] : []),
    ...("viewingHint" in value && !rule.hints.includes(value.viewingHint as string)
      ? [`${String(value.viewingHint)} on ${type}`]
      : []),
    ...texts(value),
    ...Object.entries(rule.holds).flatMap(([key, inner]) =>
      listOf(value[key]).flatMap((each) =>
        resourceProblems(each, inner, minimal.includes(key)).map((problem) => `${key}: ${problem}`),
      ),
    ),
    ...listOf(value.service).flatMap(serviceProblems),
    ...[...listOf(value.thumbnail), ...listOf(value.logo)].flatMap((image) =>
      isObject(image) && isUri(image["@id"]) ? listOf(image.service).flatMap(serviceProblems) : ["no image"],
    ),
    ...[...listOf(value.related), ...listOf(value.rendering), ...listOf(value.seeAlso)].flatMap((link) =>
      isObject(link) && isUri(link["@id"]) ? [] : ["no link"],
    ),
    ...listOf(value.within).flatMap((whole) => (isUri(whole) ? [] : ["within no address"])),
  ];
}

const isText = (value: unknown) =>
  typeof value === "string" ||
  (isObject(value) &&
    typeof value["@value"] === "string" &&
    Object.keys(value).every((key) => key === "@value" || key === "@language"));

function texts(value: Json): readonly string[] {
  const wrong = (key: string, found: unknown) => (listOf(found).every(isText) ? [] : [`${key} is no text`]);
  return [
    ...["label", "description", "attribution"].flatMap((key) => wrong(key, value[key])),
    ...listOf(value.metadata).flatMap((pair) =>
      isObject(pair) && "label" in pair && "value" in pair
        ? [...wrong("label", pair.label), ...wrong("value", pair.value)]
        : ["metadata without label and value"],
    ),
  ];
}

function serviceProblems(service: unknown): readonly string[] {
  if (!isObject(service)) return ["no service"];
  const inner = listOf(service.service).flatMap((each) =>
    isObject(each) && isUri(each["@id"]) && isUri(each.profile)
      ? []
      : ["a service in a service without @id and profile"],
  );
  return [
    ...(isUri(service["@context"]) ? [] : ["a service without its context"]),
    ...(isUri(service["@id"]) ? [] : ["a service without @id"]),
    ...(isUri(service.profile) ? [] : ["a service whose profile is no address"]),
    ...("id" in service || "type" in service ? ["a service of 3.0"] : []),
    ...inner,
  ];
}
