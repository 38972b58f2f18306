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
      "`observe`: the service tells readers from crawlers, and counts who would have waited or been refused. `limit`: it also has them wait, and refuses large images to those who ask for too many. `off`: all are treated alike.",
    edit: "live",
  }),
  known_networks: z.array(rangeOption()).default([]).meta({
    description:
      "Addresses or networks in CIDR notation that may use as much as they like, such as those of a reading room or of a partner who takes everything.",
    edit: "live",
  }),
  listed_origins: z
    .array(z.string({ error: originForm }).refine(isOrigin, { error: originForm }))
    .default([])
    .meta({
      description:
        "Sites whose viewers show these images, such as https://www.example.org or https://*.example.org. Their tiles go before those of strangers. Anyone can claim to come from there, so it helps for tiles and image information alone.",
      edit: "live",
    }),
  denied_agents: z.array(agentOption).max(500).default([]).meta({
    description:
      "Texts such as GPTBot. Requests for images, documents and pages whose User-Agent contains one of them, in any case, are 403, with every `mode`, `off` too.",
    edit: "live",
  }),
  secret_env: z.string().default("").meta({
    description:
      "Environment variable with a secret by which the passes of viewers are signed, the same on all servers. Empty: each process has a secret of its own, and accepts its own passes alone.",
    edit: "restart",
  }),
  strangers: percent(
    10,
    "Percent of the processor time for renders that all may use together who are neither known, nor in a viewer of this service, nor of a listed site.",
  ),
  newcomers: percent(
    5,
    "Percent of that time, within those of strangers, for networks that have not done what viewers do, and for crawlers and programs, which get half of it at most.",
  ),
  viewers: percent(40, "Percent of that time for the viewers of this service."),
  listed: percent(30, "Percent of that time for listed sites."),
});

export type CrawlerOptions = z.output<typeof crawlerOptions>;
