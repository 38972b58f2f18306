// Installs the runtimes before the suite.

import { installPackages } from "../../scripts/packages.mjs";

export default function setup(): void {
  installPackages("test/runtimes");
}
