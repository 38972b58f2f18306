# smalti behind a caching Varnish (7.1 or newer), with TLS in front of it. Copy this file to
# /etc/varnish/default.vcl, replace 10.0.0.0/8, and set in smalti's configuration
#   addr: "127.0.0.1:8080"
#   base_url: "https://images.example.org"
#   trusted_proxies: ["127.0.0.1"]
# The program that terminates TLS names the client by the PROXY protocol, as `send-proxy-v2` of HAProxy does;
# otherwise all readers look like one client. For long addresses of /view, Varnish needs more memory:
#   varnishd -a 127.0.0.1:6081,PROXY -f /etc/varnish/default.vcl -s malloc,1G
#     -p http_req_size=80k -p workspace_client=192k -p workspace_backend=192k
vcl 4.1;

backend smalti {
  .host = "127.0.0.1";
  .port = "8080";
  .connect_timeout = 2s;
}

# Who may see the operator's pages and the figures.
acl operators {
  "10.0.0.0"/8;
}

sub vcl_recv {
  # Some runtimes read \ as / and resolve dot segments, which no browser sends.
  if (req.url ~ "(?i)^/+(admin|metrics)([/?#]|$)|^[^?]*(\x5c|/(\.|%2e){1,2}([/?#]|$))" && client.ip !~ operators) {
    return (synth(403));
  }

  # Only what Varnish itself knows of the client.
  set req.http.X-Forwarded-For = client.ip;
  unset req.http.Forwarded;
  unset req.http.X-Forwarded-Host;
  unset req.http.X-Forwarded-Proto;
  unset req.http.X-Forwarded-Port;
  unset req.http.X-Forwarded-Prefix;
  unset req.http.X-Forwarded-BasePath;
  unset req.http.X-Forwarded-Path;

  # Nobody waits for the request of another client, which smalti may slow down. smalti itself renders an image
  # once for all who ask for it at the same time.
  set req.hash_ignore_busy = true;

  # Varnish alone would cache nothing for those who send a cookie, such as the pass of the viewer. smalti says
  # what may be cached, and nothing that depends on a cookie may be. The cookie goes on to smalti.
  if ((req.method == "GET" || req.method == "HEAD") && !req.http.Authorization && req.http.Host
    && req.url !~ "(?i)^/+(admin|metrics|mcp|iiif/auth|iiif/download)([/?#]|$)") {
    set req.http.Host = req.http.Host.lower();
    return (hash);
  }
}

sub vcl_backend_response {
  # Copies that have expired are revalidated by their ETag, which costs smalti no render.
  set beresp.keep = 1d;
}

sub vcl_deliver {
  if (obj.hits > 0) {
    set resp.http.X-Cache = "HIT";
  } else {
    set resp.http.X-Cache = "MISS";
  }
}
