// A profile with its name: how readers get access.

import type { ProfileOptions } from "./options.ts";

export interface Profile extends ProfileOptions {
  readonly name: string;
}

/** True if a profile gives access by the address of the client. */
export const isKiosk = ({ pattern, access_service: { backend } }: ProfileOptions): boolean =>
  pattern === "kiosk" && backend !== "header";
