// Login with a single button.

import { returnToOf } from "../pages/responses.ts";
import { logIn, readLoginForm, showLogin } from "./attempt.ts";
import type { Way } from "./way.ts";

export const clickthroughWay: Way = {
  get: (attempt) => showLogin(attempt, { returnTo: returnToOf(attempt.c) }),
  async post(attempt) {
    const form = await readLoginForm(attempt.c);
    return logIn(attempt, "", form.returnTo);
  },
};
