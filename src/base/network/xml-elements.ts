// Elements of the small XML documents of AWS and compatible services.

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Returns the contents of the elements with a name, in time that is linear in the text even if none ends. */
export function elementsOf(xml: string, name: string): readonly string[] {
  const [, ...parts] = xml.split(`<${name}>`);
  return parts.flatMap((part) => {
    const end = part.indexOf(`</${name}>`);
    return end < 0 ? [] : part.slice(0, end);
  });
}

/** Returns the text of the first element with that name; empty if there is none. */
export function textOf(xml: string, name: string): string {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? "";
  return text.replace(/&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g, (whole, decimal, hex, named) =>
    named
      ? (entities[named] ?? whole)
      : String.fromCodePoint(Number.parseInt(decimal ?? hex, decimal ? 10 : 16)),
  );
}
