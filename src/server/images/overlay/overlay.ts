// An overlay of a derivative: its image and settings.

import type { OverlayImage } from "../../../imaging/index.ts";
import type { OverlaySettings } from "./options.ts";

/** An overlay applied to one derivative. */
export interface Overlay {
  readonly settings: OverlaySettings;
  readonly image: OverlayImage;
}
