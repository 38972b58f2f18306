// The rules of Content Search 2.0 (sections 4.2, 4.3 and 5) and 1.0 (sections 3.3, 3.4 and 4.3) for
// responses, apart from the code that writes them. The examples of the specifications pass them.

// biome-ignore lint/suspicious/noExplicitAny: documents of others are read as they come
type Json = any;

const isUri = (value: Json) => typeof value === "string" && URL.canParse(value);
const isText = (value: Json) => typeof value === "string";
const when = (good: boolean, problem: string): readonly string[] => (good ? [] : [problem]);
const isWhole = (value: Json) => Number.isInteger(value) && value >= 0;

/** Returns what is wrong with a response of version 2. */
export function problemsOfSearch2(document: Json): readonly string[] {
  const context = "http://iiif.io/api/search/2/context.json";
  const common = [
    ...when(document["@context"] === context, "another context"),
    ...when(Object.keys(document)[0] === "@context", "the context is not first"),
    ...when(isUri(document.id), "no id"),
    ...when(document.ignored === undefined || document.ignored.every(isText), "ignored"),
  ];
  if (document.type === "TermPage") return [...common, ...document.items.flatMap(termProblems)];
  const page = (value: Json) => isUri(value?.id) && value.type === "AnnotationPage";
  const ids = new Set<string>(document.items.map(({ id }: Json) => id));
  const [collection] = [document.partOf].flat();
  const isPaged = document.next !== undefined || document.prev !== undefined;
  return [
    ...common,
    ...when(document.type === "AnnotationPage", "no annotation page"),
    ...when(ids.size === document.items.length, "items with the same id"),
    ...document.items.flatMap(itemProblems),
    ...when(document.next === undefined || page(document.next), "next"),
    ...when(document.prev === undefined || page(document.prev), "prev"),
    ...when(!isPaged || page(collection?.first), "no first page"),
    ...when(collection === undefined || collection.type === "AnnotationCollection", "partOf"),
    ...when(collection?.last === undefined || page(collection.last), "last page"),
    ...when(collection?.total === undefined || isWhole(collection.total), "total"),
    ...when(document.startIndex === undefined || isWhole(document.startIndex), "startIndex"),
    ...when(document.annotations === undefined || document.annotations.length === 1, "not one page of hits"),
    ...(document.annotations ?? []).flatMap(({ type, items, partOf }: Json) => [
      ...when(type === "AnnotationPage", "hits are no page"),
      ...when(!partOf || [partOf].flat()[0].id !== collection?.id, "hits in the collection of items"),
      ...items.flatMap((hit: Json) => hitProblems(hit, ids)),
    ]),
  ];
}

function itemProblems({ id, type, motivation, body, target }: Json): readonly string[] {
  return [
    ...when(isUri(id), "an item without id"),
    ...when(type === "Annotation", "an item that is no annotation"),
    ...when(motivation !== undefined, "an item without motivation"),
    ...when(body.type === "TextualBody" && isText(body.value), "an item without text"),
    ...when(isUri(target) || (isUri(target.id) && isUri(target.partOf.id)), "an item without target"),
  ];
}

function hitProblems({ type, motivation, target }: Json, ids: ReadonlySet<string>): readonly string[] {
  return [
    ...when(type === "Annotation", "a hit that is no annotation"),
    ...when(["contextualizing", "highlighting"].includes(motivation), "motivation of a hit"),
    ...[target].flat().flatMap((each: Json) => [
      ...when(each.type === "SpecificResource" && ids.has(each.source), "a hit of no item"),
      ...when(
        each.selector.every((one: Json) => one.type === "TextQuoteSelector" && isText(one.exact)),
        "a hit without a quotation",
      ),
    ]),
  ];
}

function termProblems({ type = "Term", value, total = 0, service }: Json): readonly string[] {
  return [
    ...when(type === "Term", "type of a term"),
    ...when(isText(value), "a term without value"),
    ...when(isWhole(total), "total of a term"),
    ...when(service === undefined || isUri(service[0].id), "service of a term"),
  ];
}

/** Returns what is wrong with a response of version 1. */
export function problemsOfSearch1(document: Json): readonly string[] {
  const context = "http://iiif.io/api/search/1/context.json";
  const contexts = [document["@context"]].flat();
  if (document.terms)
    return [
      ...when(contexts.includes(context), "another context"),
      ...when(isUri(document["@id"]), "no id"),
      ...document.terms.flatMap(({ match, url, count = 1 }: Json) => [
        ...when(isText(match) && isUri(url), "a term without match or url"),
        ...when(isWhole(count) && count > 0, "count of a term"),
      ]),
    ];
  const { within, resources, hits, next, prev } = document;
  const ids = new Set(resources.map((each: Json) => each["@id"]));
  const presentation = "http://iiif.io/api/presentation/2/context.json";
  const isOwn = hits !== undefined || within?.ignored !== undefined;
  return [
    ...when(!isOwn || (contexts[0] === presentation && contexts[1] === context), "contexts of hits"),
    ...when(document["@type"] === "sc:AnnotationList", "no annotation list"),
    ...when(isUri(document["@id"]), "no id"),
    ...when(ids.size === resources.length, "resources with the same id"),
    ...resources.flatMap(({ "@id": id, "@type": type, resource, on }: Json) => [
      ...when(isUri(id) && type === "oa:Annotation", "a resource that is no annotation"),
      ...when(resource["@type"] === "cnt:ContentAsText" && isText(resource.chars), "no text"),
      ...when(isUri(on) || (isUri(on["@id"]) && isUri(on.within["@id"])), "no target"),
    ]),
    ...when(within === undefined || within["@type"] === "sc:Layer", "within is no layer"),
    ...when(within?.total === undefined || isWhole(within.total), "total"),
    ...[within?.first, within?.last, next, prev].flatMap((link) =>
      when(link === undefined || isUri(link), "a link that is no address"),
    ),
    ...(hits ?? []).flatMap((hit: Json) => [
      ...when(hit["@type"] === "search:Hit", "type of a hit"),
      ...when(hit.annotations.length > 0, "a hit without annotations"),
      ...[hit.match, hit.before, hit.after].flatMap((each) =>
        when(each === undefined || isText(each), "text"),
      ),
    ]),
  ];
}
