// Installs the packages of the browser tests before the suite.

import { installPackages } from "../../scripts/packages.mjs";

export default function setup(): void {
  installPackages("test/browser", "test/browser/clients");
}
