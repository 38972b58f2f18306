// A folder that needs a login: its lock, the heading of its profile, and the links to the login.

import type { FolderLock } from "../../manifests/browse/lock.ts";
import { escapeHtml } from "../http/page.ts";
import type { TextInLanguage } from "../http/representation/language.ts";
import { loginFrom, logoutFrom } from "./addresses.ts";
import { isInteractive } from "./logins.ts";
import { labelFor, textHtml } from "./names.ts";
import type { Site } from "./site.ts";

/** A padlock. Its text is next to it. */
export const lockIcon =
  '<svg class="lock" viewBox="0 0 24 24" aria-hidden="true"><path d="M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3"/></svg>';

/** Returns the heading of the first profile, or its label, or that a login is needed. */
export function headingOf(site: Site, { profiles: [first] }: FolderLock): TextInLanguage {
  return labelFor(site, first.heading) ?? labelFor(site, first.label) ?? { text: site.words.locked };
}

/** Returns the note of the first profile, or what a reader can do. */
export function noteOf(site: Site, { profiles }: FolderLock): TextInLanguage {
  const own = labelFor(site, profiles[0].note);
  return own ?? { text: profiles.some(isInteractive) ? site.words.lockedText : site.words.onlyThere };
}

/** A login may not be framed, so it leaves the frame of an embedded page. */
const target = ({ isEmbedded }: Site) => (isEmbedded ? ' target="_top"' : "");

/** Returns the link of a listed folder to its login; "" if there is not exactly one. */
export function loginOf(site: Site, lock: FolderLock, name: string, page: string): string {
  const [way, another] = lock.profiles.filter(isInteractive);
  if (!way || another) return "";
  const { logIn } = site.words;
  return `<a class="login" rel="nofollow" href="${escapeHtml(loginFrom(site, way.name, page))}" aria-label="${escapeHtml(`${logIn}: ${name}`)}"${target(site)}>${escapeHtml(logIn)}</a>`;
}

/** Returns the links to the logins of a locked folder. */
export function loginsOf(site: Site, { profiles }: FolderLock, page: string): string {
  const ways = profiles.filter(isInteractive);
  const [only] = ways;
  const links = ways.map((profile) => {
    const label = ways.length === 1 ? undefined : labelFor(site, profile.label);
    const text = textHtml(site, label ?? { text: site.words.logIn });
    return `<a class="login" rel="nofollow" href="${escapeHtml(loginFrom(site, profile.name, page))}"${target(site)}>${text}</a>`;
  });
  return only ? `<p class="logins">${links.join(" ")}</p>` : "";
}

/** Returns the way in and out of a page; "" if there is none. */
export function wayIn(site: Site, page: string): string {
  const { words, logins, isEmbedded } = site;
  if (isEmbedded) return "";
  const link = (address: string, html: string) =>
    `<a class="login" rel="nofollow" href="${escapeHtml(address)}">${html}</a>`;
  const [first, ...others] = logins.profiles;
  const out = logins.isLoggedIn ? [link(logoutFrom(site, page), escapeHtml(words.logOut))] : [];
  if (!first) return out.length > 0 ? `<div class="logins">${out.join("")}</div>` : "";
  if (others.length === 0)
    return `<div class="logins">${link(loginFrom(site, first.name, page), escapeHtml(words.logIn))}${out.join("")}</div>`;
  const ways = logins.profiles.map(({ name, label, heading }) => {
    const said = labelFor(site, label) ?? labelFor(site, heading) ?? { text: name };
    return `<li>${link(loginFrom(site, name, page), textHtml(site, said))}</li>`;
  });
  return `<div class="logins"><details><summary>${escapeHtml(words.logIn)}</summary><ul>${ways.join("")}</ul></details>${out.join("")}</div>`;
}
