// The rules of Presentation API 3.0 for documents, as a table of its appendix A and of sections 3 to 5, with
// which documents are checked apart from the code that writes them.

type Json = Readonly<Record<string, unknown>>;
type Check = (value: unknown, around: { readonly type: string; readonly path: string }) => readonly string[];

const ok: readonly string[] = [];
const when = (good: boolean, problem: string): readonly string[] => (good ? ok : [problem]);
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const uri: Check = (value) =>
  when(
    typeof value === "string" && /^https?:\/\/[^\s/]+(\/|$)/.test(value) && URL.canParse(value),
    "no HTTP URI",
  );

const languageMap: Check = (value) =>
  when(
    isObject(value) &&
      Object.keys(value).length > 0 &&
      Object.entries(value).every(
        ([language, texts]) =>
          /^(none|[a-z]{2,3}(-[A-Za-z0-9]{1,8})*)$/.test(language) &&
          Array.isArray(texts) &&
          texts.length > 0 &&
          texts.every((text) => typeof text === "string"),
      ),
    "no language map",
  );

const pair: Check = (value) => {
  if (!isObject(value)) return ["no pair of label and value"];
  const others = Object.keys(value).filter((key) => key !== "label" && key !== "value");
  return [
    ...languageMap(value.label, none),
    ...languageMap(value.value, none),
    ...others.map((key) => `${key} in a pair of label and value`),
  ];
};

const none = { type: "", path: "" };

const listOf =
  (check: Check, least = 1): Check =>
  (value, around) =>
    !Array.isArray(value) || value.length < least
      ? [`no list of at least ${least}`]
      : value.flatMap((item, at) => check(item, around).map((problem) => `${at}: ${problem}`));

const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    when(words.includes(value as string), `${JSON.stringify(value)} is none of ${words.join(", ")}`);

const positive: Check = (value) =>
  when(Number.isInteger(value) && (value as number) > 0, "no positive whole number");
const text: Check = (value) => when(typeof value === "string" && value !== "", "no text");
const mediaType: Check = (value) =>
  when(typeof value === "string" && /^[a-z]+\/[a-z0-9.+-]+(;.*)?$/.test(value), "no media type");

/** The form of an external resource, such as a page or a file about it. */
const linked =
  (required: readonly string[], allowed: readonly string[] = []): Check =>
  (value) => {
    if (!isObject(value)) return ["no object"];
    const all: Readonly<Record<string, Check>> = {
      id: uri,
      type: text,
      label: languageMap,
      format: mediaType,
      language: listOf(text),
      profile: text,
    };
    const known = [
      "id",
      "type",
      "label",
      "format",
      "profile",
      "language",
      "thumbnail",
      "service",
      ...allowed,
    ];
    return [
      ...["id", "type", ...required].filter((key) => !(key in value)).map((key) => `lacks ${key}`),
      ...Object.keys(value)
        .filter((key) => !known.includes(key))
        .map((key) => `unknown ${key}`),
      ...Object.entries(value).flatMap(([key, inner]) =>
        (all[key]?.(inner, none) ?? []).map((problem) => `${key}: ${problem}`),
      ),
    ];
  };

const service: Check = (value) => {
  if (!isObject(value)) return ["no object"];
  const old = "@id" in value;
  const [id, type] = old ? ["@id", "@type"] : ["id", "type"];
  const inner = value.service === undefined ? ok : listOf(service)(value.service, none);
  return [
    ...uri(value[id], none),
    ...text(value[type], none),
    ...when(
      old === /^(Image|Auth.*|Search|AutoComplete)Service[12]$/.test(String(value[type])) ||
        /^(Auth|Search|AutoComplete).*2$/.test(String(value[type])),
      `${String(value[type])} named by ${id}`,
    ),
    ...when(!("@context" in value), "a context in a service"),
    ...when(
      !/^ImageService/.test(String(value[type])) || "profile" in value,
      "an image service without profile",
    ),
    ...inner,
  ];
};

/** Behaviours with the types they are for, and the sets of which a resource has one at most (section 3.2). */
const behaviors: Readonly<Record<string, readonly string[]>> = {
  "auto-advance": ["Collection", "Manifest", "Canvas", "Range"],
  "no-auto-advance": ["Collection", "Manifest", "Canvas", "Range"],
  repeat: ["Collection", "Manifest"],
  "no-repeat": ["Collection", "Manifest"],
  unordered: ["Collection", "Manifest", "Range"],
  individuals: ["Collection", "Manifest", "Range"],
  continuous: ["Collection", "Manifest", "Range"],
  paged: ["Collection", "Manifest", "Range"],
  "facing-pages": ["Canvas"],
  "non-paged": ["Canvas"],
  "multi-part": ["Collection"],
  together: ["Collection"],
  sequence: ["Range"],
  "thumbnail-nav": ["Range"],
  "no-nav": ["Range"],
};
const disjoint = [
  ["auto-advance", "no-auto-advance"],
  ["repeat", "no-repeat"],
  ["unordered", "individuals", "continuous", "paged"],
  ["facing-pages", "non-paged"],
  ["multi-part", "together"],
  ["sequence", "thumbnail-nav", "no-nav"],
];

