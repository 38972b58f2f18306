// The options under `crawlers:`.

import { z } from "zod";
import { parseUrl, rangeOption } from "../../base/index.ts";
import { isInBrowsers } from "./denied-agents.ts";

const originForm =
  "expected an origin, such as https://www.example.org, or one with its subdomains, such as https://*.example.org";

const isOrigin = (text: string) =>
  /^https?:\/\/(\*\.)?[^/?#@*]+$/i.test(text) && parseUrl(text.replace("*.", "")) !== undefined;

const agentForm = "expected 3 to 100 characters of the User-Agent of a crawler or program, such as GPTBot";

/** A part of a User-Agent field. */
const agentOption = z
  .string({ error: agentForm })
  .refine((text) => /^[\x21-\x7e][\x20-\x7e]{1,98}[\x21-\x7e]$/.test(text), { error: agentForm })
  .refine((text) => !isInBrowsers(text), {
    error: "expected a text that browsers do not have, since readers would be meant too",
  });

const percent = (value: number, description: string) =>
  z.number().min(0.1).max(100).default(value).meta({ description, edit: "live" });

/** Schema of `crawlers:`. */
export const crawlerOptions = z.strictObject({
  mode: z.enum(["off", "observe", "limit"]).default("off").meta({
    description:
      "`off`: everybody is treated alike. `observe`: the service tells readers from crawlers and counts who would have waited or been refused, but changes no response. `limit`: requests above a budget wait, and networks that ask for too many large images are refused them.",
    edit: "live",
  }),
  known_networks: z.array(rangeOption()).default([]).meta({
    description:
      "Addresses or networks (CIDR notation) without a budget, such as a reading room, or a partner who takes the whole collection.",
    edit: "live",
  }),
  listed_origins: z
    .array(z.string({ error: originForm }).refine(isOrigin, { error: originForm }))
    .default([])
    .meta({
      description:
        "Sites whose viewers show your images, such as https://www.example.org, or https://*.example.org with its subdomains. Their tiles go before those of strangers. Large images do not, because any program can claim to come from such a site.",
      edit: "live",
    }),
  denied_agents: z.array(agentOption).max(500).default([]).meta({
    description:
      "Texts such as GPTBot. Images, documents and pages are 403 if the User-Agent contains one of them, in upper or lower case. This applies in every `mode`, also in `off`.",
    edit: "live",
  }),
  secret_env: z.string().default("").meta({
    description:
      "Environment variable with the secret that signs the passes of viewers; use the same secret on all servers. Empty: each process makes a secret of its own, and accepts only its own passes.",
    edit: "restart",
  }),
  strangers: percent(
    10,
    "Percent of the processor time for renders that all strangers share: those who are not known, use no viewer of this service, and come from no listed site.",
  ),
  newcomers: percent(
    5,
    "Percent of that time, within the share of strangers, for networks that have not behaved like a viewer yet. Crawlers and programs get at most half of it.",
  ),
  viewers: percent(40, "Percent of that time that viewers of this service share."),
  listed: percent(30, "Percent of that time that viewers on listed sites share."),
});

export type CrawlerOptions = z.output<typeof crawlerOptions>;
