// A way in which a machine, container or pod gets the credentials of its role.

import type { Env } from "../../platform.ts";
import type { RoleCredentials } from "./credentials.ts";
import type { Send } from "./small-request.ts";

/** What a way works with. */
export interface WayHost {
  readonly env: Env;
  /** Region of the bucket, for a service that has one for each region. */
  readonly region: string;
  /** Returns the text of a file; undefined if it cannot be read. */
  readText(path: string): Promise<string | undefined>;
  /** Sends a request straight to an address of this machine or its host, past any proxy. */
  readonly direct: Send;
  /** Sends a request over the network, by a proxy if the runtime is set to use one. */
  readonly send: Send;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface Way {
  /** Name in messages, such as `the container`. */
  readonly name: string;
  /** Returns why the environment does not set it up; undefined if it does. */
  absence(env: Env): string | undefined;
  /** Throws CredentialsError, in words that follow the name. */
  fetch(host: WayHost): Promise<RoleCredentials>;
}
