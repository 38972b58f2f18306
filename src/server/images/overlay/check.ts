// The health check of the configured overlay.

import type { Check } from "../../../base/index.ts";
import { type OverlayOptions, placeOfPicture } from "./options.ts";
import type { Overlays } from "./overlays.ts";

/** Returns a check if an overlay is configured, otherwise none. */
export function overlayChecks(overlays: Pick<Overlays, "check">, { image }: OverlayOptions): Check[] {
  if (image === "") return [];
  const place = placeOfPicture(image);
  const inSource = "source" in place;
  return [
    {
      part: "overlays",
      name: inSource ? image : (place.path.split(/[/\\]/).at(-1) ?? ""),
      backend: inSource ? "source" : "file",
      key: "overlay.image",
      place: image,
      // A source that is unavailable now may recover soon; a missing file is a mistake.
      neededFor: inSource ? "answers" : "start",
      run: () => overlays.check(),
    },
  ];
}
