// An overlay as a derivative carries it.

import type { OverlayImage } from "../../imaging/render/overlay-pixels.ts";
import type { OverlaySettings } from "./options.ts";

/** An overlay as it is laid on one answer. */
export interface Overlay {
  readonly settings: OverlaySettings;
  readonly image: OverlayImage;
}
