// Options under `auth:` (profiles, the rules that name them, sessions, tokens), and the combinations that a
// start refuses.

import { z } from "zod";
import { parseUrl, rangeOption } from "../../base/index.ts";
import { addProfileFaults } from "./profiles/faults.ts";
import { lifetime, type ProfileOptions, profileOptions } from "./profiles/options.ts";
import { profilesOf, ruleFault } from "./rules/rules.ts";
import { sessionOptions } from "./sessions/options.ts";

const edit = "restart" as const;

const cookieForm = "expected only letters, digits and . _ -";
const cookiePathForm = "expected a path such as /images, or nothing to use the path of the service";
const originForm = "expected an origin such as https://viewer.example.org, without a path";

const isOrigin = (text: string) => /^https?:/.test(text) && parseUrl(text)?.origin === text;

const origin = z.string({ error: originForm }).refine(isOrigin, { error: originForm });
const originOrAll = z
  .string({ error: `${originForm}, or *` })
  .refine((text) => text === "*" || isOrigin(text), { error: `${originForm}, or *` });

const profileForm = "expected the name of a profile, or a list of names such as [reading-room, staff]";
const ruleForm =
  "expected an identifier, a prefix with /* behind it such as private/*, or * for all identifiers";

/** Schema of `auth:`. Without it nothing is gated. */
export const authOptions = z
  .strictObject({
    token_ttl: lifetime("5m")
      .default("5m")
      .meta({ description: "Lifetime of bearer tokens.", edit, form: "duration" }),
    session_ttl: lifetime("24h")
      .default("24h")
      .meta({ description: "Lifetime of sessions and of their cookies.", edit, form: "duration" }),
    strict_profiles: z.boolean().default(false).meta({
      description:
        "If true, info.json presents `clickthrough` profiles as `active` for Authorization Flow 2.0, which does not define `clickthrough`.",
      edit,
    }),
    cookie: z
      .strictObject({
        name: z
          .string({ error: cookieForm })
          .regex(/^[A-Za-z0-9._-]+$/, cookieForm)
          .default("service_session")
          .meta({ description: "Name of the session cookie.", edit }),
        path: z
          .string({ error: cookiePathForm })
          .regex(/^(\/[\x21-\x3a\x3c-\x7e]*)?$/, cookiePathForm)
          .default("")
          .meta({ description: "Path of the session cookie. Empty: the path of the public URL.", edit }),
      })
      .prefault({}),
    cors: z
      .strictObject({
        probe_origins: z
          .array(originOrAll)
          .default(["*"])
          .meta({ description: "Origins whose pages may read the probe; `*` for all.", edit }),
        token_origins: z.array(origin).default([]).meta({
          description:
            "Origins whose viewers may get tokens and to which a login may return. The origin of this service is always included.",
          edit,
        }),
        clickthrough_origins: z.array(originOrAll).default([]).meta({
          description:
            "Origins whose viewers may get tokens for click-through grants, and for nothing else; `*` for all.",
          edit,
        }),
      })
      .prefault({}),
    trusted_proxies: z.array(rangeOption()).default([]).meta({
      description:
        "Addresses of proxies that the service also trusts for access, in addition to the top-level `trusted_proxies`: it accepts their X-Forwarded-For or Forwarded for logins and kiosks, and the header of the backend `header`.",
      edit,
    }),
    session: sessionOptions.prefault({}),
    profiles: z.record(z.string(), profileOptions).prefault({}),
    rules: z
      .array(
        z.strictObject({
          match: z
            .string({ error: ruleForm })
            .meta({ description: "An identifier, a prefix such as `private/*`, or `*` for all.", edit }),
          profile: z
            .union([z.string(), z.array(z.string()).min(1, { error: profileForm })], { error: profileForm })
            .meta({
              description:
                "Name of the profile that these identifiers need, or a list of profiles of which any gives access.",
              edit,
            }),
        }),
      )
      .default([])
      .meta({ description: "Which identifiers need which profile; the first rule that matches counts." }),
  })
  .superRefine(({ profiles, rules }, context) => {
    const add = (path: readonly PropertyKey[], message: string) =>
      context.addIssue({ code: "custom", path: [...path], message });
    for (const [name, profile] of Object.entries(profiles))
      addProfileFaults(name, profile, (path, message) => add(["profiles", name, ...path], message));
    rules.forEach(({ match, profile }, at) => {
      const fault = ruleFault(match);
      if (fault !== undefined) add(["rules", at, "match"], fault);
      const names = profilesOf({ profile });
      const path = ["rules", at, "profile"];
      for (const name of names) if (!Object.hasOwn(profiles, name)) add(path, unknownProfile(name, profiles));
      const twice = names.find((name, n) => names.indexOf(name) < n);
      if (twice !== undefined)
        add(path, `expected each profile once, received ${JSON.stringify(twice)} twice`);
    });
  });

export type AuthOptions = z.output<typeof authOptions>;

function unknownProfile(name: string, profiles: Readonly<Record<string, ProfileOptions>>): string {
  const known = Object.keys(profiles);
  const choice =
    known.length > 0
      ? known.map((each) => JSON.stringify(each)).join(" or ")
      : "one that auth.profiles defines";
  return `expected the name of a profile, ${choice}, received ${JSON.stringify(name)}`;
}
