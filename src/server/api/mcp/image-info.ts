// The tool get_image_info: facts about an image that need no decoding.

import { z } from "zod";
import { imageAddress, mainPrefix } from "../../../iiif/index.ts";
import type { GrantedMaster } from "../../images/describe.ts";
import { informationOf } from "../../images/information.ts";
import { withMaster } from "../../images/open.ts";
import type { Service } from "../../service.ts";
import { servicesOf } from "../http/auth-services.ts";
import { callerOf, type RequestContext } from "../http/context.ts";
import { onImage } from "./kinds.ts";
import { manifestLink } from "./links.ts";
import type { CallToolResult, Tool } from "./protocol.ts";
import { denial } from "./results.ts";

export const identifierInput = z
  .string()
  .min(1)
  .max(4096)
  .describe(
    "Identifier of the image as browse lists it, such as maps/berlin.jp2. Also percent-encoded, or an address of the image, its manifest, canvas or page on this server.",
  );

const input = z.strictObject({ identifier: identifierInput });

/** Returns the tool for a request. */
export function imageInfoTool(c: RequestContext, service: Service): Tool<z.output<typeof input>> {
  return {
    name: "get_image_info",
    title: "Facts of an image",
    description:
      "Returns the IIIF image information (info.json) of one image as JSON: its full width and height in pixels, limits, and addresses. `id` in it is the base of the image's own URLs. If pages is more than 1, identifier;2 is page 2.",
    input,
    run: ({ identifier: given }) =>
      onImage(c, service, given, (identifier) => infoOf(c, service, identifier)),
  };
}

async function infoOf(c: RequestContext, service: Service, identifier: string): Promise<CallToolResult> {
  const { images } = service;
  const show = async (master: GrantedMaster): Promise<CallToolResult> => {
    const wanted = {
      version: 3,
      id: imageAddress(c.get("base") + mainPrefix[3], identifier),
      service: servicesOf(c, service, 3, identifier),
    } as const;
    const { document, pages } = await informationOf(images, master, wanted, c.req.raw.signal);
    const facts = { identifier, pages, access: master.grant.tier, info: document };
    const name = identifier.slice(identifier.lastIndexOf("/") + 1);
    return {
      content: [
        { type: "text", text: JSON.stringify(facts, null, 1) },
        ...manifestLink(c, service, identifier, name),
      ],
    };
  };
  return withMaster(images, callerOf(c, identifier), show, (refused) =>
    denial(c, service, identifier, refused),
  );
}
