// Converts annotations of Presentation API 2.1 (sections 5.4 to 5.6) to 3.0.

import { idOf, isThere, objectOf, objectsOf, oneOrMany, present, textOf, textsOf } from "../../json.ts";
import type { Resource } from "../../model.ts";
import { image3, listOf, number3, reference3, renamed, texts3, typeOf } from "./properties.ts";
import { services3 } from "./services.ts";

/** Returns an image on a canvas; undefined if it shows nothing. */
export function painting3(annotation: Resource, canvas: string): Resource | undefined {
  const body = listOf(annotation.resource)
    .map((each) => body3(each, "Image"))
    .find(isThere);
  if (body === undefined) return undefined;
  const target = targets3(annotation.on) ?? canvas;
  return present({ id: idOf(annotation), type: "Annotation", motivation: "painting", body, target });
}

/** Converts an annotation in a list. What 2.1 "paints" there is text, which 3.0 has next to a canvas. */
export function annotation3(annotation: Resource): Resource {
  const words = textsOf(annotation.motivation).map((word) => word.replace(/^\w+:/, ""));
  const motivations = words.map((word) => (word === "painting" ? "supplementing" : word));
  return present({
    id: idOf(annotation),
    type: "Annotation",
    label: texts3(annotation.label),
    motivation: oneOrMany(motivations) ?? "commenting",
    body: oneOrMany(
      listOf(annotation.resource)
        .map((body) => body3(body, "Text"))
        .filter(isThere),
    ),
    target: targets3(annotation.on),
  });
}

/** `usual`: the type of a body that has none. */
function body3(body: unknown, usual: string): Resource | undefined {
  // The empty choice.
  if (idOf(body) === "rdf:nil") return undefined;
  const own = typeOf(body) ?? usual;
  const type = renamed[own] ?? own;
  const { chars, value, format, language, full, selector, style, item, width, height, service } =
    objectOf(body) ?? {};
  const text = textOf(chars) ?? textOf(value);
  if (type === "Choice") {
    const choices = [...listOf(objectOf(body)?.default), ...listOf(item)];
    const items = choices.map((each) => body3(each, usual)).filter(isThere);
    return items.length > 0 ? { type, items } : undefined;
  }
  if (type === "SpecificResource") {
    const source = body3(full, usual);
    return (
      source &&
      present({ id: idOf(body), type, source, selector: selectors3(selector), styleClass: textOf(style) })
    );
  }
  if (text !== undefined)
    return present({
      type: "TextualBody",
      purpose: type === "Tag" ? "tagging" : undefined,
      value: text,
      format: textOf(format),
      language: oneOrMany(textsOf(language)),
    });
  if (type === "Image") return image3(body);
  if (idOf(body) === undefined) return undefined;
  return present({
    id: idOf(body),
    type,
    label: texts3(objectOf(body)?.label),
    format: textOf(format),
    width: number3(width),
    height: number3(height),
    service: services3(service),
  });
}

function targets3(on: unknown): unknown {
  return oneOrMany(listOf(on).map(target3).filter(isThere));
}

/** Returns a canvas, a part of one by the fragment of its address, or one with a selector. */
function target3(on: unknown): unknown {
  const { full, selector, within } = objectOf(on) ?? {};
  if (full === undefined) {
    const id = idOf(on);
    const manifest = reference3(listOf(within)[0], "Manifest");
    return manifest && id !== undefined ? { id, type: "Canvas", partOf: [manifest] } : id;
  }
  const source = idOf(full);
  const manifest = reference3(listOf(within ?? objectOf(full)?.within)[0], "Manifest");
  if (source === undefined) return undefined;
  return present({
    type: "SpecificResource",
    source: manifest ? { id: source, type: "Canvas", partOf: [manifest] } : source,
    selector: selectors3(selector),
  });
}

/** A choice of selectors is a list in 3.0. */
function selectors3(value: unknown): unknown {
  return oneOrMany(objectsOf(value).flatMap(selector3));
}

function selector3(selector: Resource): readonly Resource[] {
  const type = typeOf(selector);
  if (type === "Choice")
    return [...objectsOf(selector.default), ...objectsOf(selector.item)].flatMap(selector3);
  if (type === undefined) return [];
  const { "@context": _, "@type": _type, "@id": _id, chars, value, ...rest } = selector;
  return [present({ type, value: value ?? chars, ...rest })];
}
