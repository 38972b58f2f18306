// A profile with its name: how readers get access.

import type { ProfileOptions } from "./options.ts";

export interface Profile extends ProfileOptions {
  readonly name: string;
}
