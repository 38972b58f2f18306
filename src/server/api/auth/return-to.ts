// Addresses that a login or logout may redirect to.

import { parseUrl } from "../../../base/index.ts";

/**
 * Returns the address that `return_to` names if a reader may be sent there: below the public URL of the
 * service, as a path or a whole URL, or at one of the `origins`; otherwise undefined. The parsed form is
 * sent, so that no browser interprets it differently.
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
