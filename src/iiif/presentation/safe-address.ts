// Which addresses of operators' documents clients may follow: some schemes run scripts or read local files.

/** Returns the scheme of an address as URL parsers read it: without spaces in front, tabs and line breaks. */
function schemeOf(address: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: URL parsers skip them.
  const bare = address.replace(/^[\u0000-\u0020]+|[\t\n\r]+/g, "");
  return /^([a-z][a-z0-9+.-]*):/i.exec(bare)?.[1]?.toLowerCase();
}

const web: ReadonlySet<string> = new Set(["http", "https"]);
const local: ReadonlySet<string> = new Set(
  "javascript vbscript livescript mocha data file blob filesystem about view-source jar ms-its mhtml chrome resource".split(
    " ",
  ),
);

/** True for an address on the web or without a scheme; `mayMail`: also for one of mail. */
export function isWebAddress(address: string, mayMail = false): boolean {
  const scheme = schemeOf(address);
  return scheme === undefined || web.has(scheme) || (mayMail && scheme === "mailto");
}

/** False for a scheme that runs scripts or reads local data; names such as `urn:` are fine. */
export function isHarmless(address: string): boolean {
  const scheme = schemeOf(address);
  return scheme === undefined || !local.has(scheme);
}
