// The supported versions of the Image API, by number.

import { version2 } from "./v2.ts";
import { version3 } from "./v3.ts";
import type { ImageVersion } from "./version.ts";

export const imageVersions: Readonly<Record<2 | 3, ImageVersion>> = { 2: version2, 3: version3 };
