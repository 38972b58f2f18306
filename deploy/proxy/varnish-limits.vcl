# Limits for crawlers in Varnish, which needs the package varnish-modules for them. Append this file to varnish.vcl:
#   cat varnish.vcl varnish-limits.vcl >/etc/varnish/default.vcl
# What the cache responds to is not counted.
import vsthrottle;

sub limit {
  # Large images and downloads, except below signed links (/s/), which smalti verifies; tiles and previews have
  # sides of at most 1,024 pixels.
  if (req.url !~ "^/s/[^/?]+/iiif/"
    && req.url ~ "^/([^?]*/)?iiif/([23]/[^?]+/[^/?]+/[^/?]+/[^/?]+/[^/?]+\.[^/?]+(\?|$)|download/)"
    && req.url !~ "^/([^?]*/)?iiif/[23]/[^?]+/\^?!?(\d{1,3}|10[01]\d|102[0-4])?,(\d{1,3}|10[01]\d|102[0-4])?/[^/?]+/[^/?]+(\?|$)") {
    # A network (/24 of IPv4, about /64 of IPv6) may ask for five immediately, and then for one a second.
    if (vsthrottle.is_denied("large " + regsub(client.ip, "^(\d+\.\d+\.\d+)\..*|^((?:[0-9a-f]*:){1,4}).*", "\1\2"), 5, 5s)) {
      return (synth(429));
    }
  } elsif (req.url ~ "^/([^?]*/)?iiif/") {
    # An address may ask for 200 immediately: a window on a 4K screen asks for 40 tiles each time that a reader
    # zooms, and no viewer asks again for a tile that was refused. For many readers behind one address, raise both.
    if (vsthrottle.is_denied("any " + client.ip, 200, 4s)) {
      return (synth(429));
    }
  }
}

sub vcl_miss {
  call limit;
}

# Requests with a token, and downloads.
sub vcl_pass {
  call limit;
}

# Viewers of other sites can read why.
sub vcl_synth {
  if (resp.status == 429) {
    set resp.http.Access-Control-Allow-Origin = "*";
    set resp.http.Cache-Control = "no-store";
    set resp.http.Retry-After = "5";
    set resp.http.Content-Type = "application/problem+json";
    set resp.body = {"{"type":"about:blank","title":"Too Many Requests","detail":"Your network asks for too much at once. Wait some seconds.","status":429}"};
    return (deliver);
  }
}
