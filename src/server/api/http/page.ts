// The layout of the pages for people: calm, light and dark, readable at 400 px, without inline styles or
// scripts.

import { sha256, toHex } from "../../../base/index.ts";
import { noteRefusal, type RequestContext } from "./context.ts";
import type { Page } from "./page-content.ts";
import { setVary } from "./representation/caching.ts";
import { sendText } from "./representation/send.ts";

/**
 * Responds with a page. `headers` override the defaults: `Cache-Control: no-cache`, and `Vary` for the base
 * URL. A page with status 200 that may be stored has an ETag of its content.
 */
export async function pageResponse(
  c: RequestContext,
  page: Page,
  { status = 200, headers = {} }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  const styles = ["'self'", ...(page.inlineStyles ?? [])].join(" ");
  return respond(c, await documentOf(c, page), policyOf(c, page, styles), status, headers);
}

/** What an operator's document may do. */
export type DocumentPolicy = Pick<Page, "origins" | "forms" | "formOrigins">;

/** Responds with an operator's document, which may contain styles but no scripts. */
export function documentResponse(
  c: RequestContext,
  html: string,
  policy: DocumentPolicy,
  { status = 200, headers = {} }: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  return respond(c, html, policyOf(c, policy, "'self' 'unsafe-inline'"), status, headers);
}

/**
 * Responds with a page that was built as a whole. It may use style sheets, scripts and pictures of this
 * service, and fetch from it.
 */
export function builtPageResponse(
  c: RequestContext,
  html: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  return respond(c, html, policyOf(c, { hasScripts: true }, "'self'"), 200, headers);
}

async function respond(
  c: RequestContext,
  html: string,
  policy: string,
  status: number,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  if (status >= 400) noteRefusal(c, "form", "A form was rejected.");
  const all: Record<string, string> = { "Cache-Control": "no-cache", "Content-Security-Policy": policy };
  setVary(all, c);
  Object.assign(all, headers);
  const keeping = all["Cache-Control"] ?? "";
  const hasTag = status === 200 && keeping !== "no-store";
  // A cookie is for one client, even if the page is the same for all. It is no part of the page, which may be
  // compressed nevertheless.
  if (all["Set-Cookie"] !== undefined && !/private|no-store/.test(keeping))
    all["Cache-Control"] = `private, ${keeping}`;
  return sendText(c, html, {
    type: "text/html; charset=utf-8",
    status,
    headers: all,
    ...(hasTag && { validators: { etag: `"${toHex(await sha256(html)).slice(0, 32)}"` } }),
    compressed: !keeping.startsWith("private"),
  });
}

/**
 * Returns the Content-Security-Policy (level 3) of a page: its own files, and nothing inline except what
 * `styles` allows.
 */
function policyOf(
  c: RequestContext,
  page: DocumentPolicy &
    Pick<Page, "scripts" | "modules" | "frames" | "media" | "styleAttributes" | "searches"> & {
      readonly hasScripts?: true;
    },
  styles: string,
): string {
  const { scripts, modules, origins = [], forms, searches, formOrigins = [], frames } = page;
  const own = ["'self'", ...origins].join(" ");
  const hasScripts = page.hasScripts || scripts?.length || modules?.length;
  const directives = {
    "default-src": "'none'",
    "style-src": styles,
    ...(page.styleAttributes ? { "style-src-attr": "'unsafe-inline'" } : {}),
    "img-src": `${own} data: blob:`,
    ...(hasScripts ? { "script-src": "'self'", "connect-src": own } : {}),
    ...(frames ? { "frame-src": own } : {}),
    ...(page.media ? { "media-src": `${own} blob:` } : {}),
    "base-uri": "'none'",
    "form-action": forms || searches ? ["'self'", ...formOrigins].join(" ") : "'none'",
    "frame-ancestors": forms ? "'none'" : c.get("framedBy"),
  };
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join("; ");
}

async function documentOf(c: RequestContext, page: Page): Promise<string> {
  // Uses the path only: somebody who uses the service directly has another origin than the public one.
  const folder = c.get("base") && new URL(c.get("base")).pathname.replace(/\/$/, "");
  const address = async (path: string) => escapeHtml(folder + (await c.get("files").address(path)));
  const sheet = async (path: string) => `<link rel="stylesheet" href="${await address(path)}">`;
  const script = async (path: string) => `<script src="${await address(path)}" defer></script>`;
  const module = async (path: string) => `<script type="module" src="${await address(path)}"></script>`;
  const links = await Promise.all([
    `<link rel="icon" href="${await address("page/icon.svg")}" type="image/svg+xml">`,
    ...["page/page.css", ...(page.styles ?? [])].map(sheet),
    ...(page.noscriptStyle ? [`<noscript>${await sheet(page.noscriptStyle)}</noscript>`] : []),
    ...(page.scripts ?? []).map(script),
    ...(page.modules ?? []).map(module),
  ]);
  // The colour scheme is repeated here in case the style sheet does not load.
  return `<!doctype html>
<html lang="${escapeHtml(page.language ?? "en")}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)}</title>
${links.join("\n")}${page.head ? `\n${page.head}` : ""}
</head>
<body>
${page.body}
</body>
</html>
`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}
