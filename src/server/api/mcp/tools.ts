// The tools and documents of /mcp for one request, and how their errors are reported.

import { ServiceError, toErrorRecord } from "../../../base/index.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "../http/context.ts";
import { isServerFault } from "../http/failure.ts";
import { Refusal } from "../http/problem.ts";
import { browseTool } from "./browse.ts";
import { failure } from "./failure.ts";
import { imageInfoTool } from "./image-info.ts";
import type { CallToolResult, ResourceShelf, Tool } from "./protocol.ts";
import { regionTool } from "./region.ts";
import { documentType, resourcesOf } from "./resources.ts";
import { searchTextTool } from "./search-text.ts";

/** Instructions for the model, sent when it connects. */
export const instructions = `This server shows images in high resolution, such as scans of books, maps and works of art, by the IIIF Image API.
browse lists folders and images, and searches in their names and labels; search_text finds words in the text of pages. An image has an identifier, such as maps/berlin.jp2; addresses of this server that a person gives you serve as well. get_image_info returns its size in pixels.
get_region returns the image, or a part of it, as a picture that is small enough to look at. For details, look at the whole first, then ask for the region in pixels of the full image; repeat with smaller regions.`;

/** Returns the tools for a request, in listing order. */
export function toolsOf(c: RequestContext, service: Service): readonly Tool[] {
  return [browseTool, searchTextTool, imageInfoTool, regionTool].map((define) => {
    const tool = define(c, service) as Tool;
    return { ...tool, run: (input) => inWords(c, service, tool.name, () => tool.run(input)) };
  });
}

/**
 * Returns the result of a tool. An error becomes a result that describes it, and is logged if the operator
 * should see it.
 */
async function inWords(
  c: RequestContext,
  service: Service,
  tool: string,
  run: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    return await run();
  } catch (error) {
    return failure(problemText(c, service, { tool }, error));
  }
}

/** Returns the documents for a request, with errors in words. */
export function shelfOf(c: RequestContext, service: Service): ResourceShelf {
  const { list, templates, read } = resourcesOf(c, service);
  return {
    list,
    templates,
    async read(uri) {
      try {
        return { text: await read(uri), mimeType: documentType };
      } catch (error) {
        const problem = problemText(c, service, { tool: "resources/read" }, error);
        const kind = error instanceof ServiceError && error.kind === "not-found" ? "missing" : undefined;
        return { problem, kind: kind ?? (isServerFault(error) ? "broken" : "refused") };
      }
    },
  };
}

/** Returns what a client may know of an error; logs it if the operator should see it. */
function problemText(
  c: RequestContext,
  { log }: Service,
  about: { readonly tool: string },
  error: unknown,
): string {
  const { code, message, cause } = toErrorRecord(error, "decode");
  if (isServerFault(error))
    log.error("tool failed", { ...about, path: c.get("target").path, code, detail: message, cause });
  return error instanceof ServiceError || error instanceof Refusal
    ? message
    : "The tool failed. The operator finds the reason in the log.";
}
