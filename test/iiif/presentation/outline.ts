// The structure of a document of 3.0 without its wording and addresses: which members there are, texts by
// their number in each language, canvases by their index. Documents of the same structure can still differ in
// what they say and show.

// biome-ignore lint/suspicious/noExplicitAny: documents of others are read as they come
type Json = any;

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The outline of a manifest or collection. */
export function outlineOf(document: Json): Json {
  const canvases = document.type === "Manifest" ? document.items.map(({ id }: Json) => id) : [];
  return outline(document, (id) => canvases.indexOf(id) + 1);
}

/** `placeOf`: the place of a canvas from 1. */
function outline(resource: Json, placeOf: (id: string) => number): Json {
  const inner = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(inner);
    if (!isObject(value)) return value;
    return value.type === "Canvas" && !("items" in value) ? placeOf(value.id) : outline(value, placeOf);
  };
  const written = Object.entries(resource).map(([key, value]): [string, Json] => {
    if (["label", "summary", "value"].includes(key)) return [key, languages(value)];
    if (key === "service") return ["services", services(value)];
    // The size of a thumbnail is up to the server.
    if (key === "thumbnail")
      return [key, [value].flat().map(({ type, service }: Json) => ({ type, services: services(service) }))];
    return [key, inner(value)];
  });
  const kept = written.filter(([key]) => !["id", "@context", "target"].includes(key));
  const members = Object.fromEntries(kept);
  // A picture without a service may be of any format; those of this service are JPEG.
  if (members.type === "Image") delete members.format;
  return members;
}

const languages = (map: Json) =>
  isObject(map)
    ? Object.fromEntries(Object.entries(map).map(([language, texts]: Json) => [language, texts.length]))
    : map;

const services = (list: Json) =>
  Object.fromEntries([list ?? []].flat().map(({ type, "@type": type2 }: Json) => [type ?? type2, true]));
