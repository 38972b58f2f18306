// The door of base/: what other houses use of it.

// Base64 with the alphabet that addresses and file names take, without padding (RFC 4648, section 5).
export { fromBase64Url, toBase64Url } from "./bytes/base64url.ts";

// Ranges of bytes.
export {
  type ByteRange,
  type ByteSource,
  blockwise,
  fileTooLarge,
  inFewReads,
  memoryBytes,
  readAll,
  sectionOf,
} from "./bytes/byte-source.ts";

// Concatenation of byte arrays.
export { concatenate } from "./bytes/concatenate.ts";

// CRC-32 as used by PNG and gzip (ISO 3309, polynomial 0xEDB88320 reflected), four bytes at a time.
export { crc32 } from "./bytes/crc32.ts";

// SHA-256 (FIPS 180-4) of bytes and text, and bytes as hexadecimal digits.
export { noteDigest, notedDigest, sha256, toHex } from "./bytes/digest.ts";

// A map that is bounded by the weight of its entries.
export { createLru, type Lru } from "./bytes/lru.ts";

// MD5 (RFC 1321), for the hashes of Apache's password files alone.
export { md5 } from "./bytes/md5.ts";

// Comparison of secrets and MACs.
export { isSameSecret } from "./bytes/same-secret.ts";

// What a runtime has of zlib, apart from the Web's streams, which take up to five times as long.
export type { DeflateForm, NativeZlib } from "./bytes/zlib.ts";

// Numbers purges, to distinguish what began before and after one.
export { createGenerations } from "./caching/generations.ts";

// Caches a result for a while, for calls that cost others something.
export { remembering } from "./caching/remember.ts";

// Health checks of the service's dependencies (folders, servers).
export {
  type Check,
  type CheckedPart,
  type CheckResult,
  checkedParts,
  checkLog,
  failureOf,
  runChecks,
  startProblems,
  startResults,
} from "./checks.ts";

// Workers that answer one question at a time, for work that would hold up requests.
export { createAskedWorkers } from "./concurrency/asked-workers.ts";

// Waiting with an end.
export {
  onAbort,
  unlessAborted,
  type Waiter,
  waitForTurn,
  withDeadline,
} from "./concurrency/bounded-wait.ts";

// A circuit breaker.
export { type CircuitOptions, createCircuit } from "./concurrency/circuit.ts";

// A task for each of many items, a few at a time.
export { forEachConcurrently, takeUntil } from "./concurrency/concurrent.ts";

// Time limits of consecutive tasks, over one timer that is rarely set.
export { createDeadline, type Deadline } from "./concurrency/deadline.ts";

// Permits for a bounded number of tasks at a time, for which parties take turns, so that one with many tasks
// keeps no other waiting for more than one of them.
export { createFairSemaphore, type Turn } from "./concurrency/fair-semaphore.ts";

// Runs calls that may never end, a limited number at a time.
export { callsOf, createLane } from "./concurrency/lane.ts";
export { type Budget, charge, emptyMeter, levelOf, type Meter, waitOf } from "./concurrency/meter.ts";
// Pauses of long work on the main thread, so that requests are served meanwhile.
export { createPauses } from "./concurrency/pauses.ts";
// Permits for a bounded number of tasks at a time, with a bounded queue that a task may leave.
export { createSemaphore, type Semaphore } from "./concurrency/semaphore.ts";
// Runs one task for all callers that ask for the same key at the same time.
export { createSingleFlight, type KeepAlive, type SingleFlight } from "./concurrency/single-flight.ts";
// A queue in which parties take turns, so that one with many items does not keep the others waiting.
export { createTurns, type Turns } from "./concurrency/turns.ts";
// The error type of the service, which carries meaning across layers.
export {
  asServiceError,
  cancelledError,
  type ErrorKind,
  type ErrorRecord,
  fromErrorRecord,
  messageOf,
  operatorMessage,
  ServiceError,
  sourceChangedError,
  toErrorRecord,
  withServiceErrors,
} from "./errors.ts";
// A finding: what is wrong, how bad it is, and what to do.
export {
  countFindings,
  doubtAt,
  doubtsAt,
  type Finding,
  type FindingLevel,
  type Position,
  problemAt,
  worstFirst,
} from "./findings/finding.ts";
export { findingJson } from "./findings/json.ts";
export { keyPath, parseKeyPath } from "./findings/key-path.ts";
export { findingLine, findingList, positionText, subjectOf } from "./findings/text.ts";
// The error type of the imaging library.
export { ImagingError, type ImagingErrorOptions } from "./imaging-error.ts";
// Credentials for requests to AWS and compatible services, fixed or renewed.
export { CredentialsError } from "./network/aws/credentials.ts";
// Credentials in requests (RFC 7617).
export { basicCredentials } from "./network/basic-credentials.ts";
// Bodies of responses from servers that may send too much.
export { readBoundedBody } from "./network/bounded-body.ts";
// Why the certificate of a server is not accepted, as each runtime says it, and what to do.
export { certificateFault, networkReason } from "./network/certificate-fault.ts";
// Groups clients by network, since a client with one address of a network can use them all.
export { networkOf, type VisitorNetworks, visitorNetworks } from "./network/client-network.ts";

// IP addresses and CIDR ranges (RFC 4632, RFC 4291), for trusted proxies and access by address.
export {
  anonymiseIp,
  type IpRange,
  isInRanges,
  normaliseIp,
  parseIp,
  parseRange,
} from "./network/ip-range.ts";

