# workerd test health.capnp: exit code 0 if the service in this container responds.

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "health", worker = (
      modules = [(name = "health-worker.js", esModule = embed "health-worker.js")],
      bindings = [(name = "NETWORK", service = "network")],
      compatibilityDate = "2026-04-20",
    )),
    (name = "network", network = (allow = ["private"])),
  ],
);
