// Types of the configuration, generated from its schema by `npm run docs`. Keys with defaults may be absent.

export interface Config {
  /** Address to listen on. Default: `":8080"`. */
  readonly addr?: string | undefined;
  /**
   * Public URL of the service. Empty: the service derives it from X-Forwarded-Proto, -Host and -Prefix
   * or from Forwarded, else from the request. Default: `""`.
   */
  readonly base_url?: string | undefined;
  /**
   * Addresses of proxies whose Forwarded and X-Forwarded-* headers the service accepts. Empty: it
   * accepts X-Forwarded-Proto, -Host, -Port and -Prefix from anyone, and X-Forwarded-For and Forwarded
   * from no one.
   */
  readonly trusted_proxies?: ReadonlyArray<string> | undefined;
  /** Further paths of the Image API; ids, links and redirects keep the path of the request. */
  readonly aliases?: ReadonlyArray<{
    /**
     * Another path of the Image API: plain text that begins and ends with `/`, matched literally. It
     * cannot be a path of the service itself, such as `/iiif/` and `/static/`.
     */
    readonly prefix: string;
    /** Version of the Image API under this path. */
    readonly version: 2 | 3;
  }> | undefined;
  /** How long a request may take to arrive. Default: `"30s"`. */
  readonly read_timeout?: string | undefined;
  /** How long a response may make no progress before its client is disconnected. Default: `"60s"`. */
  readonly write_timeout?: string | undefined;
  /**
   * How long running requests may take to finish, and caches to be written, after a stop signal; a
   * second signal ends the service immediately. Default: `"15s"`.
   */
  readonly shutdown_timeout?: string | undefined;
  readonly log?: {
    /** Least severe message to write. Default: `"info"`. */
    readonly level?: "debug" | "info" | "warn" | "error" | undefined;
    /** Lines for people, or one JSON object per line. Default: `"text"`. */
    readonly format?: "text" | "json" | undefined;
    /**
     * If true, the log has a line of level info for each request; if false, none. `auto` is the same
     * as true, but at a terminal one line a minute sums them up. Default: `"auto"`.
     */
    readonly requests?: boolean | "auto" | undefined;
  } | undefined;
  readonly admin?: {
    /**
     * File of names and password hashes of further operators, in the form of `htpasswd -B`. It counts
     * only if `SERVICE_ADMIN_USER` and `SERVICE_ADMIN_PASS` are set. The service reads it again when
     * it changes. Default: `""`.
     */
    readonly htpasswd_file?: string | undefined;
    /**
     * Names in that file that may also change something: purge, end sessions, save settings, try
     * logins. All others may only look.
     */
    readonly change?: ReadonlyArray<string> | undefined;
  } | undefined;
  readonly crawlers?: {
    /**
     * `off`: the service treats all visitors the same. `observe`: it tells readers from crawlers, and
     * counts the requests that `limit` would delay or refuse. It changes no response, but sets a
     * cookie on pages of `/view`. `limit`: requests above a budget wait, and a network that asks for
     * too many large images gets no more of them for a while. Default: `"off"`.
     */
    readonly mode?: "off" | "observe" | "limit" | undefined;
    /**
     * Addresses or networks (CIDR notation) without a budget, such as a reading room, or a partner who
     * takes the whole collection.
     */
    readonly known_networks?: ReadonlyArray<string> | undefined;
    /**
     * Sites whose viewers show your images, such as https://www.example.org, or https://*.example.org
     * with its subdomains. Their tiles go before those of strangers. Large images do not, because any
     * program can claim to come from such a site.
     */
    readonly listed_origins?: ReadonlyArray<string> | undefined;
    /**
     * Texts such as GPTBot. Images, documents and pages are 403 if the User-Agent contains one of
     * them, in upper or lower case. This applies in every `mode`, also in `off`.
     */
    readonly denied_agents?: ReadonlyArray<string> | undefined;
    /**
     * Crawlers that the service verifies. A client that names one and is none is of the class
     * `claimed`.
     */
    readonly verified?: ReadonlyArray<{
      /** Name of the crawler for `/admin/visitors` and `/ready`. */
      readonly name: string;
      /** Text that its User-Agent contains, in any case. The first crawler that fits counts. */
      readonly agent: string;
      /**
       * JSON file of its addresses, as Google, Bing, OpenAI and Common Crawl publish them
       * (`prefixes[].ipv4Prefix`). The service reads it again when it changes. Default: `""`.
       */
      readonly ranges_file?: string | undefined;
      /**
       * Domains of the names of its addresses, such as googlebot.com. The name has to lead back to the
       * address.
       */
      readonly domains?: ReadonlyArray<string> | undefined;
      /** If true, it may use as much as it likes once it is verified. Default: `false`. */
      readonly welcome?: boolean | undefined;
    }> | undefined;
    /**
     * Has browsers without history calculate for a second before they open what is named; applies with
     * `mode: limit`, and with `observe` it is only counted. `downloads`: PDF and ZIP. `pages`: also
     * pages for people, such as those of `/view`. Viewers and programs are never asked. Default:
     * `"off"`.
     */
    readonly proof?: "off" | "downloads" | "pages" | undefined;
    /**
     * Environment variable with the secret that signs the passes of viewers, and proofs; use the same
     * secret on all servers. Empty: each process makes a secret of its own, and accepts only its own
     * passes. Default: `""`.
     */
    readonly secret_env?: string | undefined;
    /**
     * Percent of the processor time for renders that all strangers share: those who are not known, use
     * no viewer of this service, and come from no listed site. Default: `10`.
     */
    readonly strangers?: number | undefined;
    /**
     * Percent of that time, within the share of strangers, for networks that have not behaved like a
     * viewer yet. Crawlers and programs get at most half of it. Default: `5`.
     */
    readonly newcomers?: number | undefined;
    /** Percent of that time that viewers of this service share. Default: `40`. */
    readonly viewers?: number | undefined;
    /** Percent of that time that viewers on listed sites share. Default: `30`. */
    readonly listed?: number | undefined;
    readonly redis?: {
      /** Host and port of a Redis server; or set `url`. Default: `""`. */
      readonly addr?: string | undefined;
      /** Number of the database at `addr`. Default: `0`. */
      readonly db?: number | undefined;
      /** If true, `addr` speaks TLS. Default: `false`. */
      readonly tls?: boolean | undefined;
      /** Environment variable that holds the password for `addr`. Empty: none. Default: `""`. */
      readonly password_env?: string | undefined;
      /** URL of a Redis REST service (Upstash); or set `addr`. Default: `""`. */
      readonly url?: string | undefined;
      /** Environment variable that holds the token for `url`. Default: `""`. */
      readonly token_env?: string | undefined;
      /**
       * Prefix of all keys; `visitors` follows it. Servers with the same prefix share budgets.
       * Default: `"smalti/"`.
       */
      readonly prefix?: string | undefined;
      /**
       * Number of machines that share budgets. What classes may use together is a part of the time of
       * all of them. Default: `1`.
       */
      readonly machines?: number | undefined;
    } | undefined;
  } | undefined;
  readonly robots?: {
    /**
     * What `/robots.txt` allows all crawlers to fetch. `nothing`. `pages`: pages and documents, but no
     * images. `sizes`: also whole images at explicit sizes, such as thumbnails. `tiles`: also parts of
     * images, and downloads. `all`: also whole images at full size. Default: `"tiles"`.
     */
    readonly allow?: "nothing" | "pages" | "sizes" | "tiles" | "all" | undefined;
    /**
     * File of the crawlers that may fetch nothing: the `robots.json` of ai.robots.txt, or a name in
     * each line. The service reads it again when it changes. Default: `""`.
     */
    readonly agents_file?: string | undefined;
    /**
     * Lines at the end of `/robots.txt`, in the group of all crawlers, such as `Content-Signal:
     * search=yes, ai-train=no` or `Sitemap: https://…`.
     */
    readonly lines?: ReadonlyArray<string> | undefined;
    /**
     * Headers of images, documents and pages, such as `X-Robots-Tag: noai` or `tdm-reservation: 1`;
     * none that the service sets by itself.
     */
    readonly headers?: Readonly<Record<string, string>> | undefined;
  } | undefined;
  readonly signed_links?: {
    /**
     * Keys of links that open an image to anyone who has them, past logins and the budgets of
     * visitors; `smalti sign` makes them with the first key. Removing a key ends its links. Empty:
     * there are no such links.
     */
    readonly keys?: ReadonlyArray<{
      /** Name of the key, which its links contain. */
      readonly id: string;
      /** Environment variable that holds the secret of the key, such as 32 random bytes. */
      readonly secret_env: string;
    }> | undefined;
  } | undefined;
  readonly errors?: {
    /**
     * URL that the service posts each response of status 5xx to as JSON, for error tracking; errors of
     * one kind at most once a minute. Empty: it posts none. Default: `""`.
     */
    readonly report_url?: string | undefined;
    /**
     * Environment variable that holds the token for this URL, which the service sends as
     * `Authorization: Bearer`. Default: `""`.
     */
    readonly token_env?: string | undefined;
  } | undefined;
  readonly metrics?: {
    /**
     * If true, the figures of the service are at `/metrics`, for Prometheus. Anybody who can reach
     * this address can read them. Default: `false`.
     */
    readonly enabled?: boolean | undefined;
  } | undefined;
  readonly tracing?: {
    /**
     * URL of the collector for traces, which has to accept OTLP over HTTP as JSON. The service appends
     * `/v1/traces` unless the URL ends with it. Empty: nothing is traced. Default: `""`.
     */
    readonly otlp_endpoint?: string | undefined;
    /**
     * Environment variable that holds the token for the collector, which the service sends as
     * `Authorization: Bearer`. Default: `""`.
     */
    readonly token_env?: string | undefined;
    /**
     * Share of the requests that the service traces, from 0 to 1. If a request comes with a
     * `traceparent`, that header alone decides. Default: `1`.
     */
    readonly sample_ratio?: number | undefined;
  } | undefined;
  readonly http?: {
    /** How long browsers and proxies may keep public images. Default: `"24h"`. */
    readonly image_max_age?: string | undefined;
    /** How long browsers and proxies may keep a public info.json. Default: `"1h"`. */
    readonly info_max_age?: string | undefined;
    /**
     * `on` compresses documents, pages and errors of 1 KiB and more with Brotli or gzip for clients
     * that accept it, but never images. Use `off` if a proxy in front compresses. Default: `"on"`.
     */
    readonly compression?: "on" | "off" | undefined;
    /**
     * How long a connection stays open at least while it waits for its next request, from 1s to 1h. It
     * has to be longer than the proxy or load balancer in front keeps idle connections; else some
     * requests end with 502. Default: `"75s"`.
     */
    readonly keep_alive?: string | undefined;
    /**
     * Sites that may show pages of this service, such as its viewers, in frames, for example
     * https://www.example.org; `*`: all sites, `self`: this one. Empty: none. No site may show pages
     * with forms in frames.
     */
    readonly frame_ancestors?: ReadonlyArray<string> | undefined;
    /**
     * If true, image responses have the header `Server-Timing`, which says how long each stage took.
     * It also tells whether somebody else has requested the image before. Default: `false`.
     */
    readonly server_timing?: boolean | undefined;
  } | undefined;
  readonly limits?: {
    /**
     * Requests at the same time; further ones are 503. /health, /ready and /metrics are exempt. 0: no
     * cap. Default: `0`.
     */
    readonly max_in_flight?: number | undefined;
    /**
     * Requests at the same time from one network of clients: an IPv4 address, or an IPv6 prefix of 64
     * bits. Further ones are 429. 0: no cap. Default: `0`.
     */
    readonly max_in_flight_per_ip?: number | undefined;
    /**
     * How long a render may wait for its turn. One that has waited longer, or has more work ahead, is
     * 503, code queue_full. 0s: no limit. Default: `"20s"`.
     */
    readonly max_wait?: string | undefined;
  } | undefined;
  readonly image?: {
    /**
     * Largest area of a master in pixels; above it info.json and images are 400. A TIFF with stored
     * tiles and levels may be larger, as a slide is. 0: no limit. Default: `1000000000`.
     */
    readonly max_pixel_area?: number | undefined;
    /**
     * Largest area that a request may ask for in pixels, advertised as maxArea. 0: no limit. Default:
     * `0`.
     */
    readonly max_output_area?: number | undefined;
    /**
     * Largest width that a request may ask for in pixels, advertised as maxWidth. 0: no limit.
     * Default: `0`.
     */
    readonly max_output_width?: number | undefined;
    /**
     * Largest height that a request may ask for in pixels, advertised as maxHeight, with which the
     * standard requires max_output_width. 0: only max_output_width limits. Default: `0`.
     */
    readonly max_output_height?: number | undefined;
    /** Side of the square tiles that info.json advertises, in pixels. Default: `512`. */
    readonly tile_size?: number | undefined;
    /**
     * Renders that run at the same time. For each of them 256 cheap and 256 heavy ones may wait; above
     * that the response is 503, code queue_full. If more than one may run, heavy renders never take
     * all. Probes for info.json have a separate limit of the same size. 0: the number of processors,
     * and 2 if there is only one, so that a cheap render need not wait until a heavy one ends.
     * Default: `0`.
     */
    readonly max_concurrent?: number | undefined;
    /**
     * Memory that all renders together may need, by the estimates of the service. Empty: a quarter of
     * the machine's or container's memory, at most 2 GiB. Default: `""`.
     */
    readonly memory_budget?: "" | number | string | undefined;
    /**
     * How long one render may take. If it takes longer, the response is 503, code render_timeout, and
     * the service replaces the worker; the same read is then refused for as long as it took, and for
     * twice as long each time. Default: `"60s"`.
     */
    readonly timeout?: string | undefined;
    /**
     * `strip`: derivatives have no EXIF, XMP and IPTC, and their pixels are upright. `preserve`:
     * derivatives embed these metadata; pixels and info.json are as stored, and EXIF contains the
     * orientation. Default: `"strip"`.
     */
    readonly metadata?: "strip" | "preserve" | undefined;
    /**
     * `srgb`: the service converts colours to sRGB and embeds the sRGB profile. `respect-icc`: colours
     * stay as they are, with the profile that the master embeds; CMYK is converted to sRGB anyway.
     * Empty: `srgb` if metadata is stripped, `respect-icc` if it is preserved. Default: `""`.
     */
    readonly color?: "" | "srgb" | "respect-icc" | undefined;
    /**
     * Bits per sample of derivatives: 8, or as many as the master has if the format can hold them
     * (png, tif). Default: `"8"`.
     */
    readonly depth?: "8" | "source" | undefined;
    /**
     * Unsharp mask on the luma of derivatives that are smaller than their region. `on` means radius
     * 0.6, amount 0.5, threshold 2; to set other values, write these three keys instead. Default:
     * `"off"`.
     */
    readonly sharpen?: "off" | "on" | {
      /** Standard deviation of the blur, in pixels of the derivative. Default: `0.6`. */
      readonly radius?: number | undefined;
      /** Share of the difference from the blurred pixels that the mask adds. Default: `0.5`. */
      readonly amount?: number | undefined;
      /** Differences below this, in levels of 0 to 255, are not sharpened. Default: `2`. */
      readonly threshold?: number | undefined;
    } | undefined;
    /**
     * For regions reduced by exactly a power of two: decode at this many times the usual size (at most
     * at full size), and resample. This switches lossless crops off. Default: `"off"`.
     */
    readonly supersample?: "off" | 0 | 2 | 4 | undefined;
    /**
     * Reduce in linear light: decoders deliver four times the size of the derivative, and the service
     * then averages light instead of sRGB values. Default: `"off"`.
     */
    readonly linear?: "off" | "on" | undefined;
    /**
     * For TIFF masters of more than 8 bits, gray or RGB without alpha: show the range between two
     * percentiles of the image's own values instead of the whole range of the sample type. Default:
     * `"off"`.
     */
    readonly window?: "off" | {
      /** Percentile that becomes black. Default: `0.5`. */
      readonly low?: number | undefined;
      /** Percentile that becomes white; it has to be above `low`. Default: `99.5`. */
      readonly high?: number | undefined;
    } | undefined;
    /**
     * Colour behind transparent pixels and in the corners of rotated images, in formats without alpha.
     * Default: `"#ffffff"`.
     */
    readonly background?: string | undefined;
    /**
     * Formats that are written besides JPEG, PNG, TIFF and WebP, and advertised in info.json: `avif`;
     * `jxl`, JPEG XL with the coefficients of a JPEG, of which lossless crops lose nothing more, in a
     * seventh fewer bytes.
     */
    readonly formats?: ReadonlyArray<"avif" | "jxl"> | undefined;
    /**
     * `preferredFormats` of info.json 3.0, in order: viewers that heed it ask for the first one that
     * they show. Formats of `image.formats` have to be named there too.
     */
    readonly preferred_formats?: ReadonlyArray<"jpg" | "png" | "tif" | "webp" | "jp2" | "avif" | "jxl"> | undefined;
    /** Quality of JPEG derivatives. Default: `90`. */
    readonly jpeg_quality?: number | undefined;
    /** Write progressive JPEG. Default: `false`. */
    readonly jpeg_progressive?: boolean | undefined;
    /**
     * `fast`: the quick JPEG encoder. `small`: the one that writes the smallest files. Default:
     * `"fast"`.
     */
    readonly jpeg_encoder?: "fast" | "small" | undefined;
    /** Chroma sampling of JPEG derivatives: `420` halves it both ways, `444` is full. Default: `"420"`. */
    readonly jpeg_chroma?: "420" | "444" | undefined;
    /**
     * `auto`: crop tiles of JPEG masters, and join stored JPEG tiles of TIFF masters, losslessly if
     * the request needs nothing more and the result is not much larger than an encoded tile. `off`:
     * decode and encode all tiles. Default: `"auto"`.
     */
    readonly jpeg_passthrough?: "auto" | "off" | undefined;
    /**
     * `full`: decode JPEG 2000 masters completely. `visual`: leave out the lowest bit-planes if the
     * response is JPEG or WebP. Tiles take up to half the time, and most samples of 8 bits differ by a
     * few levels at most. HTJ2K masters are always decoded in full. Default: `"full"`.
     */
    readonly jp2_effort?: "full" | "visual" | undefined;
    /** Quality of WebP derivatives. Default: `80`. */
    readonly webp_quality?: number | undefined;
    /** Quality of AVIF derivatives. 65 looks like WebP of quality 80. Default: `65`. */
    readonly avif_quality?: number | undefined;
  } | undefined;
  readonly overlay?: {
    /**
     * Picture to put on every derivative: a file, relative to the configuration file, or `source:key`
     * for a file in a source. While it is missing or broken, the service sends no images. Empty: none.
     * Default: `""`.
     */
    readonly image?: string | undefined;
    /** Folder for the file names that a hook returns; they cannot lead out of it. Default: `"."`. */
    readonly folder?: string | undefined;
    /** Corner, edge or middle of the derivative where the overlay lies. Default: `"bottom-right"`. */
    readonly anchor?: "top-left" | "top" | "top-right" | "left" | "center" | "right" | "bottom-left" | "bottom" | "bottom-right" | undefined;
    /**
     * Pixels of the derivative between the overlay and the edges that `anchor` names, across and down.
     * An offset does not count on an axis on which the overlay is centred.
     */
    readonly offset?: readonly [number, number] | undefined;
    /**
     * `shrink`: the overlay has its own size, or a smaller one if it does not fit into the derivative
     * without the offsets. `scale`: it is as large as fits. `tile`: it has its own size and is
     * repeated over the whole derivative. Default: `"shrink"`.
     */
    readonly fit?: "shrink" | "scale" | "tile" | undefined;
    /** Opacity from 0 to 1, multiplied with the overlay's own. Default: `0.6`. */
    readonly opacity?: number | undefined;
    /** Derivatives with a side of fewer pixels have no overlay. 0: all have it. Default: `0`. */
    readonly min_size?: number | undefined;
  } | undefined;
  readonly sources?: ReadonlyArray<{
    /** Name of the source in logs, in /ready and in cache keys. */
    readonly name: string;
    /**
     * Prefix of the identifiers of this source; the service removes it from them. Empty: the default
     * source. Default: `""`.
     */
    readonly prefix?: string | undefined;
    /**
     * If true, ZIP files are folders: `scans.zip/page-001.jp2` names a file in one. If false, they are
     * ignored. Default: `true`.
     */
    readonly archives?: boolean | undefined;
    /** Files in a folder. */
    readonly type: "filesystem";
    /** Folder of the masters; relative to the configuration file. */
    readonly root: string;
    /**
     * How long the service uses a file before it checks again whether the file has changed. A
     * derivative is always made from one version of the file. 0s: it checks for each request. Default:
     * `"60s"`.
     */
    readonly revalidate?: string | undefined;
    /**
     * How long one check of a file, or one read of its header, may take. If it takes longer, the
     * response is 500, code source_unreadable. Reads by workers are bounded by `image.timeout`. 0s: no
     * limit. Default: `"15s"`.
     */
    readonly timeout?: string | undefined;
  } | {
    /** Name of the source in logs, in /ready and in cache keys. */
    readonly name: string;
    /**
     * Prefix of the identifiers of this source; the service removes it from them. Empty: the default
     * source. Default: `""`.
     */
    readonly prefix?: string | undefined;
    /**
     * If true, ZIP files are folders: `scans.zip/page-001.jp2` names a file in one. If false, they are
     * ignored. Default: `true`.
     */
    readonly archives?: boolean | undefined;
    /** Files on a web server. */
    readonly type: "http";
    /**
     * URL of masters, in which the service replaces {identifier}, percent-encoded except for its /.
     * "{identifier}" alone: identifiers are URLs themselves, of `allowed_hosts`.
     */
    readonly url: string;
    /**
     * Headers of every request. The service sends Authorization, Cookie and X-Api-Key to the host of
     * `url` alone; if `url` is "{identifier}", to the host of the identifier, and only over https. Put
     * secrets into `auth_env`.
     */
    readonly headers?: Readonly<Record<string, string>> | undefined;
    /**
     * User-Agent of every request. Empty: `smalti/VERSION (+URL)` with `base_url` as its URL, or
     * without one. Default: `""`.
     */
    readonly user_agent?: string | undefined;
    /**
     * Environment variable that holds the value of the Authorization header, such as "Bearer …".
     * Default: `""`.
     */
    readonly auth_env?: string | undefined;
    /**
     * Hosts, with or without a port, to which redirects and URL identifiers may lead. The host of
     * `url` is always allowed.
     */
    readonly allowed_hosts?: ReadonlyArray<string> | undefined;
    /**
     * If true, host names may resolve to private addresses and to this machine. Link-local addresses
     * are never allowed. An IP address in `url` or `allowed_hosts` is always allowed. Default:
     * `false`.
     */
    readonly allow_private?: boolean | undefined;
    /**
     * Size of the largest master that the service reads as a whole, because its server sends neither
     * ETag nor Last-Modified, or no length. Twice that much memory may be in use while such a master
     * arrives. Several that arrive simultaneously may take four times 64 MiB, or once `max_held` if
     * that is more. Default: `"64MiB"`.
     */
    readonly max_held?: number | string | undefined;
    /**
     * How long the service uses what it has cached of a master before it asks the server again whether
     * the master has changed. 0s: it asks for each request. Default: `"60s"`.
     */
    readonly revalidate?: string | undefined;
    /**
     * How long after `revalidate` the service may still use what it has cached of a master while the
     * server does not respond (RFC 5861). 0s: not at all. Default: `"1h"`.
     */
    readonly stale_if_error?: string | undefined;
    /**
     * How long one request may wait for this source in total, not counting the time to render. If it
     * waits longer, the response is 500, code origin_unavailable. The default is 60s. 0s: no limit.
     * Default: `"60s"`.
     */
    readonly timeout?: string | undefined;
  } | {
    /** Name of the source in logs, in /ready and in cache keys. */
    readonly name: string;
    /**
     * Prefix of the identifiers of this source; the service removes it from them. Empty: the default
     * source. Default: `""`.
     */
    readonly prefix?: string | undefined;
    /**
     * If true, ZIP files are folders: `scans.zip/page-001.jp2` names a file in one. If false, they are
     * ignored. Default: `true`.
     */
    readonly archives?: boolean | undefined;
    /** Objects in a bucket. */
    readonly type: "s3";
    /** Name of the bucket. */
    readonly bucket: string;
    /** Region of the bucket; the signature contains it too. Default: `"us-east-1"`. */
    readonly region?: string | undefined;
    /** URL of an S3-compatible service. Empty: AWS in this region. Default: `""`. */
    readonly endpoint?: string | undefined;
    /**
     * If true, the name of the bucket is part of the path instead of the host name, as many services
     * other than AWS require. Default: `false`.
     */
    readonly path_style?: boolean | undefined;
    /** If true, requests are sent without a signature, for a public bucket. Default: `false`. */
    readonly anonymous?: boolean | undefined;
    /**
     * Environment variable that holds the access key. Empty: AWS_ACCESS_KEY_ID if it is set, else the
     * credentials of the role of this pod, container or instance. Default: `""`.
     */
    readonly access_key_env?: string | undefined;
    /** Environment variable that holds the secret key. Empty: AWS_SECRET_ACCESS_KEY. Default: `""`. */
    readonly secret_key_env?: string | undefined;
    /**
     * Environment variable that holds the session token of temporary credentials. Empty:
     * AWS_SESSION_TOKEN if the access key is that of AWS_ACCESS_KEY_ID, else none. Default: `""`.
     */
    readonly session_token_env?: string | undefined;
    /**
     * Prefix of the keys of all masters, such as scans/; the service puts it before each identifier.
     * Default: `""`.
     */
    readonly key_prefix?: string | undefined;
    /**
     * How long the service uses what it has cached of a master before it asks the server again whether
     * the master has changed. 0s: it asks for each request. Default: `"60s"`.
     */
    readonly revalidate?: string | undefined;
    /**
     * How long after `revalidate` the service may still use what it has cached of a master while the
     * server does not respond (RFC 5861). 0s: not at all. Default: `"1h"`.
     */
    readonly stale_if_error?: string | undefined;
    /**
     * How long one request may wait for this source in total, not counting the time to render. If it
     * waits longer, the response is 500, code origin_unavailable. The default is 60s. 0s: no limit.
     * Default: `"60s"`.
     */
    readonly timeout?: string | undefined;
  }> | undefined;
  readonly cache?: {
    readonly render?: {
      /** In memory. Default: `"heap"`. */
      readonly backend?: "heap" | undefined;
      /**
       * Bytes that all entries together may take; the store removes the least recently used first.
       * Empty: 256MiB in files; in memory 1/8 of what the machine or container has, at most 256MiB.
       * Default: `""`.
       */
      readonly max_bytes?: "" | number | string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"24h"`. */
      readonly ttl?: string | undefined;
    } | {
      /** In files, which survive a restart. */
      readonly backend: "filesystem";
      /**
       * Folder for the files. Empty: $XDG_CACHE_HOME/smalti, or ~/.cache/smalti if that variable is
       * not set. Default: `""`.
       */
      readonly path?: string | undefined;
      /**
       * Bytes that all entries together may take; the store removes the least recently used first.
       * Empty: 256MiB in files; in memory 1/8 of what the machine or container has, at most 256MiB.
       * Default: `""`.
       */
      readonly max_bytes?: "" | number | string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"24h"`. */
      readonly ttl?: string | undefined;
    } | {
      /** In Redis, which several servers can share. */
      readonly backend: "redis";
      /** Host and port of a Redis server; or set `url`. Default: `""`. */
      readonly addr?: string | undefined;
      /** Number of the database at `addr`. Default: `0`. */
      readonly db?: number | undefined;
      /** If true, `addr` speaks TLS. Default: `false`. */
      readonly tls?: boolean | undefined;
      /** Environment variable that holds the password for `addr`. Empty: none. Default: `""`. */
      readonly password_env?: string | undefined;
      /** URL of a Redis REST service (Upstash); or set `addr`. Default: `""`. */
      readonly url?: string | undefined;
      /** Environment variable that holds the token for `url`. Default: `""`. */
      readonly token_env?: string | undefined;
      /** Prefix of all keys; the name of the slot follows it. Default: `"smalti/"`. */
      readonly prefix?: string | undefined;
      /**
       * How long a request waits for an entry before it continues without it. Empty: 250ms for Redis,
       * 1s for Redis over REST, 2s for S3; in the slot origin, whose entries are large, eight times
       * that. Default: `""`.
       */
      readonly timeout?: string | undefined;
      /**
       * Bytes that all entries under the prefix may take in Redis, whichever server wrote them; the
       * service removes the least recently used first. Default: `"256MiB"`.
       */
      readonly max_memory?: number | string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"24h"`. */
      readonly ttl?: string | undefined;
    } | {
      /** In a bucket, which several servers can share. */
      readonly backend: "s3";
      /** Name of the bucket. */
      readonly bucket: string;
      /** Region of the bucket; the signature contains it too. Default: `"us-east-1"`. */
      readonly region?: string | undefined;
      /** URL of an S3-compatible service. Empty: AWS in this region. Default: `""`. */
      readonly endpoint?: string | undefined;
      /**
       * If true, the name of the bucket is part of the path instead of the host name, as many services
       * other than AWS require. Default: `false`.
       */
      readonly path_style?: boolean | undefined;
      /** If true, requests are sent without a signature, for a public bucket. Default: `false`. */
      readonly anonymous?: boolean | undefined;
      /**
       * Environment variable that holds the access key. Empty: AWS_ACCESS_KEY_ID if it is set, else
       * the credentials of the role of this pod, container or instance. Default: `""`.
       */
      readonly access_key_env?: string | undefined;
      /** Environment variable that holds the secret key. Empty: AWS_SECRET_ACCESS_KEY. Default: `""`. */
      readonly secret_key_env?: string | undefined;
      /**
       * Environment variable that holds the session token of temporary credentials. Empty:
       * AWS_SESSION_TOKEN if the access key is that of AWS_ACCESS_KEY_ID, else none. Default: `""`.
       */
      readonly session_token_env?: string | undefined;
      /** Prefix of all keys; the name of the slot follows it. Default: `"smalti/"`. */
      readonly prefix?: string | undefined;
      /**
       * How long a request waits for an entry before it continues without it. Empty: 250ms for Redis,
       * 1s for Redis over REST, 2s for S3; in the slot origin, whose entries are large, eight times
       * that. Default: `""`.
       */
      readonly timeout?: string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"24h"`. */
      readonly ttl?: string | undefined;
    } | {
      /** The slot is switched off. */
      readonly backend: "none";
    } | undefined;
    readonly info?: {
      /** In memory. Default: `"heap"`. */
      readonly backend?: "heap" | undefined;
      /**
       * Bytes that all entries together may take; the store removes the least recently used first.
       * Empty: 64MiB in files; in memory 1/32 of what the machine or container has, at most 64MiB.
       * Default: `""`.
       */
      readonly max_bytes?: "" | number | string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"24h"`. */
      readonly ttl?: string | undefined;
    } | {
      /** In files, which survive a restart. */
      readonly backend: "filesystem";
      /**
       * Folder for the files. Empty: $XDG_CACHE_HOME/smalti, or ~/.cache/smalti if that variable is
       * not set. Default: `""`.
       */
      readonly path?: string | undefined;
      /**
       * Bytes that all entries together may take; the store removes the least recently used first.
       * Empty: 64MiB in files; in memory 1/32 of what the machine or container has, at most 64MiB.
       * Default: `""`.
       */
      readonly max_bytes?: "" | number | string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"24h"`. */
      readonly ttl?: string | undefined;
    } | {
      /** In Redis, which several servers can share. */
      readonly backend: "redis";
      /** Host and port of a Redis server; or set `url`. Default: `""`. */
      readonly addr?: string | undefined;
      /** Number of the database at `addr`. Default: `0`. */
      readonly db?: number | undefined;
      /** If true, `addr` speaks TLS. Default: `false`. */
      readonly tls?: boolean | undefined;
      /** Environment variable that holds the password for `addr`. Empty: none. Default: `""`. */
      readonly password_env?: string | undefined;
      /** URL of a Redis REST service (Upstash); or set `addr`. Default: `""`. */
      readonly url?: string | undefined;
      /** Environment variable that holds the token for `url`. Default: `""`. */
      readonly token_env?: string | undefined;
      /** Prefix of all keys; the name of the slot follows it. Default: `"smalti/"`. */
      readonly prefix?: string | undefined;
      /**
       * How long a request waits for an entry before it continues without it. Empty: 250ms for Redis,
       * 1s for Redis over REST, 2s for S3; in the slot origin, whose entries are large, eight times
       * that. Default: `""`.
       */
      readonly timeout?: string | undefined;
      /**
       * Bytes that all entries under the prefix may take in Redis, whichever server wrote them; the
       * service removes the least recently used first. Default: `"64MiB"`.
       */
      readonly max_memory?: number | string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"24h"`. */
      readonly ttl?: string | undefined;
    } | {
      /** In a bucket, which several servers can share. */
      readonly backend: "s3";
      /** Name of the bucket. */
      readonly bucket: string;
      /** Region of the bucket; the signature contains it too. Default: `"us-east-1"`. */
      readonly region?: string | undefined;
      /** URL of an S3-compatible service. Empty: AWS in this region. Default: `""`. */
      readonly endpoint?: string | undefined;
      /**
       * If true, the name of the bucket is part of the path instead of the host name, as many services
       * other than AWS require. Default: `false`.
       */
      readonly path_style?: boolean | undefined;
      /** If true, requests are sent without a signature, for a public bucket. Default: `false`. */
      readonly anonymous?: boolean | undefined;
      /**
       * Environment variable that holds the access key. Empty: AWS_ACCESS_KEY_ID if it is set, else
       * the credentials of the role of this pod, container or instance. Default: `""`.
       */
      readonly access_key_env?: string | undefined;
      /** Environment variable that holds the secret key. Empty: AWS_SECRET_ACCESS_KEY. Default: `""`. */
      readonly secret_key_env?: string | undefined;
      /**
       * Environment variable that holds the session token of temporary credentials. Empty:
       * AWS_SESSION_TOKEN if the access key is that of AWS_ACCESS_KEY_ID, else none. Default: `""`.
       */
      readonly session_token_env?: string | undefined;
      /** Prefix of all keys; the name of the slot follows it. Default: `"smalti/"`. */
      readonly prefix?: string | undefined;
      /**
       * How long a request waits for an entry before it continues without it. Empty: 250ms for Redis,
       * 1s for Redis over REST, 2s for S3; in the slot origin, whose entries are large, eight times
       * that. Default: `""`.
       */
      readonly timeout?: string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"24h"`. */
      readonly ttl?: string | undefined;
    } | {
      /** The slot is switched off. */
      readonly backend: "none";
    } | undefined;
    readonly origin?: {
      /** In memory. */
      readonly backend: "heap";
      /**
       * Bytes that all entries together may take; the store removes the least recently used first.
       * Empty: 4GiB in files; in memory 1/16 of what the machine or container has, at most 256MiB.
       * Default: `""`.
       */
      readonly max_bytes?: "" | number | string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"7d"`. */
      readonly ttl?: string | undefined;
    } | {
      /** In files, which survive a restart. Default: `"filesystem"`. */
      readonly backend?: "filesystem" | undefined;
      /**
       * Folder for the files. Empty: $XDG_CACHE_HOME/smalti, or ~/.cache/smalti if that variable is
       * not set. Default: `""`.
       */
      readonly path?: string | undefined;
      /**
       * Bytes that all entries together may take; the store removes the least recently used first.
       * Empty: 4GiB in files; in memory 1/16 of what the machine or container has, at most 256MiB.
       * Default: `""`.
       */
      readonly max_bytes?: "" | number | string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"7d"`. */
      readonly ttl?: string | undefined;
    } | {
      /** In Redis, which several servers can share. */
      readonly backend: "redis";
      /** Host and port of a Redis server; or set `url`. Default: `""`. */
      readonly addr?: string | undefined;
      /** Number of the database at `addr`. Default: `0`. */
      readonly db?: number | undefined;
      /** If true, `addr` speaks TLS. Default: `false`. */
      readonly tls?: boolean | undefined;
      /** Environment variable that holds the password for `addr`. Empty: none. Default: `""`. */
      readonly password_env?: string | undefined;
      /** URL of a Redis REST service (Upstash); or set `addr`. Default: `""`. */
      readonly url?: string | undefined;
      /** Environment variable that holds the token for `url`. Default: `""`. */
      readonly token_env?: string | undefined;
      /** Prefix of all keys; the name of the slot follows it. Default: `"smalti/"`. */
      readonly prefix?: string | undefined;
      /**
       * How long a request waits for an entry before it continues without it. Empty: 250ms for Redis,
       * 1s for Redis over REST, 2s for S3; in the slot origin, whose entries are large, eight times
       * that. Default: `""`.
       */
      readonly timeout?: string | undefined;
      /**
       * Bytes that all entries under the prefix may take in Redis, whichever server wrote them; the
       * service removes the least recently used first. Default: `"4GiB"`.
       */
      readonly max_memory?: number | string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"7d"`. */
      readonly ttl?: string | undefined;
    } | {
      /** In a bucket, which several servers can share. */
      readonly backend: "s3";
      /** Name of the bucket. */
      readonly bucket: string;
      /** Region of the bucket; the signature contains it too. Default: `"us-east-1"`. */
      readonly region?: string | undefined;
      /** URL of an S3-compatible service. Empty: AWS in this region. Default: `""`. */
      readonly endpoint?: string | undefined;
      /**
       * If true, the name of the bucket is part of the path instead of the host name, as many services
       * other than AWS require. Default: `false`.
       */
      readonly path_style?: boolean | undefined;
      /** If true, requests are sent without a signature, for a public bucket. Default: `false`. */
      readonly anonymous?: boolean | undefined;
      /**
       * Environment variable that holds the access key. Empty: AWS_ACCESS_KEY_ID if it is set, else
       * the credentials of the role of this pod, container or instance. Default: `""`.
       */
      readonly access_key_env?: string | undefined;
      /** Environment variable that holds the secret key. Empty: AWS_SECRET_ACCESS_KEY. Default: `""`. */
      readonly secret_key_env?: string | undefined;
      /**
       * Environment variable that holds the session token of temporary credentials. Empty:
       * AWS_SESSION_TOKEN if the access key is that of AWS_ACCESS_KEY_ID, else none. Default: `""`.
       */
      readonly session_token_env?: string | undefined;
      /** Prefix of all keys; the name of the slot follows it. Default: `"smalti/"`. */
      readonly prefix?: string | undefined;
      /**
       * How long a request waits for an entry before it continues without it. Empty: 250ms for Redis,
       * 1s for Redis over REST, 2s for S3; in the slot origin, whose entries are large, eight times
       * that. Default: `""`.
       */
      readonly timeout?: string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"7d"`. */
      readonly ttl?: string | undefined;
    } | {
      /** The slot is switched off. */
      readonly backend: "none";
    } | undefined;
    readonly text?: {
      /** In memory. Default: `"heap"`. */
      readonly backend?: "heap" | undefined;
      /**
       * Bytes that all entries together may take; the store removes the least recently used first.
       * Empty: 1GiB in files; in memory 1/64 of what the machine or container has, at most 64MiB.
       * Default: `""`.
       */
      readonly max_bytes?: "" | number | string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"0s"`. */
      readonly ttl?: string | undefined;
    } | {
      /** In files, which survive a restart. */
      readonly backend: "filesystem";
      /**
       * Folder for the files. Empty: $XDG_CACHE_HOME/smalti, or ~/.cache/smalti if that variable is
       * not set. Default: `""`.
       */
      readonly path?: string | undefined;
      /**
       * Bytes that all entries together may take; the store removes the least recently used first.
       * Empty: 1GiB in files; in memory 1/64 of what the machine or container has, at most 64MiB.
       * Default: `""`.
       */
      readonly max_bytes?: "" | number | string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"0s"`. */
      readonly ttl?: string | undefined;
    } | {
      /** In Redis, which several servers can share. */
      readonly backend: "redis";
      /** Host and port of a Redis server; or set `url`. Default: `""`. */
      readonly addr?: string | undefined;
      /** Number of the database at `addr`. Default: `0`. */
      readonly db?: number | undefined;
      /** If true, `addr` speaks TLS. Default: `false`. */
      readonly tls?: boolean | undefined;
      /** Environment variable that holds the password for `addr`. Empty: none. Default: `""`. */
      readonly password_env?: string | undefined;
      /** URL of a Redis REST service (Upstash); or set `addr`. Default: `""`. */
      readonly url?: string | undefined;
      /** Environment variable that holds the token for `url`. Default: `""`. */
      readonly token_env?: string | undefined;
      /** Prefix of all keys; the name of the slot follows it. Default: `"smalti/"`. */
      readonly prefix?: string | undefined;
      /**
       * How long a request waits for an entry before it continues without it. Empty: 250ms for Redis,
       * 1s for Redis over REST, 2s for S3; in the slot origin, whose entries are large, eight times
       * that. Default: `""`.
       */
      readonly timeout?: string | undefined;
      /**
       * Bytes that all entries under the prefix may take in Redis, whichever server wrote them; the
       * service removes the least recently used first. Default: `"1GiB"`.
       */
      readonly max_memory?: number | string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"0s"`. */
      readonly ttl?: string | undefined;
    } | {
      /** In a bucket, which several servers can share. */
      readonly backend: "s3";
      /** Name of the bucket. */
      readonly bucket: string;
      /** Region of the bucket; the signature contains it too. Default: `"us-east-1"`. */
      readonly region?: string | undefined;
      /** URL of an S3-compatible service. Empty: AWS in this region. Default: `""`. */
      readonly endpoint?: string | undefined;
      /**
       * If true, the name of the bucket is part of the path instead of the host name, as many services
       * other than AWS require. Default: `false`.
       */
      readonly path_style?: boolean | undefined;
      /** If true, requests are sent without a signature, for a public bucket. Default: `false`. */
      readonly anonymous?: boolean | undefined;
      /**
       * Environment variable that holds the access key. Empty: AWS_ACCESS_KEY_ID if it is set, else
       * the credentials of the role of this pod, container or instance. Default: `""`.
       */
      readonly access_key_env?: string | undefined;
      /** Environment variable that holds the secret key. Empty: AWS_SECRET_ACCESS_KEY. Default: `""`. */
      readonly secret_key_env?: string | undefined;
      /**
       * Environment variable that holds the session token of temporary credentials. Empty:
       * AWS_SESSION_TOKEN if the access key is that of AWS_ACCESS_KEY_ID, else none. Default: `""`.
       */
      readonly session_token_env?: string | undefined;
      /** Prefix of all keys; the name of the slot follows it. Default: `"smalti/"`. */
      readonly prefix?: string | undefined;
      /**
       * How long a request waits for an entry before it continues without it. Empty: 250ms for Redis,
       * 1s for Redis over REST, 2s for S3; in the slot origin, whose entries are large, eight times
       * that. Default: `""`.
       */
      readonly timeout?: string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"0s"`. */
      readonly ttl?: string | undefined;
    } | {
      /** The slot is switched off. */
      readonly backend: "none";
    } | undefined;
    readonly changes?: {
      /** In memory. Default: `"heap"`. */
      readonly backend?: "heap" | undefined;
      /**
       * Bytes that all entries together may take; the store removes the least recently used first.
       * Empty: 512MiB in files; in memory 1/128 of what the machine or container has, at most 64MiB.
       * Default: `""`.
       */
      readonly max_bytes?: "" | number | string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"0s"`. */
      readonly ttl?: string | undefined;
    } | {
      /** In files, which survive a restart. */
      readonly backend: "filesystem";
      /**
       * Folder for the files. Empty: $XDG_CACHE_HOME/smalti, or ~/.cache/smalti if that variable is
       * not set. Default: `""`.
       */
      readonly path?: string | undefined;
      /**
       * Bytes that all entries together may take; the store removes the least recently used first.
       * Empty: 512MiB in files; in memory 1/128 of what the machine or container has, at most 64MiB.
       * Default: `""`.
       */
      readonly max_bytes?: "" | number | string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"0s"`. */
      readonly ttl?: string | undefined;
    } | {
      /** In Redis, which several servers can share. */
      readonly backend: "redis";
      /** Host and port of a Redis server; or set `url`. Default: `""`. */
      readonly addr?: string | undefined;
      /** Number of the database at `addr`. Default: `0`. */
      readonly db?: number | undefined;
      /** If true, `addr` speaks TLS. Default: `false`. */
      readonly tls?: boolean | undefined;
      /** Environment variable that holds the password for `addr`. Empty: none. Default: `""`. */
      readonly password_env?: string | undefined;
      /** URL of a Redis REST service (Upstash); or set `addr`. Default: `""`. */
      readonly url?: string | undefined;
      /** Environment variable that holds the token for `url`. Default: `""`. */
      readonly token_env?: string | undefined;
      /** Prefix of all keys; the name of the slot follows it. Default: `"smalti/"`. */
      readonly prefix?: string | undefined;
      /**
       * How long a request waits for an entry before it continues without it. Empty: 250ms for Redis,
       * 1s for Redis over REST, 2s for S3; in the slot origin, whose entries are large, eight times
       * that. Default: `""`.
       */
      readonly timeout?: string | undefined;
      /**
       * Bytes that all entries under the prefix may take in Redis, whichever server wrote them; the
       * service removes the least recently used first. Default: `"512MiB"`.
       */
      readonly max_memory?: number | string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"0s"`. */
      readonly ttl?: string | undefined;
    } | {
      /** In a bucket, which several servers can share. */
      readonly backend: "s3";
      /** Name of the bucket. */
      readonly bucket: string;
      /** Region of the bucket; the signature contains it too. Default: `"us-east-1"`. */
      readonly region?: string | undefined;
      /** URL of an S3-compatible service. Empty: AWS in this region. Default: `""`. */
      readonly endpoint?: string | undefined;
      /**
       * If true, the name of the bucket is part of the path instead of the host name, as many services
       * other than AWS require. Default: `false`.
       */
      readonly path_style?: boolean | undefined;
      /** If true, requests are sent without a signature, for a public bucket. Default: `false`. */
      readonly anonymous?: boolean | undefined;
      /**
       * Environment variable that holds the access key. Empty: AWS_ACCESS_KEY_ID if it is set, else
       * the credentials of the role of this pod, container or instance. Default: `""`.
       */
      readonly access_key_env?: string | undefined;
      /** Environment variable that holds the secret key. Empty: AWS_SECRET_ACCESS_KEY. Default: `""`. */
      readonly secret_key_env?: string | undefined;
      /**
       * Environment variable that holds the session token of temporary credentials. Empty:
       * AWS_SESSION_TOKEN if the access key is that of AWS_ACCESS_KEY_ID, else none. Default: `""`.
       */
      readonly session_token_env?: string | undefined;
      /** Prefix of all keys; the name of the slot follows it. Default: `"smalti/"`. */
      readonly prefix?: string | undefined;
      /**
       * How long a request waits for an entry before it continues without it. Empty: 250ms for Redis,
       * 1s for Redis over REST, 2s for S3; in the slot origin, whose entries are large, eight times
       * that. Default: `""`.
       */
      readonly timeout?: string | undefined;
      /** How long the service uses an entry. 0s: until others need its space. Default: `"0s"`. */
      readonly ttl?: string | undefined;
    } | {
      /** The slot is switched off. */
      readonly backend: "none";
    } | undefined;
  } | undefined;
  readonly hook?: {
    /**
     * What implements the hooks. `noop`: nothing. `lookup`: a template or a mapping file. `js`:
     * functions of your own. `webhook`: a web service. Default: `"noop"`.
     */
    readonly engine?: "noop" | "lookup" | "js" | "webhook" | undefined;
    /**
     * Names of the request headers that hooks see. `Vary` includes each of them. With Cookie,
     * Authorization or a header that proxies add, responses are private.
     */
    readonly headers?: ReadonlyArray<string> | undefined;
    /** If true, hooks see the address of the client, and responses are private. Default: `false`. */
    readonly client_ip?: boolean | undefined;
    readonly lookup?: {
      /**
       * Template that makes the key of an identifier, such as "{{ .Identifier }}.tif"; the page on
       * hooks lists values and filters. Default: `""`.
       */
      readonly template?: string | undefined;
      /**
       * File that maps identifiers, as YAML, JSON or CSV; relative to the configuration file. The
       * service reads it again when it changes. Default: `""`.
       */
      readonly file?: string | undefined;
      /** The source of keys without a source in the mapping. Empty: the default source. Default: `""`. */
      readonly source?: string | undefined;
      /**
       * What happens to identifiers that are not in the mapping file. `not_found`: the response is
       * 404. `pass`: the service looks for them as if there were no hook. Default: `"not_found"`.
       */
      readonly unmapped?: "not_found" | "pass" | undefined;
    } | undefined;
    readonly js?: {
      /**
       * An ES module that exports `resolve`, `authorize`, `presentation` or `overlay`; relative to the
       * configuration file. The service reads it again when it changes. Default: `""`.
       */
      readonly file?: string | undefined;
      /**
       * How long one call may run. The time that it waits in the queue does not count. Default:
       * `"50ms"`.
       */
      readonly timeout?: string | undefined;
      /** How much memory one call may use. Default: `"32MiB"`. */
      readonly memory?: number | string | undefined;
    } | undefined;
    readonly webhook?: {
      /**
       * URL that the service posts requests to; it may be inside your network. The service sends a
       * user name and password in it as basic authentication. Default: `""`.
       */
      readonly url?: string | undefined;
      /**
       * The hooks that the web service implements. Each of them adds a request wherever it applies,
       * and `authorize` makes all responses private.
       */
      readonly functions?: ReadonlyArray<"resolve" | "authorize" | "presentation" | "overlay"> | undefined;
      /** How long the whole response may take, including a second attempt. Default: `"2s"`. */
      readonly timeout?: string | undefined;
      /**
       * Environment variable that holds the secret of `X-Signature`: HMAC-SHA256 over `X-Timestamp`, a
       * dot and the body, in hexadecimal. Default: `""`.
       */
      readonly secret_env?: string | undefined;
      /**
       * How long the service reuses a result for the same input, which includes the request path and
       * headers. 0s: it asks each time. Default: `"0s"`.
       */
      readonly ttl?: string | undefined;
    } | undefined;
  } | undefined;
  readonly auth?: {
    /** Lifetime of bearer tokens. Default: `"5m"`. */
    readonly token_ttl?: string | undefined;
    /** Lifetime of sessions and of their cookies. Default: `"24h"`. */
    readonly session_ttl?: string | undefined;
    /**
     * If true, info.json presents `clickthrough` profiles as `active` for Authorization Flow 2.0,
     * which does not define `clickthrough`. Default: `false`.
     */
    readonly strict_profiles?: boolean | undefined;
    readonly cookie?: {
      /** Name of the session cookie. Default: `"service_session"`. */
      readonly name?: string | undefined;
      /** Path of the session cookie. Empty: the path of the public URL. Default: `""`. */
      readonly path?: string | undefined;
    } | undefined;
    readonly cors?: {
      /** Origins whose pages may read the probe; `*` for all. */
      readonly probe_origins?: ReadonlyArray<string> | undefined;
      /**
       * Origins whose viewers may get tokens and to which a login may return. The origin of this
       * service is always included.
       */
      readonly token_origins?: ReadonlyArray<string> | undefined;
      /**
       * Origins whose viewers may get tokens for click-through grants, and for nothing else; `*` for
       * all.
       */
      readonly clickthrough_origins?: ReadonlyArray<string> | undefined;
    } | undefined;
    /**
     * Addresses of proxies that the service also trusts for access, in addition to the top-level
     * `trusted_proxies`: it accepts their X-Forwarded-For or Forwarded for logins and kiosks, and the
     * header of the backend `header`.
     */
    readonly trusted_proxies?: ReadonlyArray<string> | undefined;
    readonly session?: {
      /**
       * Where the service keeps sessions: in memory, in files, in a bucket, or in Redis. Several
       * servers can share sessions only in Redis. Default: `"heap"`.
       */
      readonly backend?: "heap" | "filesystem" | "s3" | "redis" | undefined;
      /**
       * How often the service removes expired sessions from memory or from the folder. Default:
       * `"1m"`.
       */
      readonly ttl?: string | undefined;
      /** Folder for `filesystem`, which has to exist. Default: `""`. */
      readonly path?: string | undefined;
      readonly s3?: {
        /** Name of the bucket. */
        readonly bucket: string;
        /** Region of the bucket; the signature contains it too. Default: `"us-east-1"`. */
        readonly region?: string | undefined;
        /** URL of an S3-compatible service. Empty: AWS in this region. Default: `""`. */
        readonly endpoint?: string | undefined;
        /**
         * If true, the name of the bucket is part of the path instead of the host name, as many
         * services other than AWS require. Default: `false`.
         */
        readonly path_style?: boolean | undefined;
        /**
         * Environment variable that holds the access key. Empty: AWS_ACCESS_KEY_ID if it is set, else
         * the credentials of the role of this pod, container or instance. Default: `""`.
         */
        readonly access_key_env?: string | undefined;
        /** Environment variable that holds the secret key. Empty: AWS_SECRET_ACCESS_KEY. Default: `""`. */
        readonly secret_key_env?: string | undefined;
        /**
         * Environment variable that holds the session token of temporary credentials. Empty:
         * AWS_SESSION_TOKEN if the access key is that of AWS_ACCESS_KEY_ID, else none. Default: `""`.
         */
        readonly session_token_env?: string | undefined;
        /**
         * Prefix of all keys; `sessions` follows it. Each service needs its own prefix: services with
         * the same prefix share logins. Default: `"smalti/"`.
         */
        readonly prefix?: string | undefined;
        /**
         * How long a request waits for its session before the response is 503. Empty: 1s for Redis, 2s
         * for Redis over REST and for S3. A login or logout waits up to eight times that. Default:
         * `""`.
         */
        readonly timeout?: string | undefined;
      } | undefined;
      readonly redis?: {
        /** Host and port of a Redis server; or set `url`. Default: `""`. */
        readonly addr?: string | undefined;
        /** Number of the database at `addr`. Default: `0`. */
        readonly db?: number | undefined;
        /** If true, `addr` speaks TLS. Default: `false`. */
        readonly tls?: boolean | undefined;
        /** Environment variable that holds the password for `addr`. Empty: none. Default: `""`. */
        readonly password_env?: string | undefined;
        /** URL of a Redis REST service (Upstash); or set `addr`. Default: `""`. */
        readonly url?: string | undefined;
        /** Environment variable that holds the token for `url`. Default: `""`. */
        readonly token_env?: string | undefined;
        /**
         * Prefix of all keys; `sessions` follows it. Each service needs its own prefix: services with
         * the same prefix share logins. Default: `"smalti/"`.
         */
        readonly prefix?: string | undefined;
        /**
         * How long a request waits for its session before the response is 503. Empty: 1s for Redis, 2s
         * for Redis over REST and for S3. A login or logout waits up to eight times that. Default:
         * `""`.
         */
        readonly timeout?: string | undefined;
      } | undefined;
    } | undefined;
    readonly profiles?: Readonly<Record<string, {
      /**
       * What the reader has to do. `clickthrough`: click a button. `active`: log in. `kiosk`: come
       * from an allowed address. `external`: log in elsewhere first.
       */
      readonly pattern: "clickthrough" | "active" | "kiosk" | "external";
      /** Title of the login, or titles by language, such as { en: [Sign in] }. */
      readonly label?: string | ReadonlyArray<string> | Readonly<Record<string, string | ReadonlyArray<string>>> | undefined;
      /** Heading of the login and of a refusal, or headings by language. */
      readonly heading?: string | ReadonlyArray<string> | Readonly<Record<string, string | ReadonlyArray<string>>> | undefined;
      /** Text of the login page below its heading, or texts by language. */
      readonly description?: string | ReadonlyArray<string> | Readonly<Record<string, string | ReadonlyArray<string>>> | undefined;
      /** Text that viewers show next to the heading of a refusal, or texts by language. Default: `""`. */
      readonly note?: string | ReadonlyArray<string> | Readonly<Record<string, string | ReadonlyArray<string>>> | undefined;
      /** Text of the button. Empty: `Sign in` for `active`, `Continue` for others. Default: `""`. */
      readonly confirm_label?: string | undefined;
      /** Picture on the built-in page: a path of this service, or a URL. Default: `""`. */
      readonly logo_url?: string | undefined;
      /** Lifetime of bearer tokens for this profile, instead of `auth.token_ttl`. */
      readonly token_ttl?: string | undefined;
      readonly access_service: {
        /** Pages of this service. */
        readonly backend: "builtin";
        /** Names and password hashes of the users who may log in, for the pattern `active`. */
        readonly users?: Readonly<Record<string, string>> | undefined;
        /**
         * File of names and password hashes, which replaces `users`. The service reads it again when
         * it changes. Default: `""`.
         */
        readonly htpasswd_file?: string | undefined;
        /**
         * File with a login page of your own, which the service reads at the start. Empty: the
         * built-in page. Default: `""`.
         */
        readonly template?: string | undefined;
      } | {
        /** A header that a reverse proxy sets. */
        readonly backend: "header";
        /**
         * Header with the name of the user. The proxy has to remove it from client requests. If
         * `trusted_proxies` is set, only those proxies may send it. Default: `"X-Forwarded-User"`.
         */
        readonly header?: string | undefined;
      } | {
        /** A login page of another site, which signs the name of the user. */
        readonly backend: "external";
        /** URL of the page. */
        readonly url: string;
        /** Environment variable that holds the secret that the page signs with (HMAC-SHA256). */
        readonly callback_secret_env: string;
      } | {
        /** OpenID Connect. */
        readonly backend: "oidc";
        /**
         * URL of the provider, as the provider itself writes it; `.well-known/openid-configuration` is
         * below it. It is https, or http on this machine.
         */
        readonly issuer: string;
        /** Client id of this service at the provider. */
        readonly client_id: string;
        /** Environment variable that holds the secret of this service at the provider. */
        readonly client_secret_env: string;
        /** Scopes that the service requests. */
        readonly scopes?: ReadonlyArray<string> | undefined;
        /**
         * Claim of the ID token that names the user, such as `preferred_username` or `email`. Default:
         * `"sub"`.
         */
        readonly user_claim?: string | undefined;
      };
      readonly substitute?: {
        /**
         * Size of the whole image, such as !200,200. Readers without access see the image in no more
         * detail than this. Empty: they see nothing. Default: `""`.
         */
        readonly max_size?: string | undefined;
      } | undefined;
      /**
       * Who may read the manifests and collections of these identifiers. `public`: everybody, so that
       * viewers can offer the login. `gated`: readers with access; others get a 401 with the title and
       * the login services. Annotations and other texts are for readers with access in either case.
       * Default: `"public"`.
       */
      readonly documents?: "public" | "gated" | undefined;
      readonly kiosk?: {
        /** Addresses and ranges that have access, for the pattern `kiosk`. */
        readonly allowed_ips?: ReadonlyArray<string> | undefined;
      } | undefined;
    }>> | undefined;
    /** Which identifiers need which profile; the first rule that matches counts. */
    readonly rules?: ReadonlyArray<{
      /** An identifier, a prefix such as `private/*`, or `*` for all. */
      readonly match: string;
      /**
       * Name of the profile that these identifiers need, or a list of profiles of which any gives
       * access.
       */
      readonly profile: string | ReadonlyArray<string>;
    }> | undefined;
  } | undefined;
  readonly presentation?: {
    /**
     * If true, the service makes manifests and collections from the folders of the sources and the
     * manifest files in them. Default: `true`.
     */
    readonly enabled?: boolean | undefined;
    /**
     * `auto`: if a hook implements `resolve`, file names need not be identifiers, so the service lists
     * a folder only if the hook also implements `presentation` for it. `always`: it lists all folders.
     * Default: `"auto"`.
     */
    readonly derive?: "auto" | "always" | undefined;
    /**
     * `all`: in the manifest of a folder each page of a TIFF or PDF with several pages is a canvas.
     * `first`: each file is one canvas, of its first page. Default: `"all"`.
     */
    readonly pages?: "all" | "first" | undefined;
    /**
     * If true, files of text next to images (ALTO, PAGE, hOCR, plain text) give canvases their lines,
     * and manifests a search. `texts: false` in the manifest file of a folder turns them off there.
     * Default: `true`.
     */
    readonly texts?: boolean | undefined;
    /**
     * If true, the text in a PDF is that of its pages, unless a file of text is next to it. It
     * includes text that something covers. After turning it off, empty the cache `text`. Default:
     * `true`.
     */
    readonly pdf_texts?: boolean | undefined;
    /**
     * The viewer that /view opens: `mirador`, or `uv` for Universal Viewer. `?viewer=` in an address
     * selects the other one. Default: `"mirador"`.
     */
    readonly default_viewer?: "mirador" | "uv" | undefined;
    /**
     * Name of the start page, or its names by language. Empty: the label of the manifest file at the
     * top of the default source, else `smalti`. Default: `""`.
     */
    readonly title?: string | ReadonlyArray<string> | Readonly<Record<string, string | ReadonlyArray<string>>> | undefined;
    readonly provider?: {
      /**
       * Name of the institution that provides the images, or its names by language. The start page
       * shows it. Empty: the provider in the manifest file at the top of the default source. Default:
       * `""`.
       */
      readonly label?: string | ReadonlyArray<string> | Readonly<Record<string, string | ReadonlyArray<string>>> | undefined;
      /** Address of the provider's own page, which the label links to. Default: `""`. */
      readonly homepage?: string | undefined;
      /** Address of the provider's logo, which the start page shows next to the label. Default: `""`. */
      readonly logo?: string | undefined;
    } | undefined;
    /**
     * How pages list a folder that a rule gates to readers without access. `hidden`: not at all.
     * `locked`: by its title, with a lock, the heading of the profile and a link to the login;
     * searches find it by its title. Its contents stay hidden in either case. Default: `"hidden"`.
     */
    readonly show_gated?: "hidden" | "locked" | undefined;
    /**
     * Where manifests of gated images describe the services to log in. `manifest`: once, and images
     * refer to them. `images`: at each image; Mirador 3 shows gated images only then. Default:
     * `"manifest"`.
     */
    readonly login_services?: "manifest" | "images" | undefined;
    readonly changes?: {
      /**
       * If true, `/iiif/changes` is a stream of the changes to manifests (Change Discovery API 1.0),
       * for those who harvest them. It is kept in the cache `changes`, which should survive a restart.
       * Default: `false`.
       */
      readonly enabled?: boolean | undefined;
      /**
       * How long after a look at all folders the service looks again for what has changed. Each look
       * lists all folders of the sources. Default: `"1h"`.
       */
      readonly interval?: string | undefined;
    } | undefined;
    readonly download?: {
      /**
       * `on`: manifests offer their pages as one PDF. JPEG and JPEG 2000 masters that readers may see
       * whole pass through as they are; other pages are rendered. Default: `"on"`.
       */
      readonly pdf?: "on" | "off" | undefined;
      /**
       * `on`: manifests offer their masters as one ZIP, with all that the files contain. Only readers
       * who may see all of an image get its file. Default: `"off"`.
       */
      readonly zip?: "on" | "off" | undefined;
      /** Manifests with more canvases are not offered as one file; 2000 at most. Default: `1000`. */
      readonly max_pages?: number | undefined;
      /**
       * Bytes of masters that one file may contain. Pages of a PDF with more are rendered; a ZIP with
       * more is refused. Default: `"4GiB"`.
       */
      readonly max_size?: number | string | undefined;
      /** Longest side, in pixels, of the pages of a PDF that have to be rendered. Default: `2500`. */
      readonly page_size?: number | undefined;
    } | undefined;
    /**
     * Origins of other servers, such as https://images.example.org, whose images manifest files may
     * name. If a file names others, the service serves it as it is, and the log says so.
     */
    readonly allowed_origins?: ReadonlyArray<string> | undefined;
  } | undefined;
  readonly search?: {
    /**
     * What searches the text of whole sources. `own`: the index in `cache.text`. `opensearch`:
     * OpenSearch from 2.0; not on workerd. Default: `"own"`.
     */
    readonly backend?: "own" | "opensearch" | undefined;
    /** URL of OpenSearch. Default: `""`. */
    readonly url?: string | undefined;
    /**
     * Index, which the service creates, and from which it removes all that is not its own. Default:
     * `"smalti"`.
     */
    readonly index?: string | undefined;
    /** Name of the user. Default: `""`. */
    readonly username?: string | undefined;
    /** Environment variable that holds the password. Default: `""`. */
    readonly password_env?: string | undefined;
    /** Environment variable that holds a bearer token. Default: `""`. */
    readonly token_env?: string | undefined;
    /** Time for a response. Default: `"5s"`. */
    readonly timeout?: string | undefined;
  } | undefined;
  readonly content_state?: {
    /**
     * If true, there are links to views (Content State API 1.0): /content-state/, and the parameter
     * iiif-content of /view. Empty: the value of presentation.enabled.
     */
    readonly enabled?: boolean | undefined;
    readonly store?: {
      /**
       * If true, the service stores content states at permanent addresses. This needs a folder, and a
       * token for writing. Default: `false`.
       */
      readonly enabled?: boolean | undefined;
      /**
       * Folder of the states. The service never removes anything from it, and only one server may
       * write to it. Make backups of it. Default: `""`.
       */
      readonly dir?: string | undefined;
      /**
       * Bearer token that a client has to send to store a state. Prefer write_token_env. Default:
       * `""`.
       */
      readonly write_token?: string | undefined;
      /**
       * Environment variable that holds this token. Without a token the service stores nothing.
       * Default: `""`.
       */
      readonly write_token_env?: string | undefined;
    } | undefined;
  } | undefined;
  readonly mcp?: {
    /**
     * If true, AI clients may browse the folders and look at images through the Model Context
     * Protocol, at `/mcp`. Default: `false`.
     */
    readonly enabled?: boolean | undefined;
    /**
     * Origins of other sites, such as https://viewer.example.org, whose pages may use `/mcp` from a
     * browser. Clients that are not browsers do not need this.
     */
    readonly allowed_origins?: ReadonlyArray<string> | undefined;
    /**
     * Host names under which clients may reach `/mcp`, such as images.internal, in addition to the
     * host of `base_url`, localhost and IP addresses.
     */
    readonly allowed_hosts?: ReadonlyArray<string> | undefined;
  } | undefined;
}
