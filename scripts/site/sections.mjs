// What the search finds: the sections of each page, and the rows of its reference tables by themselves.

/**
 * Returns the sections of a page's HTML: an address below the site, the title of the page, a heading and the
 * text. A row with an anchor is a section of its own, under the name that its anchor has.
 */
export function sectionsOf({ path, title, html }) {
  const rows = [];
  const rest = html.replace(/<tr>(?:(?!<\/tr>).)*?<a class="row".*?<\/tr>/gs, (row) => {
    const names = [...row.matchAll(/<a class="row" id="([^"]*)"[^>]*>(.*?)<\/a>/gs)];
    for (const [, id, name] of names)
      rows.push({ address: `${path}.html#${id}`, title, heading: textOf(name), text: textOf(row) });
    return "";
  });
  const sections = rest.split(/(?=<h[123] id=)/).flatMap((part) => {
    const [, level, id, heading = ""] = /^<h([123]) id="([^"]*)"[^>]*>(.*?)<\/h\1>/s.exec(part) ?? [];
    if (level === undefined) return [];
    const address = level === "1" ? `${path}.html` : `${path}.html#${id}`;
    return [{ address, title, heading: textOf(heading), text: textOf(part.replace(/^.*?<\/h\d>/s, "")) }];
  });
  return [...sections, ...rows];
}

/** The named ones that the renderers of the site write; all others are numbers. */
const entities = { lt: "<", gt: ">", quot: '"', amp: "&", apos: "'", nbsp: " " };

/** Returns the character of an entity without & and ;, or the entity as it is if its name is unknown. */
const decoded = (entity, name) =>
  name[0] === "#"
    ? String.fromCodePoint(Number(name[1].toLowerCase() === "x" ? `0${name.slice(1)}` : name.slice(1)))
    : (entities[name] ?? entity);

/** Returns the text of HTML. */
const textOf = (html) =>
  html
    .replace(/<\/(?:p|li|t[dhr]|pre|h\d)>|<br>/g, " ")
    .replace(/<[^>]*>/g, "")
    .replace(/&(#x[\da-f]+|#\d+|\w+);/gi, decoded)
    .replace(/\s+/g, " ")
    .trim();
