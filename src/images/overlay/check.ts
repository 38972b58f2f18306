// What the configured overlay contributes to the checks of the service.

import type { Check } from "../../lib/checks.ts";
import { type OverlayOptions, placeOfPicture } from "./options.ts";
import type { Overlays } from "./overlays.ts";

/** One check where an overlay is configured. */
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
      // A source that is away now may be back soon; a file that is not there is a mistake.
      neededFor: inSource ? "answers" : "start",
      run: () => overlays.check(),
    },
  ];
}
