// The tool browse: the folders and images of the sources that the caller may have.

import { z } from "zod";
import { ServiceError } from "../../errors.ts";
import { checkIdentifier } from "../../iiif/image/path.ts";
import { browseFolder, type Position } from "../../manifests/browse/browse.ts";
import type { Service } from "../../service.ts";
import { callerOf } from "../http/client/caller.ts";
import type { RequestContext } from "../http/context.ts";
import { denial } from "./answers.ts";
import { manifestLink } from "./links.ts";
import type { Tool } from "./protocol.ts";

const input = z.strictObject({
  id: z
    .string()
    .max(4096)
    .default("")
    .describe("Identifier of a folder as browse lists it, such as maps/berlin. Leave it out for the top."),
  cursor: z
    .string()
    .max(4200)
    .optional()
    .describe("next_cursor of the page before, for a folder that takes several pages."),
});

/** The tool for a request. */
export function browseTool(c: RequestContext, service: Service): Tool<z.output<typeof input>> {
  return {
    name: "browse",
    title: "Browse folders and images",
    description:
      "Lists the folders and images in a folder, up to 50 at a time, as JSON with their identifiers: browse folders, and pass identifiers of images to get_image_info and get_region.",
    input,
    async run({ id, cursor }) {
      const bare = id.replace(/^\/+|\/+$/g, "");
      const identifier = bare === "" ? "" : checkIdentifier(bare);
      const { images, sources, folders, auth } = service;
      const parts = { images, auth, sources, folders, options: service.config().presentation };
      const after = cursor === undefined || cursor === "" ? undefined : positionOf(cursor);
      const page = await browseFolder(parts, identifier, after, callerOf(c, identifier));
      if ("refused" in page) return denial(c, service, identifier, page.refused);
      const { next, ...listed } = page;
      const facts = {
        id: listed.identifier,
        name: listed.name,
        ...(listed.parent !== undefined && { parent: listed.parent }),
        folders: listed.folders,
        images: listed.images,
        ...(next && { next_cursor: cursorOf(next) }),
      };
      return {
        content: [
          { type: "text", text: JSON.stringify(facts, null, 1) },
          ...manifestLink(c, service, listed.identifier, listed.name),
        ],
      };
    },
  };
}

const cursorOf = ({ kind, identifier, skipped }: Position) => `${kind}.${skipped}.${identifier}`;

function positionOf(cursor: string): Position {
  const [, kind, skipped, identifier] = /^(folder|image)\.(\d{1,9})\.(.*)$/s.exec(cursor) ?? [];
  if (kind === undefined || identifier === undefined)
    throw new ServiceError(
      "bad-request",
      "Expected the next_cursor of an earlier page as the cursor; received something else. Leave it out to begin again.",
      { code: "invalid_cursor" },
    );
  return { kind: kind as Position["kind"], identifier, skipped: Number(skipped) };
}
