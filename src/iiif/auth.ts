// Authorization services as image information advertises them, and what a probe answers (Authorization Flow 2.0,
// sections 3 to 5; Authentication 1.0, section 2).

import { authPaths, loginAddress, probeAddress } from "./auth-mounts.ts";
import { authContextUri } from "./image/info.ts";

export type LanguageMap = Readonly<Record<string, readonly string[]>>;

/** A profile as its advertisement needs it. */
export interface AdvertisedProfile {
  readonly name: string;
  readonly pattern: "clickthrough" | "active" | "kiosk" | "external";
  readonly label: LanguageMap;
  readonly heading: LanguageMap;
  readonly description: LanguageMap;
  /** Of a refusal. */
  readonly note: string | LanguageMap;
  /** Empty: the usual one of the pattern. */
  readonly confirm_label: string;
  /** `header`: readers are known by what a proxy says, so there is nowhere to log in. */
  readonly access_service: { readonly backend: string };
}

export interface AdvertisedImage {
  /** Public URL of the service, without a / at its end. */
  readonly base: string;
  readonly identifier: string;
  /** Version of the Image API whose information it is. */
  readonly version: 2 | 3;
  /** Name `clickthrough` as `active` to clients of 2.0, which does not define the former. */
  readonly strict: boolean;
}

/** What the services of all images of a profile have in common. */
type Advertised = Omit<AdvertisedImage, "identifier">;

/** The `service` array of the image information of a gated image: the tree of 2.0, then that of 1.0. */
export function authServices(
  profile: AdvertisedProfile,
  { identifier, ...common }: AdvertisedImage,
): readonly object[] {
  return authServicesOf(profile, common)(identifier);
}

/** The same by identifier, for many images of a profile: they share what does not name the image. */
export function authServicesOf(
  profile: AdvertisedProfile,
  common: Advertised,
): (identifier: string) => readonly object[] {
  const { base, version } = common;
  const hasLogin = profile.access_service.backend !== "header";
  const texts = withTexts({ errorHeading: profile.heading, errorNote: noteOf(profile) });
  const access = hasLogin ? { service: [accessService(profile, common)] } : {};
  const older = hasLogin ? [accessService1(profile, common)] : [];
  return (identifier) => [
    {
      // In version 3 the context of the whole document names it.
      ...(version === 2 && { "@context": authContextUri }),
      id: probeAddress(base, identifier),
      type: "AuthProbeService2",
      ...texts,
      ...access,
    },
    ...older,
  ];
}

function accessService(profile: AdvertisedProfile, { base, strict }: Advertised): object {
  const { name, pattern, label, heading, description } = profile;
  return {
    id: loginAddress(base, name, 2),
    type: "AuthAccessService2",
    profile: strict && pattern === "clickthrough" ? "active" : pattern,
    label: isEmpty(label) ? words.access : label,
    ...withTexts({ heading, note: description }),
    confirmLabel:
      profile.confirm_label === "" ? words[confirmWord(pattern)] : { none: [profile.confirm_label] },
    service: [
      { id: base + authPaths.token, type: "AuthAccessTokenService2" },
      { id: base + authPaths.logout, type: "AuthLogoutService2", label: words.logOut },
    ],
  };
}

const pattern1 = {
  clickthrough: "clickthrough",
  active: "login",
  kiosk: "kiosk",
  external: "external",
} as const;

/** URI of a part of Authentication 1.0. */
const uri1 = (part: (typeof pattern1)[keyof typeof pattern1] | "context.json" | "token" | "logout") =>
  `http://iiif.io/api/auth/1/${part}`;

function accessService1(profile: AdvertisedProfile, { base }: Advertised): object {
  const { name, pattern, label, heading, description, confirm_label } = profile;
  const title = scalar(label) ?? scalar(words.access);
  const told = scalar(description);
  return {
    "@context": uri1("context.json"),
    "@id": loginAddress(base, name, 1),
    profile: uri1(pattern1[pattern]),
    label: title,
    header: scalar(heading) ?? title,
    ...(told !== undefined && { description: told }),
    confirmLabel: confirm_label === "" ? scalar(words[confirmWord(pattern)]) : confirm_label,
    service: [
      { "@id": base + authPaths.token1, profile: uri1("token") },
      { "@id": base + authPaths.logout1, profile: uri1("logout"), label: scalar(words.logOut) },
    ],
  };
}

/** What a request for an image would come to. */
export type ProbeOutcome =
  | { readonly status: 200 }
  /** `substitute`: address of the image that is shown instead. */
  | { readonly status: 401; readonly substitute?: string }
  | { readonly status: 302; readonly location: string };

/** The document of a probe. `profile`: that of the image, where a rule names one; its heading and note go with a refusal. */
export function probeResult(
  outcome: ProbeOutcome,
  profile?: Pick<AdvertisedProfile, "heading" | "note">,
): Record<string, unknown> {
  const refused = outcome.status === 401 && profile;
  return {
    "@context": authContextUri,
    type: "AuthProbeResult2",
    status: outcome.status,
    ...(outcome.status === 302 && { location: outcome.location }),
    ...(outcome.status === 401 &&
      outcome.substitute !== undefined && { substitute: [{ id: outcome.substitute, type: "Image" }] }),
    ...(refused && withTexts({ heading: profile.heading, note: noteOf(profile) })),
  };
}

/** A text as its English, else as its first language has it; undefined where there is none. */
export function scalar(map: LanguageMap): string | undefined {
  const english = Object.keys(map).find((language) => /^en(-|$)/i.test(language));
  return (english === undefined ? Object.values(map)[0] : map[english])?.[0];
}

/** A text without a language is one of none (Presentation API 3.0, section 4). */
const noteOf = ({ note }: Pick<AdvertisedProfile, "note">): LanguageMap =>
  typeof note !== "string" ? note : note === "" ? {} : { none: [note] };

const isEmpty = (map: LanguageMap) => Object.keys(map).length === 0;

/** Those texts that there are. */
const withTexts = (texts: Readonly<Record<string, LanguageMap>>) =>
  Object.fromEntries(Object.entries(texts).filter(([, map]) => !isEmpty(map)));

const confirmWord = (pattern: AdvertisedProfile["pattern"]) => (pattern === "active" ? "signIn" : "proceed");

/** Where the operator gives none. */
const words = {
  access: { en: ["Access"], de: ["Zugang"], fr: ["Accès"], es: ["Acceso"], it: ["Accesso"], nl: ["Toegang"] },
  signIn: {
    en: ["Sign in"],
    de: ["Anmelden"],
    fr: ["Se connecter"],
    es: ["Iniciar sesión"],
    it: ["Accedi"],
    nl: ["Inloggen"],
  },
  proceed: {
    en: ["Continue"],
    de: ["Weiter"],
    fr: ["Continuer"],
    es: ["Continuar"],
    it: ["Continua"],
    nl: ["Doorgaan"],
  },
  logOut: {
    en: ["Log out"],
    de: ["Abmelden"],
    fr: ["Se déconnecter"],
    es: ["Cerrar sesión"],
    it: ["Esci"],
    nl: ["Uitloggen"],
  },
} as const satisfies Readonly<Record<string, LanguageMap>>;
