// Accept headers, and whether image information is then JSON-LD.

export const acceptHeaders: readonly (readonly [accept: string | undefined, jsonLd: boolean])[] = [
  [undefined, false],
  ["", false],
  ["*/*", false],
  ["application/*", false],
  ["application/json", false],
  ["text/html,application/xhtml+xml,*/*;q=0.8", false],
  ["application/ld+json", true],
  ["Application/LD+JSON", true],
  ["application/json, application/ld+json", true],
  ["application/ld+json;q=0.1, */*", true],
  ['application/ld+json;profile="http://iiif.io/api/image/3/context.json"', true],
  ['application/ld+json ; profile="a,b;q=0" ; q=1', true],
  ["application/ld+json;q=0", false],
  ["application/ld+json; q=0.000, */*", false],
  ["application/ld+jsonx", false],
  ['text/plain;a="application/ld+json"', false],
  ['application/ld+json;profile="a;q=0"', true],
  ['text/plain;a="x, application/ld+json, y"', false],
  ['text/plain;a=", application/ld+json"', false],
];
