// Interface of a way to log in: how it responds to requests for the login of a profile.

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

/** Shows a login page, and handles its form. */
export interface Way {
  get(attempt: LoginAttempt): Promise<Response>;
  post(attempt: LoginAttempt): Promise<Response>;
  /** Handles a reader who returns from a login elsewhere; absent if readers are not sent elsewhere. */
  callback?(attempt: LoginAttempt): Promise<Response>;
}
