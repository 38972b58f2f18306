// What all pages of the collection depend on: the reader, the title, and what links keep.

import aboutWords from "../../../../translations/about.json" with { type: "json" };
import words from "../../../../translations/home.json" with { type: "json" };
import type { Provider } from "../../manifests/browse/site.ts";
import { describeSite } from "../../manifests/browse/site.ts";
import { viewerNames } from "../../manifests/options.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "../http/context.ts";
import type { TextInLanguage } from "../http/representation/language.ts";
import { type Reader, readerIn } from "../http/representation/reader.ts";
import { findLogins, type Logins } from "./logins.ts";
import { labelFor } from "./names.ts";

/** Placeholders `{…}` in a text are replaced with values. */
type Words = (typeof words)["en"];
export type AboutWords = (typeof aboutWords)["en"];

export interface Site extends Reader<Words> {
  /** Public URL of the service without trailing slash. */
  readonly base: string;
  /** Path of the same. */
  readonly folder: string;
  /** Texts of the start page that other pages do not have. */
  readonly about: AboutWords;
  /** Title of the collection; "smalti" by default. */
  readonly title: TextInLanguage;
  /** True if the operator set the title. */
  readonly isNamed: boolean;
  readonly provider?: Provider;
  /** True if manifests and their pages are served. */
  readonly hasManifests: boolean;
  /** Query parameters that all links keep: another viewer than the default, and `embed`. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** True if the page is embedded in another page, without its head. */
  readonly isEmbedded: boolean;
  readonly logins: Logins;
}

/** Reads it. */
export async function siteOf(c: RequestContext, service: Service): Promise<Site> {
  const base = c.get("base");
  const { presentation } = service.config();
  const reader = readerIn<Words>(words, c.req.raw.headers.get("Accept-Language"));
  const [{ title, provider }, logins] = await Promise.all([
    describeSite(service, presentation, base),
    findLogins(c, service.auth),
  ]);
  const named = labelFor(reader, title);
  const parameters = new URLSearchParams(c.get("target").query);
  const viewer = viewerNames.find((name) => name === parameters.get("viewer"));
  const isEmbedded = parameters.get("embed") === "1";
  return {
    ...reader,
    base,
    folder: new URL(base).pathname.replace(/\/$/, ""),
    about: aboutWords[reader.language],
    title: named ?? { text: "smalti" },
    isNamed: named !== undefined,
    ...(provider && { provider }),
    hasManifests: service.manifests !== undefined,
    parameters: [
      ...(viewer && viewer !== presentation.default_viewer ? [["viewer", viewer] as const] : []),
      ...(isEmbedded ? [["embed", "1"] as const] : []),
    ],
    isEmbedded,
    logins,
  };
}
