// The health check of the configured overlay.

import type { Check } from "../../../base/index.ts";
import { locationOfOverlay, type OverlayOptions } from "./options.ts";
import type { Overlays } from "./overlays.ts";

/** Returns a check if an overlay is configured, otherwise none. */
export function overlayChecks(overlays: Pick<Overlays, "check">, { image }: OverlayOptions): Check[] {
  if (image === "") return [];
  const location = locationOfOverlay(image);
  const inSource = "source" in location;
  return [
    {
      part: "overlays",
      name: inSource ? image : (location.path.split(/[/\\]/).at(-1) ?? ""),
      backend: inSource ? "source" : "file",
      key: "overlay.image",
      location: image,
      // A source that is unavailable now may recover soon; a missing file is a mistake.
      neededFor: inSource ? "answers" : "start",
      run: () => overlays.check(),
    },
  ];
}
