// The commands that start an image of deploy/.

import type { StartCommands } from "../../base/index.ts";

/** `image`: its usual name, from the variable SMALTI_IMAGE. Served folders are mounts. */
export function containerCommands(image: string): StartCommands {
  return {
    folder: `docker run -p 8080:8080 -v DIR:/images:ro ${image}`,
    config: `docker run -p 8080:8080 -v DIR:/images:ro -v CONFIG_DIR:/config:ro ${image}`,
  };
}
