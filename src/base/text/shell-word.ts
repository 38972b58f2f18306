// Words of a shell's command line.

/**
 * Returns a text as one word for sh, bash, zsh and ksh. Control characters and those that a terminal does not
 * show are escaped in `$'…'`, so the word is one line and says what it names.
 */
export function shellWord(text: string): string {
  if (/^[\w./:@%+,-]+$/.test(text)) return text;
  if (!/\p{C}/u.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  return `$'${text.replace(/['\\]|\p{C}/gu, (each) => (/['\\]/.test(each) ? `\\${each}` : octal(each)))}'`;
}

/** Returns the octal escapes of a character's bytes. */
const octal = (text: string) =>
  [...new TextEncoder().encode(text)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");

/** Returns a path as a word that no program takes for a flag. */
export const pathWord = (path: string): string => shellWord(path.startsWith("-") ? `./${path}` : path);
