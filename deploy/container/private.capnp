# As public.capnp, and outgoing connections may go to a private network: to Redis, or to a source in it.

using Workerd = import "/workerd/workerd.capnp";
using Public = import "public.capnp";

const config :Workerd.Config = (
  services = [
    Public.main, Public.disk, Public.images, Public.configuration, Public.cache, Public.assets,
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [Public.socket],
);
