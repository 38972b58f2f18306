// Options of a profile under `auth.profiles`: how a reader gets access, and what others see.

import { z } from "zod";
import {
  durationOption,
  isSafeTransport,
  isServiceUrl,
  languageMap,
  parseDuration,
  parseUrl,
  pathOption,
  rangeOption,
  textOrLanguageMap,
} from "../../../base/index.ts";
import { parseSizeParameter } from "../../../iiif/index.ts";
import { hashFault } from "../passwords/hash-forms.ts";

const edit = "restart" as const;

/** Interaction patterns (Authorization Flow 2.0, section 3; `clickthrough` is from Authentication 1.0). */
export const patterns = ["clickthrough", "active", "kiosk", "external"] as const;
export type Pattern = (typeof patterns)[number];

const logoForm = "expected a path of this service, such as /static/logo.svg, or an http or https URL";

const isLogo = (text: string) => text === "" || /^\/(?![/\\])/.test(text) || isWebUrl(text);

function isWebUrl(text: string): boolean {
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : undefined;
  return url?.username === "" && url.password === "";
}

/** A lifetime must be finite and positive. */
export const lifetime = (example: string) => {
  const error = `expected a duration above 0, such as ${example}`;
  return durationOption.refine((text) => !isDuration(text) || parseDuration(text) > 0, { error });
};

const isDuration = (text: string) => durationOption.safeParse(text).success;

const sizeForm =
  "expected a size in the syntax of the Image API 3.0, such as !200,200, 400, or pct:5, or nothing to refuse";

const isSize = (text: string) => {
  if (text === "") return true;
  try {
    return parseSizeParameter(3, text) !== undefined;
  } catch {
    return false;
  }
};

const passwordHash = z.string().superRefine((text, context) => {
  const message = hashFault(text);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

const builtin = z.strictObject({
  backend: z.literal("builtin").meta({ description: "Pages of this service.", edit }),
  users: z.record(z.string().min(1), passwordHash).default({}).meta({
    description: "Names and password hashes of the users who may log in, for the pattern `active`.",
    edit,
    secret: true,
  }),
  htpasswd_file: pathOption.default("").meta({
    description:
      "File of names and password hashes, which replaces `users`. The service reads it again when it changes.",
    edit,
  }),
  template: pathOption.default("").meta({
    description:
      "File with a login page of your own, which the service reads at the start. Empty: the built-in page.",
    edit,
  }),
});

/** Headers that identify nobody: browsers send them, or proxies do for all clients. */
const sentByEveryone =
  /^(accept(-.*)?|authorization|cache-control|connection|content-.*|cookie|date|dnt|forwarded|host|if-.*|keep-alive|origin|pragma|priority|range|referer|sec-.*|te|traceparent|tracestate|upgrade.*|user-agent|via|x-forwarded-(basepath|for|host|path|port|prefix|proto|scheme|server|ssl)|x-real-ip|x-request-id)$/i;

const headerForm = "expected the name of a request header, such as X-Forwarded-User";

const header = z.strictObject({
  backend: z.literal("header").meta({ description: "A header that a reverse proxy sets.", edit }),
  header: z
    .string({ error: headerForm })
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, headerForm)
    .refine((name) => !sentByEveryone.test(name), {
      error: "expected a header that only the proxy sends, received one that browsers send themselves",
    })
    .default("X-Forwarded-User")
    .meta({
      description:
        "Header with the name of the user. The proxy has to remove it from client requests. If `trusted_proxies` is set, only those proxies may send it.",
      edit,
    }),
});

const pageForm = "expected an http or https URL, such as https://login.example.org/iiif";

const secretVariable = z
  .string()
  .min(1, "expected the name of an environment variable that holds the secret");

const external = z.strictObject({
  backend: z
    .literal("external")
    .meta({ description: "A login page of another site, which signs the name of the user.", edit }),
  url: z
    .string({ error: pageForm })
    .refine(isWebUrl, { error: pageForm })
    .meta({ description: "URL of the page.", edit }),
  callback_secret_env: secretVariable.meta({
    description: "Environment variable that holds the secret that the page signs with (HMAC-SHA256).",
    edit,
  }),
});

const issuerForm =
  "expected an https URL without query, such as https://login.example.org/realms/library; http is only for this machine, such as http://localhost:8081";

/** Somebody who can read or change the provider's responses can log in as anybody. */
const isIssuer = (text: string) => isServiceUrl(text) && isSafeTransport(new URL(text));

const scopeForm = "expected a scope without spaces, such as profile";

const oidc = z.strictObject({
  backend: z.literal("oidc").meta({ description: "OpenID Connect.", edit }),
  issuer: z.string({ error: issuerForm }).refine(isIssuer, { error: issuerForm }).meta({
    description:
      "URL of the provider, as the provider itself writes it; `.well-known/openid-configuration` is below it. It is https, or http on this machine.",
    edit,
  }),
  client_id: z.string().min(1).meta({ description: "Client id of this service at the provider.", edit }),
  client_secret_env: secretVariable.meta({
    description: "Environment variable that holds the secret of this service at the provider.",
    edit,
  }),
  scopes: z
    .array(z.string({ error: scopeForm }).regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, scopeForm))
    .refine((scopes) => scopes.includes("openid"), { error: "expected openid among the scopes" })
    .default(["openid", "profile", "email"])
    .meta({ description: "Scopes that the service requests.", edit }),
  user_claim: z.string().min(1).default("sub").meta({
    description: "Claim of the ID token that names the user, such as `preferred_username` or `email`.",
    edit,
  }),
});

