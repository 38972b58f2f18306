// The built-in login page, and the pages that report the outcome of a login or logout.

import { type LanguageMap, parseUrl } from "../../../../base/index.ts";
import type { LoginFields } from "../../../access/logins/template.ts";
import type { Profile } from "../../../access/profiles/profile.ts";
import { escapeHtml } from "../../http/page.ts";
import type { Page } from "../../http/page-content.ts";
import type { TextInLanguage } from "../../http/representation/language.ts";
import { chooseText, element, type Reader } from "./reader.ts";

export interface LoginForm {
  /** As requested; "" for none. */
  readonly returnTo: string;
  /** After a failed login: the entered name, and what is wrong. */
  readonly username?: string;
  readonly error?: string;
}

/** Style sheets of the login pages. */
export const styles = ["auth/auth.css"];

/** A logo path is relative to `folder`, the path of the public URL. */
const logoAddress = (logo: string, folder: string) => (logo.startsWith("/") ? folder + logo : logo);

/** Returns the login page of a profile. `folder`: path of the public URL, without a trailing /. */
export function loginPage(profile: Profile, form: LoginForm, reader: Reader, folder: string): Page {
  const { words } = reader;
  const title: TextInLanguage = chooseText(profile.label, reader) ?? {
    text: words.access,
    language: reader.language,
  };
  const heading = chooseText(profile.heading, reader) ?? title;
  const isActive = profile.pattern === "active";
  const confirm = profile.confirm_label || (isActive ? words.signIn : words.proceed);
  const body = `<main class="card">
${logoOf(profile, folder)}${heading.text === title.text ? "" : element("p", title, reader, ' class="quiet title"')}
${element("h1", heading, reader)}
${element("p", chooseText(profile.description, reader), reader, ' class="description"')}
${form.error ? `<p class="wrong" id="wrong" role="alert">${escapeHtml(form.error)}</p>` : ""}
<form method="post">
${form.returnTo ? `<input type="hidden" name="return_to" value="${escapeHtml(form.returnTo)}">` : ""}
${isActive ? fields(form, reader) : ""}
<button${isActive ? "" : " autofocus"}>${escapeHtml(confirm)}</button>
</form>
</main>`;
  return { title: title.text, language: reader.language, body, styles, ...logoOrigin(profile) };
}

/** After a failed login the name is filled in, and the password has the focus. */
function fields({ username = "", error }: LoginForm, { words }: Reader): string {
  const invalid = error ? ' aria-invalid="true" aria-describedby="wrong"' : "";
  const [first, second] = username === "" ? [" autofocus", ""] : ["", " autofocus"];
  return `<label for="username">${escapeHtml(words.userName)}</label>
<input id="username" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required value="${escapeHtml(username)}"${invalid}${first}>
<label for="password">${escapeHtml(words.password)}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${invalid}${second}>`;
}

function logoOf({ logo_url }: Profile, folder: string): string {
  return logo_url === ""
    ? ""
    : `<img class="logo" src="${escapeHtml(logoAddress(logo_url, folder))}" alt="">\n`;
}

/**
 * Returns the fields of an operator's own page, which has one language: that of the first text of each map.
 */
export function loginFields(profile: Profile, form: LoginForm, folder: string): LoginFields {
  const isActive = profile.pattern === "active";
  const title = firstOf(profile.label) ?? "Access";
  return {
    Title: title,
    LogoURL: logoAddress(profile.logo_url, folder),
    Heading: firstOf(profile.heading) ?? title,
    Description: firstOf(profile.description) ?? "",
    ConfirmLabel: profile.confirm_label || (isActive ? "Sign in" : "Continue"),
    ReturnTo: form.returnTo,
    Active: isActive,
    Username: form.username ?? "",
    Error: form.error ?? "",
  };
}

const firstOf = (map: LanguageMap): string | undefined => Object.values(map)[0]?.[0];

/** Returns the host of a logo for the policy of its page; nothing if the logo is a path. */
export function logoOrigin({ logo_url }: Profile): Pick<Page, "origins"> {
  const url = parseUrl(logo_url);
  return url ? { origins: [url.origin] } : {};
}

/** Contents of a page with one message. */
export interface Message {
  readonly heading: TextInLanguage;
  readonly texts: readonly (TextInLanguage | undefined)[];
  /** Link to continue with, in the language of the page. */
  readonly link?: { readonly text: string; readonly address: string };
}

/** Returns a page with a single message. */
export function messagePage({ heading, texts, link }: Message, reader: Reader): Page {
  const body = `<main class="card">
${element("h1", heading, reader)}
${texts.map((text) => element("p", text, reader)).join("\n")}
${link ? `<p><a href="${escapeHtml(link.address)}">${escapeHtml(link.text)}</a></p>` : ""}
</main>`;
  return { title: heading.text, language: reader.language, body, styles };
}
