// What a way to log in is: how it answers the requests for the login of a profile.

import type { Auth } from "../../../access/auth.ts";
import type { Profile } from "../../../access/profiles/profile.ts";
import type { Service } from "../../../service.ts";
import type { RequestContext } from "../../http/context.ts";

export interface LoginParts {
  readonly service: Service;
  readonly auth: Auth;
}

/** A request for the login of a profile. */
export interface LoginAttempt {
  readonly c: RequestContext;
  readonly parts: LoginParts;
  readonly profile: Profile;
}

/** How a login page is asked for, and how its form is answered. */
export interface Way {
  get(attempt: LoginAttempt): Promise<Response>;
  post(attempt: LoginAttempt): Promise<Response>;
  /** Answers a reader who comes back from a login elsewhere; absent where none is sent there. */
  callback?(attempt: LoginAttempt): Promise<Response>;
}
