// The required statement of a collection that has none: who provides it (Presentation API 3.0, section 3.1).
// Mirador 3 stays blank on a collection without one.

import { type LanguageMap, ServiceError, withDeadline } from "../../../base/index.ts";
import { objectOf, objectsOf, type Resource, textsOf, toTexts2 } from "../../../iiif/index.ts";
import { membersOfFolder } from "../browse/contents.ts";
import { type FolderLocation, identifierOf, locationOf, nameOf, trailOf } from "../locations.ts";
import type { Made, Making } from "./making.ts";

/** Milliseconds to wait for the manifest files of the folders above. */
const maxMs = 1000;
const late = new Error("the manifest file was not read in time");

/** Labels of the statement: 2.1 has the value alone. */
const provided: LanguageMap = { en: ["Provided by"] };
const part: LanguageMap = { en: ["Collection"] };

/**
 * Returns the required statement of a collection: the label of the nearest provider, of its own folder or of
 * those above it, else of the configuration, else the title of the service.
 */
export async function statementOf(making: Making, location: FolderLocation): Promise<Resource> {
  const { sources, options } = making.parts;
  const top: FolderLocation = { source: sources.default, key: "" };
  const trail = trailOf(sources, location).map(({ identifier }) => locationOf(sources, identifier));
  const end = performance.now() + maxMs;
  let label: LanguageMap | undefined;
  for (const each of [top, ...trail].reverse()) {
    const members = await membersAt(making, each, end - performance.now());
    const [provider] = objectsOf(members.provider);
    const name = mapOf(provider?.label);
    if (name) return { label: provided, value: name };
    if (each === top) label = mapOf(members.label);
  }
  const name = mapOf(options.provider.label);
  if (name) return { label: provided, value: name };
  return { label: part, value: mapOf(options.title) ?? label ?? { none: [nameOf(top)] } };
}

/** Returns a collection with its statement, in both versions if it is stored in 2.1. */
export function withStatement({ document, document2, ...made }: Made, statement: Resource): Made {
  const { items, ...head } = document;
  return {
    ...made,
    document: { ...head, requiredStatement: statement, ...(items !== undefined && { items }) },
    ...(document2 && { document2: { attribution: toTexts2(statement.value), ...document2 } }),
  };
}

/** True for a collection without a statement. */
export const lacksStatement = ({ type, requiredStatement }: Resource): boolean =>
  type === "Collection" && objectsOf(requiredStatement).length === 0;

/** Returns what the manifest file of a folder says of it. One that cannot be read in time says nothing. */
async function membersAt({ parts, gate }: Making, location: FolderLocation, ms: number): Promise<Resource> {
  const { sources, folders } = parts;
  if (!location.source.list) return {};
  const identifier = identifierOf(location);
  if (gate.keepsDocuments(identifier) && !(await gate.mayRead(identifier, "rules"))) return {};
  try {
    const folder = await withDeadline(
      Math.max(0, ms),
      () => folders.find(location.source, location.key),
      late,
    );
    return folder ? membersOfFolder(sources, location, folder) : {};
  } catch (error) {
    if (error !== late && !(error instanceof ServiceError)) throw error;
    gate.doubt();
    return {};
  }
}

/** Returns texts by language; undefined for anything without a text. */
function mapOf(value: unknown): LanguageMap | undefined {
  if (typeof value === "string") return value === "" ? undefined : { none: [value] };
  return textsIn(value).length > 0 ? (value as LanguageMap) : undefined;
}

const textsIn = (map: unknown): readonly string[] =>
  Object.values(objectOf(map) ?? {})
    .flatMap(textsOf)
    .filter((text) => text.trim() !== "");
