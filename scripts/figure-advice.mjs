// What to do if a figure is unusual, by its name in src/server/stats/figures.ts. Empty: nothing; the figure
// explains others.

export const figureAdvice = {
  http_requests:
    "`5xx` rise: see [why was this 503](../operations/monitoring.md#why-was-this-503). `unsupported` rises: people request files that are not images, or of a kind that is not read; the log has the paths. `4xx` rise: a viewer or crawler uses wrong addresses, or rules refuse requests. `cancelled` rises: clients leave before they get a response; look at the durations.",
  http_request_duration: "Compare the stages of renders and the waits.",
  http_response: "Full-size images are requested, perhaps by crawlers: `image.max_output_area` limits them.",
  http_requests_in_flight: "It grows without end: a source or a store hangs.",
  http_requests_refused:
    "`address`: one client sends too many requests, or a proxy is not in `trusted_proxies`. `all`: raise `limits.max_in_flight` only if there are memory and processors to spare.",
  access_decisions: "Denials rise suddenly: sessions are lost, or a rule matches more than it should.",
  error_reports: "`failed`: the server at `errors.report_url` does not respond or refuses reports.",
  traces: "`dropped`: the collector does not respond, refuses traces or is too slow.",
  renders: "Many masters have no random access (PNG, WebP): tiled TIFF or JPEG 2000 cost less.",
  damaged_derivatives: "The status page and the log name the masters: replace them.",
  render_stage_duration: "See [every tile is slow](../operations/troubleshooting.md#every-tile-is-slow).",
  render_reads: "Each render reads much: masters have no tiles.",
  admitted_jobs: "Most are `heavy`: responses are large, or masters have to be decoded as a whole.",
  admission_wait: "Add processors or servers, or enlarge `cache.render`.",
  refused_jobs:
    "`queue_full`, `waited_too_long`: add processors or servers. `memory_budget`: raise `image.memory_budget` if there is memory.",
  underestimated_jobs: "Many: masters of an unusual kind keep cheap jobs waiting. Report such masters.",
  jobs: "`waiting` stays high: add processors or servers.",
  pool_jobs:
    "`timeout`: jobs took longer than `image.timeout`. `error`: masters are damaged; the log names them.",
  sidecar_builds:
    "It stays high: many masters are new, or `cache.origin` is too small to keep their sidecars.",
  workers: "All are `working`, and jobs wait: the processors are the limit.",
  worker_deaths:
    "The system ends workers that need too much memory, or a master crashes a codec; the log says more. Lower `image.max_concurrent` or `image.memory_budget`.",
  worker_memory: "It stays high while workers are `idle`: lower `image.max_concurrent`.",
  cache_lookups:
    "`render` has few hits, and its size is at the limit: raise `max_bytes`. Behind a CDN few hits are usual.",
  cache_dropped_writes: "Use a faster disk or network, or a nearer store.",
  cache_failed_writes: "The log says why; `smalti check` tries each store.",
  cache_volume_free: "The volume is full, so nothing is stored: free some space, or lower `max_bytes`.",
  cache_circuit_open: "The service continues without the store, only slower. The log says what failed.",
  source_opens: "Many `not_found`: links are wrong, or a folder is not mounted.",
  source_errors: "The log and `/ready` say why.",
  source_request_duration: "Look at that server.",
  source_fetched: "Enlarge `cache.origin`.",
  source_circuit_open: "The service tries the server again automatically.",
  part_healthy: "0: `/ready` has the reason in words.",
  visitor_limits:
    "`waited` rises for `reader`, `listed` or `viewer`: see [SmaltiReadersWait](../operations/troubleshooting.md#smaltireaderswait).",
  visitor_pool_used_ratio: "It stays near 1: `/admin/visitors` shows who uses the pool.",
  process_memory:
    "`resident` grows for days: lower `image.memory_budget` and the `max_bytes` of caches in a `heap`, and report it.",
  log_dropped_lines:
    "The program that reads standard error is slow or has stopped. Raise `log.level`, or turn `log.requests` off.",
  start_time: "It changes although nobody restarted the service: the system ended the process.",
  build_info: "Versions differ after a rollout.",
  visitor_requests: "",
  visitor_megapixels: "",
  visitor_work: "",
  delayed_jobs: "",
  cancelled_jobs: "",
  yielded_places: "",
  admitted_memory: "",
  render_read: "",
  worker_starts: "",
  worker_replacements: "",
  pool_queue: "",
  cache_writes: "",
  cache_errors: "",
  cache_read: "",
  cache_written: "",
  cache_entries: "",
  cache_size: "",
  cache_volume_size: "",
  source_reads: "",
  source_read: "",
  source_waits: "",
  source_waited: "",
  source_late: "",
};
