// Authorization services as image information advertises them, and probe responses (Authorization Flow 2.0,
// sections 3 to 5; Authentication 1.0, section 2).

import words from "../../translations/auth.json" with { type: "json" };
import type { LanguageMap } from "../base/index.ts";
import { authPaths, loginAddress, probeAddress } from "./auth-mounts.ts";
import { tokenTexts } from "./auth-token-texts.ts";
import { authContextUri } from "./image/info.ts";
import { viewAddress } from "./view-mounts.ts";

/** The parts of a profile that its advertisement needs. */
export interface AdvertisedProfile {
  readonly name: string;
  readonly pattern: "clickthrough" | "active" | "kiosk" | "external";
  readonly label: LanguageMap;
  readonly heading: LanguageMap;
  readonly description: LanguageMap;
  /** Note of a refusal. */
  readonly note: string | LanguageMap;
  /** Empty for the usual label of the pattern. */
  readonly confirm_label: string;
  /** `header`: a proxy identifies readers, so there is no login. */
  readonly access_service: { readonly backend: string };
}

export interface AdvertisedImage {
  /** Public URL of the service, without a trailing /. */
  readonly base: string;
  readonly identifier: string;
  /** Version of the Image API of that image information. */
  readonly version: 2 | 3;
  /** Advertises `clickthrough` as `active` to clients of 2.0, which does not define the former. */
  readonly strict: boolean;
  /** Institution that readers log in to; by default the host of `base`. */
  readonly institution?: LanguageMap | undefined;
  /** False if this service has no viewer that readers could use instead of another one. */
  readonly hasViewer?: boolean;
}

/** The part that is the same for all images of the same profiles. */
type Advertised = Omit<AdvertisedImage, "identifier">;

/** Profiles any of which gives access; the texts of a refusal are those of the first. */
export type AdvertisedProfiles = readonly [AdvertisedProfile, ...AdvertisedProfile[]];

/**
 * Returns the `service` array in the image information of a gated image: the tree of 2.0 with an access
 * service for each profile, then that of 1.0 for each.
 */
export function authServices(
  profiles: AdvertisedProfiles,
  { identifier, ...common }: AdvertisedImage,
): readonly object[] {
  return authServicesOf(profiles, common)(identifier);
}

/**
 * Returns the services by identifier, for many images of the same profiles: they share everything that does
 * not name the image.
 *
 * The probe service has a `profile`, which 2.0 does not define for it: Mirador 4 matches the `profile` of
 * each service as text and fails on one without. The value is the term by which the context of 2.0 names the
 * type.
 */
export function authServicesOf(
  profiles: AdvertisedProfiles,
  common: Advertised,
): (identifier: string) => readonly object[] {
  const { base, version } = common;
  const [first] = profiles;
  const logins = profiles.filter(({ access_service: { backend } }) => backend !== "header");
  const note = noteOf(profiles);
  const heading = isEmpty(note) ? first.heading : refusalHeading(first);
  const texts = withTexts({ errorHeading: heading, errorNote: note });
  const access =
    logins.length > 0 ? { service: logins.map((profile) => accessService(profile, common)) } : {};
  const older = logins.map((profile) => accessService1(profile, common));
  return (identifier) => [
    {
      // In version 3 the context of the whole document includes it.
      ...(version === 2 && { "@context": authContextUri }),
      id: probeAddress(base, identifier),
      type: "AuthProbeService2",
      profile: "AuthProbeService2",
      ...texts,
      ...access,
    },
    ...older,
  ];
}

function accessService(profile: AdvertisedProfile, common: Advertised): object {
  const { base, strict } = common;
  const { name, pattern, label, heading, description } = profile;
  return {
    id: loginAddress(base, name, 2),
    type: "AuthAccessService2",
    profile: strict && pattern === "clickthrough" ? "active" : pattern,
    label: isEmpty(label) ? naming(words.access, common) : label,
    ...withTexts({ heading, note: description }),
    confirmLabel:
      profile.confirm_label === "" ? words[confirmWord(pattern)] : { none: [profile.confirm_label] },
    service: [
      { id: base + authPaths.token, type: "AuthAccessTokenService2" },
      { id: base + authPaths.logout, type: "AuthLogoutService2", label: naming(words.logOut, common) },
    ],
  };
}

const pattern1 = {
  clickthrough: "clickthrough",
  active: "login",
  kiosk: "kiosk",
  external: "external",
} as const;

/** Returns the URI of a part of Authentication 1.0. */
const uri1 = (part: (typeof pattern1)[keyof typeof pattern1] | "context.json" | "token" | "logout") =>
  `http://iiif.io/api/auth/1/${part}`;

