// Mistakes in a whole document of Presentation API 3.0 that do not keep it from being served: viewers ignore
// what is wrong, or show it wrongly. Sections 3 and 4 say what is expected.

import { isLanguage } from "../../base/index.ts";
import { behaviorsOf, type DescribedType } from "./description/behaviors.ts";
import {
  type Fault,
  type FaultPath,
  fault,
  inside,
  noteUnexpected,
  unknownWord,
} from "./description/faults.ts";
import { objectOf, textOf } from "./json.ts";
import type { Resource } from "./model.ts";

/** Members of each described type, of which a misspelt one is recognised. */
const members =
  "@context id type label summary metadata requiredStatement rights provider thumbnail navDate navPlace placeholderCanvas accompanyingCanvas homepage rendering service services seeAlso partOf start structures items annotations behavior viewingDirection height width duration format language profile logo".split(
    " ",
  );

const described: ReadonlySet<string> = new Set(["Collection", "Manifest", "Canvas", "Range"]);

/** Parts of a document that are looked at, so that one of thousands of canvases takes little time. */
const maxParts = 20_000;
/** Faults after which the rest is not looked at: nobody corrects more in one go. */
const maxFaults = 50;

/** Returns the mistakes of a document, and of the collections, manifests, canvases and ranges in it. */
export function doubtsOfStored(document: Resource): readonly Fault[] {
  const at: FaultPath = { path: [], faults: [] };
  let parts = 0;
  const look = (value: unknown, path: FaultPath): void => {
    if (++parts > maxParts || at.faults.length >= maxFaults) return;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) look(item, inside(path, index));
      return;
    }
    const resource = objectOf(value);
    if (!resource) return;
    const type = textOf(resource.type);
    if (type !== undefined && described.has(type)) checkMembers(resource, type as DescribedType, path);
    for (const name of ["items", "structures"])
      if (name in resource) look(resource[name], inside(path, name));
  };
  look(document, at);
  return at.faults.slice(0, maxFaults);
}

function checkMembers(resource: Resource, type: DescribedType, at: FaultPath): void {
  for (const name of Object.keys(resource))
    if (!members.includes(name) && isNear(name)) unknownWord(inside(at, name), "unknown key", name, members);
  for (const name of ["label", "summary"]) if (name in resource) checkTexts(resource[name], inside(at, name));
  for (const name of ["metadata", "requiredStatement"])
    if (name in resource) checkPairs(resource[name], inside(at, name));
  const { rights, behavior } = resource;
  if (rights !== undefined && !/^https?:\/\/[^\s/]+\/\S+$/i.test(String(textOf(rights))))
    noteUnexpected(
      inside(at, "rights"),
      "one address, such as http://creativecommons.org/licenses/by/4.0/ or http://rightsstatements.org/vocab/InC/1.0/ (everything else belongs in requiredStatement)",
      rights,
    );
  if (behavior !== undefined) behaviorsOf(type)(behavior, inside(at, "behavior"));
}

/** True for a name that is nearly one of the members; any other may belong to an extension. */
function isNear(name: string): boolean {
  const probe: FaultPath = { path: [], faults: [] };
  unknownWord(probe, "unknown key", name, members);
  return probe.faults.some(({ message }) => message.includes("did you mean"));
}

const mapForm = 'texts by language, such as { "en": ["A letter"] }';

/** Checks a language map (section 4). */
function checkTexts(value: unknown, at: FaultPath): void {
  const map = objectOf(value);
  if (!map) noteUnexpected(at, mapForm, value);
  for (const [language, texts] of Object.entries(map ?? {})) {
    const path = inside(at, language);
    if (!isLanguage(language)) fault(path, "expected a language such as en or de-CH, or none");
    else if (!Array.isArray(texts) || texts.some((text) => typeof text !== "string"))
      noteUnexpected(path, "a list of texts", texts);
  }
}

function checkPairs(value: unknown, at: FaultPath): void {
  const list = Array.isArray(value) ? value : [value];
  for (const [index, item] of list.entries()) {
    const path = Array.isArray(value) ? inside(at, index) : at;
    const pair = objectOf(item);
    if (!pair) noteUnexpected(path, "label and value", item);
    else for (const name of ["label", "value"]) checkTexts(pair[name], inside(path, name));
  }
}
