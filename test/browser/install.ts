// Installs the packages that all browser tests need before the suite; those of the foreign clients are
// installed by the only file that needs them, while others run.

import { installPackages } from "../../scripts/packages.mjs";

export default function setup(): void {
  installPackages("test/browser");
}
