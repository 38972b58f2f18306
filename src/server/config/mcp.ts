// The options under `mcp:`.

import { z } from "zod";
import { parseUrl } from "../../base/index.ts";

const originForm = "expected an origin such as https://viewer.example.org, without a path";
const hostForm = "expected the name of a host such as images.internal, without scheme and port";

const isOrigin = (text: string) => parseUrl(text) !== undefined && /^https?:\/\/[^/?#@]+$/i.test(text);
const isHostName = (text: string) => /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(text);

/** Schema of `mcp:`. */
export const mcpOptions = z.strictObject({
  enabled: z.boolean().default(false).meta({
    description:
      "If true, AI clients may browse the folders and look at images through the Model Context Protocol, at `/mcp`.",
    edit: "restart",
  }),
  allowed_origins: z
    .array(z.string({ error: originForm }).refine(isOrigin, { error: originForm }))
    .default([])
    .meta({
      description:
        "Origins of other sites, such as https://viewer.example.org, whose pages may use `/mcp` from a browser. Clients that are not browsers do not need this.",
      edit: "restart",
    }),
  allowed_hosts: z
    .array(z.string({ error: hostForm }).refine(isHostName, { error: hostForm }))
    .default([])
    .meta({
      description:
        "Host names under which clients may reach `/mcp`, such as images.internal, in addition to the host of `base_url`, localhost and IP addresses.",
      edit: "restart",
    }),
});

export type McpOptions = z.output<typeof mcpOptions>;
