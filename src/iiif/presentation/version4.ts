// Documents of Presentation API 4.0, which is not final: what 3.0 can express becomes a document of 3.0.

import { type Fault, type FaultPath, inside } from "./description/faults.ts";
import { extensionContext } from "./extensions.ts";
import { isThere, objectOf, oneOrMany, textOf, textsOf } from "./json.ts";
import type { Resource } from "./model.ts";

/** A document that says, or shows by what it uses, that it is of 4.0. */
export interface Version4 {
  /** The document in 3.0; absent if that version cannot express it. */
  readonly document?: Resource;
  /** The version and what became of it, for people. */
  readonly fault: Fault;
}

/** Number of a version of the Presentation API in the address of its context, also that of a draft. */
const contextForm =
  /^https?:\/\/(?:[\w-]+\.)*iiif\.io\/(?:[\w.-]+\/)*presentation\/(\d+)[\w.-]*\/context\.json(?:[?#].*)?$/;

/** Returns the version that an address of a context names; undefined for other contexts. */
export function versionOfContext(context: string): number | undefined {
  const [, version] = contextForm.exec(context) ?? [];
  return version === undefined ? undefined : Number(version);
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Classes that 3.0 does not have. */
const classes = words(
  "Scene Timeline CollectionPage Quantity Composite OrthographicCamera PerspectiveCamera AmbientLight DirectionalLight ImageBasedLight PointLight SpotLight AmbientAudio PointAudio SpotAudio RotateTransform ScaleTransform TranslateTransform WktSelector AnimationSelector",
);

/** Members without which a document is another one. */
const members = words(
  "accompanyingContainer placeholderContainer action backgroundColor environmentMap exclude lookAt position quantityValue scope spatialScale temporalScale transform",
);

/** Members of 4.0 that no document of 3.0 would have for another reason. */
const plainMembers = words("accompanyingContainer placeholderContainer spatialScale temporalScale");

/** Members that only inform, and are left out. */
const extras = words("conformsTo fileSize interactionMode provides version");

/** Members in which nothing is looked for: texts, services and places. */
const closed = words(
  "label summary metadata requiredStatement value service services navPlace selector provider homepage",
);

/** Returns what a document of 4.0 is in 3.0; undefined for one without a trace of 4.0. */
export function readVersion4(document: Resource): Version4 | undefined {
  // The types of version 2 are under another name.
  if ("@type" in document) return undefined;
  const found: Findings = { version: 0, left: new Set(), hasNavPlace: false };
  look(document, { path: [], faults: [] }, found);
  const { version, left } = found;
  const use = version >= 4 ? (found.use ?? found.other) : found.use;
  const name = `Presentation API ${Math.max(4, version)}.0`;
  if (version > 4) return { fault: { path: ["@context"], message: `is of ${name}, which is not supported` } };
  if (use)
    return { fault: { path: use.path, message: `is of ${name}: version 3.0 cannot express ${use.message}` } };
  if (version < 4) return undefined;
  const without = left.size > 0 ? `, without ${[...left].join(", ")}` : "";
  const message = `is of ${name}, which is not final; the document is served as 3.0${without}`;
  return { document: convert(document, found.hasNavPlace), fault: { path: ["@context"], message } };
}

interface Findings {
  /** Highest version of a context. */
  version: number;
  /** What only 4.0 has. */
  use?: Fault;
  /** What has that meaning in 4.0 only. */
  other?: Fault;
  readonly left: Set<string>;
  hasNavPlace: boolean;
}

function look(value: unknown, at: FaultPath, found: Findings): void {
  if (Array.isArray(value)) for (const [index, each] of value.entries()) look(each, inside(at, index), found);
  const resource = objectOf(value);
  if (!resource) return;
  for (const context of textsOf(resource["@context"]))
    found.version = Math.max(found.version, versionOfContext(context) ?? 0);
  const type = [...textsOf(resource.type), ...textsOf(objectOf(resource.selector)?.type)].find((each) =>
    classes.has(each),
  );
  if (type !== undefined) found.use ??= { path: inside(at, "type").path, message: type };
  if (textsOf(resource.motivation).includes("activating"))
    found.use ??= { path: inside(at, "motivation").path, message: "activating annotations" };
  if (resource.type === "Collection" && resource.first !== undefined && resource.items === undefined)
    found.use ??= { path: inside(at, "first").path, message: "pages of collections" };
  for (const [name, held] of Object.entries(resource)) {
    const here = inside(at, name);
    if (plainMembers.has(name)) found.use ??= { path: here.path, message: name };
    if (members.has(name)) found.other ??= { path: here.path, message: name };
    if (extras.has(name)) found.left.add(name);
    found.hasNavPlace ||= name === "navPlace";
    if (!closed.has(name)) look(held, here, found);
  }
}

function convert(document: Resource, hasNavPlace: boolean): Resource {
  const { "@context": contexts } = document;
  const others = textsOf(contexts).filter((context) => versionOfContext(context) === undefined);
  const further = [...new Set([...(hasNavPlace ? [extensionContext.navPlace] : []), ...others])];
  // The service adds the context of 3.0.
  return { ...(further.length > 0 && { "@context": further }), ...(convertAll(document) as Resource) };
}

/** Converts a part of a document; contexts are only at its top. */
function convertAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convertAll);
  const resource = objectOf(value);
  if (!resource) return value;
  return Object.fromEntries(
    Object.entries(resource)
      .filter(([name]) => name !== "@context" && !extras.has(name))
      .map(([name, held]) => [name, closed.has(name) ? held : convertMember(name, held)]),
  );
}

function convertMember(name: string, held: unknown): unknown {
  if (name === "type") return held === "Audio" ? "Sound" : held;
  if (name === "motivation") return oneOrMany(textsOf(held));
  const all = convertAll(held);
  if (name === "body") return oneOrMany(unpack(all));
  return name === "target" ? oneOrMany(unpack(all).map(addressOf)) : all;
}

/** Returns the resources of a value, which 4.0 may hold together in an object. */
function unpack(value: unknown): readonly unknown[] {
  const type = textOf(objectOf(value)?.type);
  if (type === "List" || type === "Independents") return unpack(objectOf(value)?.items);
  return [value].flat().filter(isThere);
}

/** Returns the address of a canvas that is only named, as 3.0 writes targets. */
function addressOf(target: unknown): unknown {
  const { id, type, ...others } = objectOf(target) ?? {};
  return textOf(id) !== undefined && type === "Canvas" && Object.keys(others).length === 0 ? id : target;
}
