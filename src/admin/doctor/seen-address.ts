// Compares the address that an operator sees in the browser with the one that ids begin with, and says what a
// proxy has to send so that both agree.

import { parseUrl } from "../../base/index.ts";

export interface AddressComparison {
  readonly same: boolean;
  /** The service's base URL that the typed address implies, or what is wrong with it. */
  readonly seen?: string;
  readonly text: string;
  /** Alternative ways to fix it. */
  readonly advice: readonly string[];
}

const page = "/admin/doctor";

/** Compares the address of the page /admin/doctor, as copied from a browser, with the public URL. */
export function compareAddresses(typed: string, base: string): AddressComparison {
  const url = parseUrl(typed);
  const at = url?.pathname.lastIndexOf(page) ?? -1;
  if (!url || !/^https?:$/.test(url.protocol) || (at < 0 && url.pathname !== "/"))
    return {
      same: false,
      text: `Expected the address of this page as your browser shows it, such as https://images.example.org${page}; received something else.`,
      advice: [],
    };
  const folder = at < 0 ? "" : url.pathname.slice(0, at);
  const seen = url.origin + folder;
  const own = new URL(base);
  const ownFolder = own.pathname.replace(/\/+$/, "");
  if (seen === own.origin + ownFolder)
    return {
      same: true,
      seen,
      text: `Ids begin with ${seen}, as the address that you entered does.`,
      advice: [],
    };
  const headers = [
    ...(url.protocol === own.protocol ? [] : [`X-Forwarded-Proto: ${url.protocol.slice(0, -1)}`]),
    ...(url.host === own.host ? [] : [`X-Forwarded-Host: ${url.host}`]),
    ...(folder === ownFolder ? [] : [`X-Forwarded-Prefix: ${folder || "/"}`]),
  ];
  return {
    same: false,
    seen,
    text: `The address that you entered begins with ${seen}, but ids begin with ${own.origin}${ownFolder}. Viewers that load an image at the first follow its id to the second.`,
    advice: [
      `If readers use ${seen}, set base_url: "${seen}".`,
      `Or let the proxy send ${headers.join(", ")}, with its address in trusted_proxies and base_url empty.`,
    ],
  };
}