const behavior: Check = (value, { type }) => {
  if (!Array.isArray(value) || value.length === 0) return ["no list of behaviors"];
  return [
    ...value.flatMap((word) => when(behaviors[word]?.includes(type) ?? false, `${word} on a ${type}`)),
    ...disjoint.flatMap((set) =>
      when(set.filter((word) => value.includes(word)).length < 2, `more than one of ${set.join(", ")}`),
    ),
  ];
};

const rights: Check = (value) =>
  when(
    typeof value === "string" &&
      /^http:\/\/(creativecommons\.org\/(licenses|publicdomain)|rightsstatements\.org\/vocab)\/.+/.test(
        value,
      ),
    "no address of Creative Commons or RightsStatements.org with http",
  );

const navDate: Check = (value) =>
  when(
    typeof value === "string" &&
      /^-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/.test(value) &&
      !Number.isNaN(Date.parse(value)),
    "no date with time and zone",
  );

const resource = (...types: readonly string[]): Check => {
  return (value, { path }) => resourceProblems(value, types, path);
};

const reference = (...types: readonly string[]): Check => {
  return (value) => {
    if (!isObject(value)) return ["no reference"];
    return [...uri(value.id, none), ...oneOf(...types)(value.type, none)];
  };
};

const content = (value: unknown): readonly string[] => {
  if (!isObject(value)) return ["no content"];
  if (value.type === "Choice") return listOf(content)(value.items, none);
  if (value.type === "TextualBody") return text(value.value, none);
  if (value.type === "SpecificResource")
    return isObject(value.source) ? content(value.source) : uri(value.source, none);
  return resourceProblems(value, ["Image", "Text", "Dataset", "Sound", "Video", "Model"], "");
};

const thumbnail = listOf(content);
const described: Readonly<Record<string, Check>> = {
  label: languageMap,
  metadata: listOf(pair),
  summary: languageMap,
  requiredStatement: pair,
  rights,
  thumbnail,
  behavior,
  seeAlso: listOf(linked([])),
  rendering: listOf(linked(["label"])),
  homepage: listOf(linked(["label"])),
  service: listOf(service),
  partOf: listOf(reference("Collection", "Manifest", "Canvas", "Range", "AnnotationCollection")),
  provider: listOf((value) => {
    if (!isObject(value)) return ["no agent"];
    return [
      ...linked(["label"], ["homepage", "logo", "seeAlso"])(value, none),
      ...when(value.type === "Agent", "a provider that is no Agent"),
      ...(value.homepage === undefined ? [] : listOf(linked(["label"]))(value.homepage, none)),
      ...(value.logo === undefined ? [] : thumbnail(value.logo, none)),
    ];
  }),
};
const dated = { navDate };
const directed = {
  viewingDirection: oneOf("left-to-right", "right-to-left", "top-to-bottom", "bottom-to-top"),
};
const annotated = { annotations: listOf(resource("AnnotationPage")) };
const framed = {
  placeholderCanvas: resource("Canvas"),
  accompanyingCanvas: resource("Canvas"),
};
const start: Check = (value) => {
  if (!isObject(value)) return ["no start"];
  return value.type === "SpecificResource"
    ? [...uri(value.id, none), ...when(value.source !== undefined, "no source")]
    : reference("Canvas")(value, none);
};

const page: Check = (value, around) => uri(isObject(value) ? value.id : value, around);
const count: Check = (value) => when(Number.isInteger(value) && (value as number) >= 0, "no number");

interface Rules {
  readonly required: readonly string[];
  readonly members: Readonly<Record<string, Check>>;
}

