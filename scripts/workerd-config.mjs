// The configuration of `workerd serve` for the files of dist/, as Cap'n Proto text.

/**
 * Returns the configuration of workerd. `modules`: files of the WebAssembly modules; `chunks`: files that
 * app.js loads on demand. Start it in dist/: the directories are relative to the folder in which workerd
 * starts, and `--directory-path disk=/srv/images` and `--directory-path assets=…` name others. The date may
 * not be later than the oldest workerd that runs this.
 */
export function workerdConfig(modules, chunks) {
  const scripts = chunks.map((name) => `    (name = "${name}", esModule = embed "${name}"),`);
  const wasm = modules.map((file) => `    (name = "${file}", wasm = embed "${file}"),`);
  const variables = [
    "SMALTI_CONFIG",
    "SMALTI_IMAGE",
    "SMALTI_MEMORY_BYTES",
    "SERVICE_LOG_LEVEL",
    "SERVICE_LOG_FORMAT",
    "SERVICE_MAX_PIXEL_AREA",
    "SERVICE_ADMIN_USER",
    "SERVICE_ADMIN_PASS",
    // Secrets by their usual names; another that the configuration names needs a line here.
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    // The endpoint of a container that has a role.
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "CALLBACK_SECRET",
    "OIDC_CLIENT_SECRET",
    "OTLP_TOKEN",
    "REDIS_PASSWORD",
    "UPSTASH_REDIS_REST_TOKEN",
  ];
  const bindings = variables.map((name) => `    (name = "${name}", fromEnvironment = "${name}"),`);
  return `# smalti on workerd: cd dist && workerd serve workerd.capnp
# Images, the configuration (config.yaml) and what is written lie in ./data, or where --directory-path disk=DIR says.
# Another port: --socket-addr http=*:8081
# Outgoing connections go to public addresses alone, whatever names resolve to: identifiers may name hosts. For a source or
# cache in a private network add "private" to the list in "internet".

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .smalti),
    (name = "disk", disk = (path = "data", writable = true)),
    (name = "assets", disk = (path = "static")),
    (name = "internet", network = (allow = ["public"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "*:8080", http = (), service = "main")],
);

const smalti :Workerd.Worker = (
  modules = [
    (name = "workerd.js", esModule = embed "workerd.js"),
    (name = "app.js", esModule = embed "app.js"),
${scripts.join("\n")}
${wasm.join("\n")}
  ],
  bindings = [
    (name = "DISK", service = "disk"),
    (name = "ASSETS", service = "assets"),
${bindings.join("\n")}
  ],
  compatibilityDate = "2026-04-20",
  compatibilityFlags = ["nodejs_compat", "enable_request_signal"],
  globalOutbound = "internet",
);
`;
}
