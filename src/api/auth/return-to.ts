// Where a login or logout may lead back to.

import { parseUrl } from "../../lib/network/parse-url.ts";

/**
 * The address that `return_to` names, where a reader may be sent there: below the public URL of the service, by path or whole,
 * or at one of the `origins`. Undefined for anything else. It is sent as parsed here, so that no browser reads it otherwise.
 */
export function returnTarget(
  text: string | null | undefined,
  base: string,
  origins: readonly string[],
): URL | undefined {
  if (!text || !/^(\/|https?:\/\/)/i.test(text)) return undefined;
  const url = parseUrl(text, base);
  if (!url) return undefined;
  if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return undefined;
  const own = new URL(base);
  const folder = own.pathname.replace(/\/*$/, "/");
  const isOwn = url.origin === own.origin && `${url.pathname}/`.startsWith(folder);
  return isOwn || origins.includes(url.origin) ? url : undefined;
}
