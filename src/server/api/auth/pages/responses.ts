// Responses that logins and logouts share: a page with one message, and the redirect back to a viewer.

import { noteRefusal, type RequestContext } from "../../http/context.ts";
import { pageResponse } from "../../http/page.ts";
import { type Message, messagePage } from "./login-page.ts";
import { readerOf } from "./reader.ts";

/** Returns the address that a reader asks to be redirected to, from the query; "" for none. */
export const returnToOf = (c: RequestContext): string =>
  new URLSearchParams(c.get("target").query).get("return_to") ?? "";

/**
 * Headers of all responses of logins and logouts. Their addresses may contain codes and signatures, which
 * other sites do not learn. With `no-referrer`, browsers would send the forms of these pages with the origin
 * `null`.
 */
export const loginHeaders = { "Cache-Control": "no-store", "Referrer-Policy": "same-origin" } as const;

/** Sends a page with a single message. */
export function say(
  c: RequestContext,
  message: Message,
  {
    status = 200,
    headers = {},
    scripts = [],
  }: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly scripts?: readonly string[];
  } = {},
): Promise<Response> {
  if (status >= 400) noteRefusal(c, "login", message.heading.text);
  const page = { ...messagePage(message, readerOf(c)), scripts };
  return pageResponse(c, page, { status, headers: { ...loginHeaders, ...headers } });
}

/** Redirects a browser to an address that it may be redirected to. */
export const leadBack = (target: URL, headers: Readonly<Record<string, string>>): Response =>
  new Response(null, { status: 303, headers: { ...loginHeaders, ...headers, Location: target.href } });
