// A shell as a reader of a page has it: a folder with pictures, the programs that the page names, and a
// server at the address that the page names. All of it is in a scratch folder, at a free port.

import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { fixturesFolder } from "../host.ts";
import { hang } from "../limits.ts";

/** Files of every folder that a page serves, by the names that pages use: key and fixture. */
const pictures: Readonly<Record<string, string>> = {
  "mosaic.jpg": "../../static/sample/sample.jpg",
  "scan.jpg": "jpg-baseline-420.jpg",
  "scan.tif": "tif-deflate-pred2.tif",
  "scan.jp2": "jp2-reversible.jp2",
  "0001.jp2": "jp2-precincts-rpcl-plt-tlm.jp2",
  "1912.tif": "tif-deflate-pred2.tif",
  "mark.png": "base.png",
  "marks/press.png": "base.png",
  "plates/0001.jp2": "jp2-precincts-rpcl-plt-tlm.jp2",
  "hours/1.jpg": "jpg-baseline-420.jpg",
  "letters/1912/page 1.tif": "tif-deflate-pred2.tif",
  "letters/1912/page-1.tif": "tif-deflate-pred2.tif",
  "letters/1912/page 2.tif": "tif-deflate-pred2.tif",
  "letters/1913/page 1.tif": "tif-deflate-pred2.tif",
  "maps/sheet-1.tif": "tif-deflate-pred2.tif",
};

const password = "a password of the test";
/** What variables that a configuration names are set to. */
const secret = "0123456789abcdef".repeat(4);

/** Programs that stand for those of the page; `$SMALTI` runs the built program, `$PORT` is its port. */
const programs: Readonly<Record<string, string>> = {
  // Without a command, smalti serves, at the port of the session: it goes on in the background, in place of
  // the one before, which has to leave the port first.
  smalti: `set -- "\${@//http:\\/\\/localhost:8080/http:\\/\\/127.0.0.1:$PORT}"
case "$1" in
  check|doctor|warm|hook|sessions|hash-password|completions|version|help|convert|export|purge|init|import|info|render) exec $SMALTI "$@" ;;
esac
if [ -f "$ROOT/pid" ]; then
  kill "$(cat "$ROOT/pid")" 2>/dev/null
  while kill -0 "$(cat "$ROOT/pid")" 2>/dev/null; do sleep 0.05; done
fi
args=() before=
for word in "$@"; do
  [ "$before" = --port ] && word=$PORT
  args+=("$word") before=$word
done
SERVICE_ADDR=127.0.0.1:$PORT setsid $SMALTI "\${args[@]}" >"$ROOT/server.log" 2>&1 </dev/null &
echo $! >"$ROOT/pid"
while :; do
  [ "$(/usr/bin/curl -so /dev/null -w '%{http_code}' "http://127.0.0.1:$PORT/health")" = 200 ] && exit 0
  kill -0 "$(cat "$ROOT/pid")" 2>/dev/null || break
  sleep 0.1
done
cat "$ROOT/server.log" >&2
exit 1`,
  // A server of files starts, at a free port, and stops again.
  python3: `[ "$1 $2" = "-m http.server" ] || exec /usr/bin/python3 "$@"
timeout 2 /usr/bin/python3 "\${@/#9000/0}"
[ $? = 124 ]`,
  // Nothing is installed: blocks with npm say which test runs them.
  npm: 'echo "npm is not for this session" >&2; exit 1',
  npx: `[ "\${1%@latest}" = smalti ] || { echo "npx $1 is not known to this test" >&2; exit 1; }
shift
exec smalti "$@"`,
  curl: `args=() before=
for word in "$@"; do
  word=\${word//https:\\/\\/images.example.org/http:\\/\\/127.0.0.1:$PORT}
  word=\${word//http:\\/\\/localhost:8080/http:\\/\\/127.0.0.1:$PORT}
  [ "$before" = -u ] && [ "\${word%:*}" = "$word" ] && word=$word:$SERVICE_ADMIN_PASS
  args+=("$word") before=$word
done
# Headers are shown of every response; a body is wanted of one without an error.
case " $* " in *" -I "*|*" -sI "*) ;; *) args+=(--fail-with-body) ;; esac
exec /usr/bin/curl --silent --show-error "\${args[@]}"`,
};

