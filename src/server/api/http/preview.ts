// Elements of the head of a page for programs that link to it.

import { escapeHtml } from "./page.ts";

export interface Preview {
  readonly title: string;
  readonly description: string;
  readonly address: string;
  readonly picture?: string;
  /** Address of the manifest or collection. */
  readonly document?: string;
}

/** Elements of the head that describe the page to other programs (Open Graph) and link to its document. */
export function headOf({ title, description, address, picture, document }: Preview): string {
  const property = (name: string, value: string) =>
    `<meta property="og:${name}" content="${escapeHtml(value)}">`;
  return [
    `<link rel="canonical" href="${escapeHtml(address)}">`,
    ...(document === undefined
      ? []
      : [`<link rel="alternate" type="application/ld+json" href="${escapeHtml(document)}">`]),
    ...(description ? [`<meta name="description" content="${escapeHtml(description)}">`] : []),
    property("type", "website"),
    property("title", title),
    ...(description ? [property("description", description)] : []),
    property("url", address),
    ...(picture === undefined
      ? []
      : [property("image", picture), '<meta name="twitter:card" content="summary_large_image">']),
  ].join("\n");
}
