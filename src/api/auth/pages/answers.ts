// Answers that logins and logouts share: a page that says one thing, and the way back to a viewer.

import { noteRefusal, type RequestContext } from "../../http/context.ts";
import { pageResponse } from "../../http/page.ts";
import { type Message, messagePage } from "./login-page.ts";
import { readerOf } from "./reader.ts";

/** Where a reader asks to be led back to, by the query; "" without. */
export const returnToOf = (c: RequestContext): string =>
  new URLSearchParams(c.get("target").query).get("return_to") ?? "";

export const notKept = { "Cache-Control": "no-store" } as const;

/** A page that says one thing. */
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
  return pageResponse(c, page, { status, headers: { ...notKept, ...headers } });
}

/** Sends a browser where it may be led back to. */
export const leadBack = (target: URL, headers: Readonly<Record<string, string>>): Response =>
  new Response(null, { status: 303, headers: { ...notKept, ...headers, Location: target.href } });
