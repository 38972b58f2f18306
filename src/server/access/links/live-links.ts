// The signer of links with the keys in effect.

import { type Env, secretOf } from "../../../base/index.ts";
import { createLinkSigner, type LinkSigner } from "./link-token.ts";
import type { LinkOptions } from "./options.ts";

/**
 * Returns the signer of some options; undefined without keys. Throws an Error that names a missing variable.
 */
export function linkSignerOf({ keys }: LinkOptions, env: Env): LinkSigner | undefined {
  if (keys.length === 0) return undefined;
  return createLinkSigner(keys.map(({ id, secret_env }) => ({ id, secret: secretOf(secret_env, env) })));
}