function accessService1(profile: AdvertisedProfile, common: Advertised): object {
  const { base, hasViewer = true } = common;
  const { name, pattern, label, heading, description, confirm_label } = profile;
  const title = scalar(label) ?? scalar(naming(words.access, common));
  const given = scalar(description);
  // Without a note of the operator: the fault that a login cannot prevent.
  const { note } = tokenTexts("missing", hasViewer ? viewAddress(base, "") : undefined);
  return {
    "@context": uri1("context.json"),
    "@id": loginAddress(base, name, 1),
    profile: uri1(pattern1[pattern]),
    label: title,
    header: scalar(heading) ?? title,
    ...(given !== undefined && { description: given }),
    confirmLabel: confirm_label === "" ? scalar(words[confirmWord(pattern)]) : confirm_label,
    failureHeader: scalar(refusalHeading(profile)),
    failureDescription: scalar(noteOf([profile])) ?? scalar(note),
    service: [
      { "@id": base + authPaths.token1, profile: uri1("token") },
      {
        "@id": base + authPaths.logout1,
        profile: uri1("logout"),
        label: scalar(naming(words.logOut, common)),
      },
    ],
  };
}

/** Expected result of a request for an image. */
export interface ProbeOutcome {
  /** Status of the image response; 401 if a substitute would be sent. */
  readonly status: number;
  /** Address of the substitute. */
  readonly substitute?: string;
  /** Target of a redirect. */
  readonly location?: string;
  /** By default that of the profile. */
  readonly heading?: LanguageMap;
  /** Reason for the reader; by default the note of the profile. */
  readonly note?: string | LanguageMap;
}

/** Outcome for an identifier that has no image, for callers who may know that. */
export const noImage: ProbeOutcome = { status: 404, heading: words.noImage, note: words.checkAddress };

/**
 * Returns the document of a probe (Authorization Flow 2.0, section 5.2). `profiles`: those of the image, if a
 * rule names some; heading and note of the first accompany a refusal.
 */
export function probeResult(
  { status, substitute, location, heading, note }: ProbeOutcome,
  profiles: readonly Refusing[] = [],
): Record<string, unknown> {
  const isFault = status === 400 || status >= 500;
  const faultHeading = status === 503 ? words.later : words.unusable;
  const usualHeading = isFault ? faultHeading : refusalHeading(profiles[0]);
  const usualNote = isFault ? "" : noteOf(profiles);
  return {
    "@context": authContextUri,
    type: "AuthProbeResult2",
    status,
    ...(location !== undefined && { location: { id: location, type: "Image" } }),
    ...(substitute !== undefined && { substitute: [{ id: substitute, type: "Image" }] }),
    ...(status >= 400 &&
      withTexts({ heading: heading ?? usualHeading, note: inLanguages(note ?? usualNote) })),
  };
}

/** The parts of a profile that a refusal shows. */
type Refusing = Pick<AdvertisedProfile, "heading" | "label" | "note" | "pattern">;

/**
 * Returns the note of a refusal: that of the first profile; without one, that only certain addresses have
 * access, if a profile is a kiosk, since a login there counts nowhere else.
 */
function noteOf(profiles: readonly Refusing[]): LanguageMap {
  const own = inLanguages(profiles[0]?.note ?? "");
  const kiosks = profiles.filter(({ pattern }) => pattern === "kiosk").length;
  if (!isEmpty(own) || kiosks === 0) return own;
  return kiosks === profiles.length ? words.onlyThere : words.thereOrLogIn;
}

/** A note requires a heading. */
const refusalHeading = (profile: Pick<Refusing, "heading" | "label"> | undefined): LanguageMap =>
  [profile?.heading, profile?.label].find((map) => map && !isEmpty(map)) ?? words.refused;

/** Adds the institution, which labels have to name (2.0, sections 3.3.1 and 6.1; 1.0, section 2.1.1). */
function naming(texts: LanguageMap, { base, institution = {} }: Advertised): LanguageMap {
  const usual = scalar(institution) ?? new URL(base).host;
  return Object.fromEntries(
    Object.entries(texts).map(([language, [text]]) => [
      language,
      [`${text} (${institution[language]?.[0] ?? usual})`],
    ]),
  );
}

/** Returns the English text, or else that in the first language; undefined if there is none. */
export function scalar(map: LanguageMap): string | undefined {
  const english = Object.keys(map).find((language) => /^en(-|$)/i.test(language));
  return (english === undefined ? Object.values(map)[0] : map[english])?.[0];
}

/** A text without a language counts as language `none` (Presentation API 3.0, section 4). */
export const inLanguages = (text: string | LanguageMap): LanguageMap =>
  typeof text !== "string" ? text : text === "" ? {} : { none: [text] };

const isEmpty = (map: LanguageMap) => Object.keys(map).length === 0;

/** Returns the texts that exist. */
const withTexts = (texts: Readonly<Record<string, LanguageMap>>) =>
  Object.fromEntries(Object.entries(texts).filter(([, map]) => !isEmpty(map)));

const confirmWord = (pattern: AdvertisedProfile["pattern"]) => (pattern === "active" ? "signIn" : "proceed");
