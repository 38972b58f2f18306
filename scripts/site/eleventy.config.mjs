// What Eleventy reads from a file alone; site.mjs configures the rest.

/** Braces are text: no template language reads a page before Markdown does. */
export const config = { markdownTemplateEngine: false };

export default function configure() {}
