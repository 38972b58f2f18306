// Converts a caller to the input of hooks.

import { splitPage } from "../../../iiif/index.ts";
import type { HookRequest } from "../../hooks/index.ts";
import type { Caller } from "../access.ts";

/** Hooks receive the identifier without its page suffix, and the page separately. */
export function hookRequestOf({ identifier, path, client, signal, trace, header }: Caller): HookRequest {
  const { identifier: name, page } = splitPage(identifier) ?? { identifier, page: 1 };
  return { identifier: name, page, path, client, signal, trace, header };
}
