// A list of crawlers in a file of the operator's.

const maxAgents = 2000;
const maxName = 100;
/** Bytes; the published list has about 100,000. */
const maxListBytes = 2 ** 20;

/**
 * Reads the agents of a list, each once: the keys of a JSON object, as in the robots.json of ai.robots.txt,
 * or a name in each line, where lines that begin with `#` are comments. Throws an Error that names what is
 * wrong, in words for the operator.
 */
export function readAgentList(bytes: Uint8Array): readonly string[] {
  if (bytes.length > maxListBytes)
    throw new Error(`the list has ${bytes.length} bytes, more than the ${maxListBytes} that are read`);
  const text = textOf(bytes);
  const names = new Set(text.trimStart().startsWith("{") ? keysOf(text) : linesOf(text));
  if (names.size > maxAgents)
    throw new Error(`the list has ${names.size} agents, more than the ${maxAgents} that are read`);
  // RFC 9309, section 2.2.1, has letters, `_` and `-`; published lists have more. `#` begins a comment.
  for (const name of names)
    if (
      name.length > maxName ||
      !/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(name) ||
      name.includes("#")
    )
      throw new Error(
        `expected names of at most ${maxName} printable characters of ASCII without #; received ${JSON.stringify(name.slice(0, maxName))}`,
      );
  return [...names];
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("the list is no text in UTF-8");
  }
}

function keysOf(text: string): string[] {
  try {
    return Object.keys(JSON.parse(text) as object);
  } catch {
    throw new Error("the list begins like JSON, but is none; download it again");
  }
}

const linesOf = (text: string) =>
  text
    .split(/\r\n|[\r\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
