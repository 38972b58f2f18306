// Text of foreign files as plain text that no viewer takes for HTML, even one that puts it into its page
// without cleaning it.

const wordJoiner = "\u2060";

/**
 * Returns a text in which no `<` can begin an element, a comment or a declaration: U+2060, which is
 * invisible, follows each that a letter, `/`, `!`, `?` or the end follows (HTML, section 13.2.5.6). So the
 * pieces of a text stay inert when they are joined. Half surrogate pairs become U+FFFD: not all parsers of
 * JSON accept them.
 */
export function inertText(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd").replace(/<(?=[A-Za-z/!?]|$)/g, `<${wordJoiner}`);
}