const rules: Readonly<Record<string, Rules>> = {
  Collection: {
    required: ["label", "items"],
    members: {
      ...described,
      ...dated,
      ...directed,
      ...annotated,
      ...framed,
      services: listOf(service),
      items: listOf((value) => {
        if (isObject(value) && value.type === "Collection" && "items" in value)
          return resourceProblems(value, ["Collection"], "");
        if (!isObject(value)) return ["no member"];
        return [
          ...reference("Manifest", "Collection")(value, none),
          ...languageMap(value.label, none),
          ...(value.thumbnail === undefined ? [] : thumbnail(value.thumbnail, none)),
        ];
      }, 0),
    },
  },
  Manifest: {
    required: ["label", "items"],
    members: {
      ...described,
      ...dated,
      ...directed,
      ...annotated,
      ...framed,
      start,
      services: listOf(service),
      items: listOf(resource("Canvas")),
      structures: listOf(resource("Range")),
    },
  },
  Canvas: {
    required: ["items"],
    members: {
      ...described,
      ...dated,
      ...annotated,
      ...framed,
      width: positive,
      height: positive,
      duration: positive,
      items: listOf(resource("AnnotationPage"), 0),
    },
  },
  Range: {
    required: ["items"],
    members: {
      ...described,
      ...dated,
      ...directed,
      ...annotated,
      ...framed,
      start,
      supplementary: reference("AnnotationCollection"),
      items: listOf((value, around) => {
        if (isObject(value) && value.type === "Range" && "items" in value)
          return resourceProblems(value, ["Range"], around.path);
        return isObject(value) && value.type === "SpecificResource"
          ? (isObject(value.source) ? reference("Canvas") : uri)(value.source, none)
          : reference("Canvas", "Range")(value, none);
      }),
    },
  },
  AnnotationPage: {
    required: [],
    members: {
      ...described,
      next: page,
      prev: page,
      startIndex: count,
      items: listOf(resource("Annotation"), 0),
    },
  },
  AnnotationCollection: {
    required: [],
    members: { ...described, first: page, last: page, total: count },
  },
  Annotation: {
    required: ["target"],
    members: {
      ...described,
      motivation: (value) => when(typeof value === "string" || Array.isArray(value), "no motivation"),
      body: (value) => (Array.isArray(value) ? value.flatMap(content) : content(value)),
      target: (value) =>
        typeof value === "string"
          ? uri(value, none)
          : when(isObject(value) && (value.source !== undefined || value.type === "Canvas"), "no target"),
      timeMode: oneOf("trim", "scale", "loop"),
    },
  },
};
const media: Rules = {
  required: [],
  members: {
    ...described,
    ...annotated,
    format: mediaType,
    width: positive,
    height: positive,
    duration: positive,
    language: text,
    purpose: text,
  },
};

function resourceProblems(value: unknown, types: readonly string[], path: string): readonly string[] {
  if (!isObject(value)) return [`no ${types.join(" or ")}`];
  const type = String(value.type);
  if (!types.includes(type)) return [`${type} where ${types.join(" or ")} belongs`];
  const { required, members } = rules[type] ?? media;
  return [
    ...uri(value.id, none).map((problem) => `id: ${problem}`),
    ...required.filter((key) => !(key in value)).map((key) => `${type} lacks ${key}`),
    ...when("width" in value === "height" in value, "a width or height alone"),
    ...Object.entries(value).flatMap(([key, inner]) => {
      if (key === "id" || key === "type" || (path === "" && key === "@context" && rules[type])) return [];
      const check = members[key];
      if (check === undefined) return [`unknown ${key} in a ${type}`];
      return check(inner, { type, path: `${path}/${key}` }).map((problem) => `${key}: ${problem}`);
    }),
  ];
}

/** Returns the faults of a document of Presentation API 3.0; empty if it is valid. */
export function problemsOf3(document: unknown): readonly string[] {
  if (!isObject(document)) return ["no object"];
  const contexts = [document["@context"]].flat();
  const own = "http://iiif.io/api/presentation/3/context.json";
  return [
    ...when(contexts.at(-1) === own, "its own context is not the last one"),
    ...when(
      contexts.every((context) => typeof context === "string"),
      "a context that is no address",
    ),
    ...when(Object.keys(document)[0] === "@context", "the context is not in front"),
    ...resourceProblems(document, Object.keys(rules), ""),
    ...canvasProblems(document),
  ];
}

/**
 * Canvases are once in a manifest, are painted by annotations of their own, and hold all that ranges and
 * starts name.
 */
function canvasProblems(document: Json): readonly string[] {
  if (document.type !== "Manifest" || !Array.isArray(document.items)) return [];
  const canvases = document.items.filter(isObject);
  const ids = canvases.map(({ id }) => id);
  const painted = canvases.flatMap((canvas) =>
    [canvas.items]
      .flat()
      .filter(isObject)
      .flatMap(({ items }) => [items].flat().filter(isObject))
      .flatMap(({ motivation, target }) => {
        const source = isObject(target)
          ? isObject(target.source)
            ? target.source.id
            : target.source
          : target;
        return [
          ...when(motivation === "painting", `${String(motivation)} among the painting annotations`),
          ...when(String(source).split("#")[0] === canvas.id, "an annotation that paints another canvas"),
        ];
      }),
  );
  const named: unknown[] = [];
  const gather = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(gather);
    else if (isObject(value)) {
      if (value.type === "Canvas" && !("items" in value)) named.push(value.id);
      gather(value.items);
      gather(value.start);
    }
  };
  gather(document.structures);
  gather(document.start);
  return [
    ...when(new Set(ids).size === ids.length, "a canvas twice"),
    ...painted,
    ...named.flatMap((id) => when(ids.includes(id), `${String(id)} is no canvas of the manifest`)),
  ];
}
