// The options under `crawlers:`.

import { z } from "zod";
import { parseUrl, pathOption, rangeOption } from "../../base/index.ts";
import { redisAddressOptions, redisPrefixOption, withOneRedis } from "../stores/redis/redis.ts";
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

const nameForm = "expected 1 to 40 printable characters, such as Googlebot";
const domainForm = "expected a domain in lower case, such as googlebot.com";
const edit = "restart";

/** A crawler, and how it is verified. */
const verified = z
  .strictObject({
    name: z
      .string({ error: nameForm })
      .regex(/^[^\p{Cc}\p{Cs}]{1,40}$/u, { error: nameForm })
      .meta({ description: "Name of the crawler for `/admin/visitors` and `/ready`.", edit }),
    agent: agentOption.meta({
      description: "Text that its User-Agent contains, in any case. The first crawler that fits counts.",
      edit,
    }),
    ranges_file: pathOption.default("").meta({
      description:
        "JSON file of its addresses, as Google, Bing, OpenAI and Common Crawl publish them (`prefixes[].ipv4Prefix`). The service reads it again when it changes.",
      edit,
    }),
    domains: z
      .array(
        z
          .string({ error: domainForm })
          .max(253)
          .regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/, { error: domainForm }),
      )
      .max(20)
      .default([])
      .meta({
        description:
          "Domains of the names of its addresses, such as googlebot.com. The name has to lead back to the address.",
        edit,
      }),
    welcome: z.boolean().default(false).meta({
      description: "If true, it may use as much as it likes once it is verified.",
      edit,
    }),
  })
  .refine(({ ranges_file, domains }) => ranges_file !== "" || domains.length > 0, {
    error: "expected ranges_file or domains, since nothing verifies it otherwise",
  });

const percent = (value: number, description: string) =>
  z.number().min(0.1).max(100).default(value).meta({ description, edit: "live" });

const redis = withOneRedis(
  z.strictObject({
    ...redisAddressOptions,
    prefix: redisPrefixOption.meta({
      description: "Prefix of all keys; `visitors` follows it. Servers with the same prefix share budgets.",
      edit: "restart",
    }),
    machines: z.int().min(1).max(1000).default(1).meta({
      description:
        "Number of machines that share budgets. What classes may use together is a part of the time of all of them.",
      edit: "restart",
    }),
  }),
);

const options = z.strictObject({
  mode: z.enum(["off", "observe", "limit"]).default("off").meta({
    description:
      "`off`: the service treats all visitors the same. `observe`: it tells readers from crawlers, and counts the requests that `limit` would delay or refuse. It changes no response, but sets a cookie on pages of `/view`. `limit`: requests above a budget wait, and a network that asks for too many large images gets no more of them for a while.",
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
  verified: z.array(verified).max(100).default([]).meta({
    description:
      "Crawlers that the service verifies. A client that names one and is none is of the class `claimed`.",
  }),
  proof: z.enum(["off", "downloads", "pages"]).default("off").meta({
    description:
      "Has browsers without history calculate for a second before they open what is named; applies with `mode: limit`, and with `observe` it is only counted. `downloads`: PDF and ZIP. `pages`: also pages for people, such as those of `/view`. Viewers and programs are never asked.",
    edit: "live",
  }),
  secret_env: z.string().default("").meta({
    description:
      "Environment variable with the secret that signs the passes of viewers, and proofs; use the same secret on all servers. Empty: each process makes a secret of its own, and accepts only its own passes.",
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
  redis: redis.optional(),
});

/** Schema of `crawlers:`. */
export const crawlerOptions = options.refine(({ redis, secret_env }) => !redis || secret_env !== "", {
  path: ["secret_env"],
  error:
    "expected the name of a variable, since crawlers.redis is set: servers name networks in Redis by its secret",
});

export type CrawlerOptions = z.output<typeof crawlerOptions>;
