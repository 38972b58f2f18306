// Types of markdown.mjs, for its test.

/** HTML of a page. `link` maps the target of a link or image; undefined where it leads nowhere, and only its text stays. */
export function htmlOf(markdown: string, link?: (target: string) => string | undefined): string;