/** Runs the blocks of a page, in their order, in one shell. */
export class Session {
  readonly #root = mkdtempSync(join(tmpdir(), "smalti-page-"));
  readonly #work = join(this.#root, "work");
  readonly #env: Record<string, string>;
  #state = "";

  constructor(main: string, port: number) {
    for (const folder of [this.#work, join(this.#root, "bin")]) mkdirSync(folder);
    for (const [name, text] of Object.entries(programs)) {
      const file = join(this.#root, "bin", name);
      writeFileSync(file, `#!/bin/bash\n${text}\n`);
      chmodSync(file, 0o755);
    }
    for (const folder of [this.#work, join(this.#root, "Pictures"), join(this.#root, "srv/incoming")])
      fill(folder);
    mkdirSync(join(this.#root, "srv/incoming/1912"));
    this.#env = {
      PATH: `${join(this.#root, "bin")}:${process.env.PATH}`,
      HOME: this.#root,
      ROOT: this.#root,
      PORT: String(port),
      SMALTI: `${process.execPath} ${main}`,
      SERVICE_ADMIN_USER: "ada",
      SERVICE_ADMIN_PASS: password,
    };
    symlinkSync(fileURLToPath(new URL("../../deploy", import.meta.url)), join(this.#work, "deploy"));
    writeFileSync(
      join(this.#work, "cantaloupe.properties"),
      `source.static = FilesystemSource\nFilesystemSource.BasicLookupStrategy.path_prefix = ${this.#root}/Pictures/\n`,
    );
  }

  /** Saves a configuration of the page as smalti.yaml, with what it refers to. */
  configure(text: string): void {
    const here = this.#inRoot(text);
    writeFileSync(join(this.#work, "smalti.yaml"), here);
    for (const [, name = ""] of text.matchAll(/_env: *"?(\w+)/g)) this.#env[name] ??= secret;
    const { sources } = (parse(here) ?? {}) as { readonly sources?: readonly { readonly root?: string }[] };
    for (const { root } of sources ?? []) if (root) fill(resolve(this.#work, root));
  }

  /** Runs a block; a block that talks to a server gets one. */
  run(block: string): SpawnSyncReturns<string> {
    const needsFile = !/smalti (import|init)\b/.test(block);
    if (needsFile && !existsSync(join(this.#work, "smalti.yaml")))
      this.configure("sources: [{ name: pictures, type: filesystem, root: ../Pictures }]\n");
    const isAsked = /^curl\b|--url http:/m.test(block) && !existsSync(join(this.#root, "pid"));
    const text = `set -e -o pipefail\n${this.#state}\n${isAsked ? "smalti -config smalti.yaml\n" : ""}${this.#inRoot(block)}\nexport -p >"$ROOT/state"\n`;
    const input = `${password}\n`;
    const result = spawnSync("bash", ["-c", text], {
      cwd: this.#work,
      env: this.#env,
      input,
      encoding: "utf8",
      timeout: hang,
    });
    const state = join(this.#root, "state");
    this.#state = existsSync(state) ? readFileSync(state, "utf8") : "";
    return result;
  }

  end(): void {
    const file = join(this.#root, "pid");
    const pid = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
    // If the server has ended, its number may be that of another process by now.
    const isServer = () =>
      existsSync(`/proc/${pid}/cwd`) && readlinkSync(`/proc/${pid}/cwd`).startsWith(this.#root);
    if (pid && (process.platform !== "linux" || isServer())) spawnSync("kill", ["-KILL", pid]);
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** Folders of a server, which exist in the scratch folder alone. */
  #inRoot(text: string): string {
    return text.replaceAll(
      /(?<=^|[\s"'[(=:])\/(?=(?:srv|var|etc|mnt|data|images|masters)\/)/gm,
      `${this.#root}/`,
    );
  }
}

function fill(folder: string): void {
  for (const [name, file] of Object.entries(pictures)) {
    const target = join(folder, name);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(fixturesFolder, file), target);
  }
}