/** Schema of one profile. */
export const profileOptions = z.strictObject({
  pattern: z.enum(patterns).meta({
    description:
      "What the reader has to do. `clickthrough`: click a button. `active`: log in. `kiosk`: come from an allowed address. `external`: log in elsewhere first.",
    edit,
  }),
  label: languageMap.meta({
    description: "Title of the login, or titles by language, such as { en: [Sign in] }.",
    edit,
  }),
  heading: languageMap.meta({
    description: "Heading of the login and of a refusal, or headings by language.",
    edit,
  }),
  description: languageMap.meta({
    description: "Text of the login page below its heading, or texts by language.",
    edit,
  }),
  note: textOrLanguageMap.meta({
    description: "Text that viewers show next to the heading of a refusal, or texts by language.",
    edit,
  }),
  confirm_label: z.string().default("").meta({
    description: "Text of the button. Empty: `Sign in` for `active`, `Continue` for others.",
    edit,
  }),
  logo_url: z
    .string({ error: logoForm })
    .refine(isLogo, { error: logoForm })
    .default("")
    .meta({ description: "Picture on the built-in page: a path of this service, or a URL.", edit }),
  token_ttl: lifetime("10m").optional().meta({
    description: "Lifetime of bearer tokens for this profile, instead of `auth.token_ttl`.",
    edit,
    form: "duration",
  }),
  access_service: z.discriminatedUnion("backend", [builtin, header, external, oidc]),
  substitute: z
    .strictObject({
      max_size: z.string({ error: sizeForm }).refine(isSize, { error: sizeForm }).default("").meta({
        description:
          "Size of the whole image, such as !200,200. Readers without access see the image in no more detail than this. Empty: they see nothing.",
        edit,
      }),
    })
    .prefault({}),
  documents: z
    .enum(["public", "gated"], {
      error: "expected public (anybody may read manifests) or gated (only readers with access)",
    })
    .default("public")
    .meta({
      description:
        "Who may read the manifests and collections of these identifiers. `public`: everybody, so that viewers can offer the login. `gated`: readers with access; others get a 401 with the title and the login services. Annotations and other texts are for readers with access in either case.",
      edit,
    }),
  kiosk: z
    .strictObject({
      allowed_ips: z.array(rangeOption("192.0.2.0/24 or 2001:db8::/32")).default([]).meta({
        description: "Addresses and ranges that have access, for the pattern `kiosk`.",
        edit: "live",
      }),
    })
    .prefault({}),
});

export type ProfileOptions = z.output<typeof profileOptions>;
export type Backend = ProfileOptions["access_service"]["backend"];
