// Whole documents of Presentation API 3.0 that an operator stored or a hook returned: used as they are, at the address where they
// are served.

import { absolute } from "./addresses.ts";
import { addContexts } from "./context.ts";
import { type Fault, fault, inside, type Place, unexpected } from "./description/faults.ts";
import { idOf, objectOf, objectsOf, textOf } from "./json.ts";
import type { Resource } from "./model.ts";
import { documentAddress, pieceAddress } from "./mounts.ts";

/** Whether a value is meant as a whole document; all else describes a derived one. */
export function isWhole(value: unknown): value is Resource {
  const object = objectOf(value);
  return object !== undefined && ["type", "@type", "@context"].some((key) => key in object);
}

/** Why a whole document cannot be used; nothing where it can. */
export function faultsOfStored(document: Resource): readonly Fault[] {
  const at: Place = { path: [], faults: [] };
  const { type, "@type": type2, label, items } = document;
  if (type2 !== undefined || /\/presentation\/2\//.test(String(document["@context"]))) {
    fault(
      inside(at, type2 === undefined ? "@context" : "@type"),
      "expected a document of Presentation API 3.0, received one of version 2; upgrade it, and this service writes version 2.1 of it by itself",
    );
    return at.faults;
  }
  if (type !== "Manifest" && type !== "Collection")
    unexpected(inside(at, "type"), "Manifest or Collection", type);
  if (objectOf(label) === undefined)
    unexpected(inside(at, "label"), "texts by language, such as none: [text]", label);
  if (!Array.isArray(items)) unexpected(inside(at, "items"), "a list", items);
  else if (type === "Manifest" && items.length === 0)
    unexpected(inside(at, "items"), "one canvas at least", items);
  else
    for (const [place, item] of items.entries()) {
      const types = type === "Manifest" ? ["Canvas"] : ["Manifest", "Collection"];
      const found = textOf(objectOf(item)?.type);
      if (found === undefined || !types.includes(found))
        unexpected(
          inside(inside(inside(at, "items"), place), "type"),
          types.join(" or "),
          objectOf(item)?.type,
        );
    }
  return at.faults;
}

/**
 * A whole document as it is served under an identifier. Its own id is the address where it is served; ids that begin with / are paths
 * of this service, and other relative ones are below the document, so that `canvas/1` can be asked for. Canvases, and what paints
 * them, are numbered where they have no id.
 */
export function storedDocument(document: Resource, id: string, base: string): Resource {
  const address = documentAddress(base, id);
  const called = idOf(document);
  const { "@context": contexts, id: _, ...members } = document;
  const placed = absolute(numbered(members, address), {
    base,
    document: address,
    ...(called !== undefined && called !== "" && { called }),
  });
  return addContexts({ id: address, ...placed }, contexts);
}

/** A manifest whose canvases, annotation pages and painting annotations have ids. */
function numbered(manifest: Resource, address: string): Resource {
  if (manifest.type !== "Manifest") return manifest;
  const items = objectsOf(manifest.items).map((canvas, place) => {
    const at = (kind: "canvas" | "page" | "annotation") => pieceAddress(address, { kind, number: place + 1 });
    const id = idOf(canvas) ?? at("canvas");
    const pages = objectsOf(canvas.items).map((page, first) => {
      // Only one of each has an address of its own.
      const annotations = objectsOf(page.items).map((annotation, inner) => ({
        ...(first + inner === 0 && { id: at("annotation") }),
        target: id,
        ...annotation,
      }));
      return { ...(first === 0 && { id: at("page") }), ...page, items: annotations };
    });
    return { id, ...canvas, items: pages };
  });
  return { ...manifest, items };
}
