// Lines of offsets in a text.

/** Returns the line of an offset, from 1. Breaks are LF, and CR with LF. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
