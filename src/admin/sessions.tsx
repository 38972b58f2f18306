// The form of /admin/auth that logs readers out: all of a profile, one user, or everybody.

import {
  type GrantFilter,
  noteFailure,
  type RequestContext,
  readForm,
  type Service,
} from "../server/index.ts";
import { type Admin, type AdminPage, formRoute, href, type Outcome } from "./admin.ts";
import { mayChange } from "./posts.ts";

const maxBody = 16 * 1024;
const page = "/admin/auth";
const path = "/admin/auth/end";

/** Route of the form. */
export const sessionRoutes: AdminPage = (admin) =>
  admin.service.auth ? [formRoute(path, page, (c) => endSessions(c, admin))] : [];

async function endSessions(c: RequestContext, admin: Admin): Promise<Response> {
  const form = await readForm(c, maxBody);
  const [profile, user] = [form.get("profile") ?? "", (form.get("user") ?? "").trim()];
  // Names of readers are not recorded.
  c.set("act", { target: `profile ${profile || "any"}, ${user === "" ? "all users" : "one user"}` });
  const isNamed = profile !== "" || user !== "";
  const outcome: Outcome =
    isNamed === form.has("everybody")
      ? {
          state: "failed",
          text: "No session was ended: choose a profile, a user or both, or tick only Everybody.",
        }
      : await end(c, admin.service, { ...(profile && { profile }), ...(user && { user }) });
  return admin.outcomes.redirect(c, page, outcome);
}

async function end(c: RequestContext, { auth, log }: Service, of: GrantFilter): Promise<Outcome> {
  try {
    const ended = (await auth?.sessions.endAll(of)) ?? 0;
    // Names of readers are not logged.
    const { profile, user } = of;
    log.info("sessions were ended by the operator", {
      sessions: ended,
      ...(profile !== undefined && { profile }),
      of: user === undefined ? "all users" : "one user",
    });
    return { state: "done", text: `${ended} ${ended === 1 ? "session" : "sessions"} ended.` };
  } catch (error) {
    noteFailure(c, log, error);
    return {
      state: "failed",
      text: "The session store does not respond, so some sessions may continue. Try again when it does.",
    };
  }
}

interface Props {
  readonly c: RequestContext;
  readonly service: Service;
}

export function EndSessions({ c, service: { auth } }: Props) {
  if (!auth || !mayChange(c)) return null;
  return (
    <section aria-labelledby="end-sessions">
      <h2 id="end-sessions">End sessions</h2>
      <p>
        Logs readers out immediately, and their viewers with them. Use it if somebody else has a password, a
        computer or a secret; change that first, otherwise they log in again.
      </p>
      <form class="fields" method="post" action={href(c, path)}>
        <div class="field">
          <label for="end-profile">Profile</label>
          <select id="end-profile" name="profile">
            <option value="">any</option>
            {Object.entries(auth.options.profiles)
              .filter(([, { access_service: login }]) => login.backend !== "header")
              .map(([name]) => (
                <option value={name}>{name}</option>
              ))}
          </select>
        </div>
        <div class="field">
          <label for="end-user">User</label>
          <input
            id="end-user"
            name="user"
            autocomplete="off"
            spellcheck={false}
            aria-describedby="end-user-hint"
          />
          <p class="quiet" id="end-user-hint">
            The name with which the user logs in; empty for all users.
          </p>
        </div>
        <div class="field">
          <label>
            <input type="checkbox" name="everybody" value="yes" /> Everybody
          </label>
        </div>
        <div class="actions">
          <button type="submit">End sessions</button>
        </div>
      </form>
    </section>
  );
}