// Sets of many such ranges.
export { createIpRangeSet, type IpRangeSet } from "./network/ip-range-set.ts";

// Addresses of this machine itself, which are reachable without a network.
export { isLoopbackHost, isSafeTransport } from "./network/loopback.ts";

// Addresses as URLs.
export { parseUrl } from "./network/parse-url.ts";

// Error documents as text (RFC 9457), for the application and for a server's responses before a request
// reaches it.
export {
  internalError,
  type Problem,
  type ProblemFacts,
  problemDocument,
  problemType,
  titles,
} from "./network/problem-document.ts";
// One bucket of an S3-compatible store over fetch.
export { type Bucket, openBucket, S3Error } from "./network/s3.ts";
// Options of a bucket.
export {
  bucketOf,
  isServiceUrl,
  keyPrefixOption,
  s3Options,
  withoutCredentials,
} from "./network/s3-options.ts";

// Large bodies that leave in pieces.
export { createSendings, type Sendings } from "./network/sendings.ts";

// Schemas of texts by language in the configuration, in every form that people write them.
export { type LanguageMap, languageMap, textOrLanguageMap } from "./options/language-map.ts";

// Schemas of the value forms that several parts use in their options (durations, sizes and file names as
// people write them).
export { durationOption, pathOption, rangeOption, sizeForm, sizeOption } from "./options/option-types.ts";

// Durations and sizes as people write them in the configuration.
export { formatDuration, formatSize, parseDuration, parseSize } from "./options/quantity.ts";

// Secrets are in environment variables; the configuration names the variable (keys that end in _env).
export { guessableSecret, secretOf } from "./options/secret.ts";

// Everything that differs between runtimes, behind one interface.
export type {
  CheckedGet,
  Compression,
  ContentEncoding,
  Dns,
  Env,
  ExitOptions,
  FileData,
  FileEntry,
  FileObstacle,
  FileReplacement,
  FileStat,
  FileSystem,
  FileWriter,
  OpenFile,
  Platform,
  Prompt,
  ServeOptions,
  Serving,
  StartCommands,
  VolumeSpace,
  WorkerPort,
  WriteOptions,
} from "./platform.ts";

// The size of what has two dimensions.
export type { Size } from "./size.ts";

// Counters of the parts of the service, which do not know where they are registered.
export {
  type Counter,
  type Counts,
  createCounter,
  createCounts,
  noRecorder,
  type Recorder,
} from "./telemetry/count.ts";
// Measures the time that a job spends in each of its stages.
export { JobClock, type JobTimes, timedBytes } from "./telemetry/job-clock.ts";
// Stages of a render, as reported to a caller that measures them.
export type { JobStages } from "./telemetry/job-stages.ts";
// The log.
export { createLog, isWritten, type Log, type LogFields, type LogLevel, silentLog } from "./telemetry/log.ts";
// Paths, identifiers and URLs as they may be logged.
export { maskIdentifier, maskPath, maskUrls } from "./telemetry/mask.ts";
// The record of an answered request, from which its log line and its spans are written.
export type { RequestRecord } from "./telemetry/request-record.ts";

// Messages that many requests cause, logged now and then.
export { createSeldom } from "./telemetry/seldom.ts";

// Time that a request spends in each of its stages, from opening the master to sending the derivative.
export {
  type CacheOutcome,
  indexOfStage,
  StageClock,
  type StageMs,
  type StageName,
  type StageTimes,
  stageNames,
} from "./telemetry/stage-times.ts";

// The headers `traceparent` and `tracestate` (W3C Trace Context, sections 3.2 and 3.3).
export {
  parseTraceparent,
  parseTracestate,
  type TraceContext,
  type TraceHeaders,
  type TraceParent,
  traceHeaders,
} from "./telemetry/trace-context.ts";
// Files that are archives, by their names.
export { isArchiveName } from "./text/archive-name.ts";
//
export { countText } from "./text/count-text.ts";
// The one way to parse JSON (RFC 8259) of others.
export { isDeep, JsonTooDeep, maxJsonLevels, parseJson } from "./text/json.ts";
// Offsets of parts of a JSON text, without a tree of it.
export { locateInJson } from "./text/json-offsets.ts";
// Names of languages in documents (Presentation 3.0, section 4).
export { isLanguage } from "./text/language-tag.ts";
// Lines of offsets in a text.
export { lineOf } from "./text/line-of.ts";
// The order of files and folders as people number them.
export { compareNaturally } from "./text/natural-order.ts";
// Which known key was probably meant.
export { findNearest } from "./text/nearest.ts";

// Names of parts separated by slashes, such as identifiers and keys.
export { plainSegments } from "./text/plain-segments.ts";

// Words of a shell's command line.
export { pathWord, shellWord } from "./text/shell-word.ts";

// Names of files that are being written, as src/server/platform/files/ makes them.
export { isTemporaryName } from "./text/temporary-name.ts";

// The question to a worker that reads long texts.
export type { TextQuestion } from "./text/text-question.ts";

// Removes characters at the ends of text from requests.
export { trimFinal, trimFinalSlashes, trimSlashes } from "./text/trim-ends.ts";

// The one way to parse YAML 1.2.
export { maxAliases, maxCharsInPlace, parseYamlText, type YamlBounds, yamlBounds } from "./text/yaml.ts";

// The version of this build, as scripts/version.mjs finds it.
export { version } from "./version.ts";

// A file of the operator's that is read again when it changes.
export { type WatchedFile, watchFile } from "./watched-file.ts";
