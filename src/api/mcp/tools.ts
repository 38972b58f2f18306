// The tools of /mcp for one request, and how their errors are reported.

import { ServiceError, toErrorRecord } from "../../errors.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "../http/context.ts";
import { isServerFault } from "../http/failure.ts";
import { browseTool } from "./browse.ts";
import { failure } from "./failure.ts";
import { imageInfoTool } from "./image-info.ts";
import type { CallToolResult, Tool } from "./protocol.ts";
import { regionTool } from "./region.ts";

/** Instructions for the model, sent when it connects. */
export const instructions = `This server shows images in high resolution, such as scans of books, maps and works of art, by the IIIF Image API.
browse lists folders and images, and searches in them. An image has an identifier, such as maps/berlin.jp2; get_image_info returns its size in pixels.
get_region returns the image, or a part of it, as a picture that is small enough to look at. For details, look at the whole first, then ask for the region in pixels of the full image; repeat with smaller regions.`;

/** Returns the tools for a request, in listing order. */
export function toolsOf(c: RequestContext, service: Service): readonly Tool[] {
  return [browseTool, imageInfoTool, regionTool].map((define) => {
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
  { log }: Service,
  tool: string,
  run: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    return await run();
  } catch (error) {
    const { code, message, cause } = toErrorRecord(error, "decode");
    if (isServerFault(error))
      log.error("tool failed", { tool, path: c.get("target").path, code, detail: message, cause });
    return failure(
      error instanceof ServiceError ? message : "The tool failed. The operator finds the reason in the log.",
    );
  }
}
