# smalti in the image on workerd. The worker itself is that of dist/workerd.capnp; its disk has the mounts of
# the container. Outgoing connections go to public addresses alone; private.capnp permits those of a private
# network too.

using Workerd = import "/workerd/workerd.capnp";
using Dist = import "../workerd.capnp";

const main :Workerd.Service = (name = "main", worker = Dist.smalti);
const disk :Workerd.Service = (name = "disk", worker = (
  modules = [
    (name = "mounts.js", esModule = embed "mounts.js"),
    (name = "caches.yaml", text = embed "caches.yaml"),
  ],
  bindings = [
    (name = "images", service = "images"),
    (name = "config", service = "config"),
    (name = "cache", service = "cache"),
  ],
  compatibilityDate = "2026-04-20",
));
const images :Workerd.Service = (name = "images", disk = (path = "/images"));
const configuration :Workerd.Service = (name = "config", disk = (path = "/config"));
const cache :Workerd.Service = (name = "cache", disk = (path = "/cache", writable = true));
const assets :Workerd.Service = (name = "assets", disk = (path = "/smalti/static"));
const socket :Workerd.Socket = (name = "http", address = "*:8080", http = (), service = "main");

const config :Workerd.Config = (
  services = [
    .main, .disk, .images, .configuration, .cache, .assets,
    (name = "internet", network = (allow = ["public"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [.socket],
);
