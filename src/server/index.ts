// The door of server/: what other houses use of it.

// Access decisions.
export { type Access, type Caller, type Decision, publicGrant, type Tier } from "./access/access.ts";

// Credentials of a request.
export { cookieValues } from "./access/credentials.ts";

// The latest access decisions, and counts of how many allowed or denied.
export {
  type DecisionKind,
  type DecisionRecord,
  type Subject,
  unnoted,
  type Verdict,
} from "./access/decisions.ts";

// Rows of an operator's table of identifiers that no request finds.
export { rowDoubt, rowDoubts, type TableRow } from "./access/doubts/rows.ts";

// Tokens of signed links.
export type { LinkScope } from "./access/links/link-token.ts";

// Access by address.
export { createKiosks } from "./access/logins/kiosk.ts";

// Small signed records that a browser stores and sends back, valid for a limited time (RFC 7519).
export { createSeals } from "./access/logins/sealed.ts";
// Reasons why a login by OpenID Connect failed.
export { faultOf } from "./access/oidc/faults.ts";
// A provider's metadata (OpenID Connect Discovery 1.0) and keys, cached for a while.
export { createProvider } from "./access/oidc/provider.ts";
// The operators: the one of the environment, and further ones in a file.
export type { Operators } from "./access/operators/operators.ts";

// Options under `auth:` (profiles, the rules that name them, sessions, tokens), and the combinations that a
// start refuses.
export type { AuthOptions } from "./access/options.ts";
// Creates password hashes and verifies passwords.
export { hashPassword } from "./access/passwords/hash.ts";
// Forms of password hashes.
export { costs } from "./access/passwords/hash-forms.ts";

// Options of a profile under `auth.profiles`.
export type { ProfileOptions } from "./access/profiles/options.ts";

// Converts a caller to the input of hooks.
export { hookRequestOf } from "./access/rules/hook-request.ts";

// The names that a row of an operator's table may have for an image.
export { createRowNames } from "./access/rules/row-names.ts";

// Finds the rule of an identifier.
export { createRules, profilesOf, ruledFolder } from "./access/rules/rules.ts";
// Sessions of readers, the grants that they hold, and the tokens that stand for them.
export type { GrantFilter } from "./access/session.ts";
// The number of sessions for operators.
export { createSessionReading, type SessionReading } from "./access/session-reading.ts";

// Builds the sessions of the service from its options.
export { buildSessions } from "./access/sessions/index.ts";

// Reads bodies of POST requests, completely and within a limit.
export { readForm, readJson } from "./api/http/body.ts";
// Explains how the ids of a request begin.
export { explainBaseUrl, type UrlExplanation } from "./api/http/client/public-url.ts";
// The facts about a request that handlers of routes use, and the caller that access rules and hooks see.
export {
  callerOf,
  lengthOf,
  type Operator,
  type RequestContext,
  type Route,
  type RouteHandler,
  recordSent,
} from "./api/http/context.ts";

// Failures of a request as operators see them.
export { noteFailure } from "./api/http/failure.ts";

// The layout of the pages for people.
export { pageResponse } from "./api/http/page.ts";

// Error documents.
export { noSuchPage, Refusal } from "./api/http/problem.ts";

// Bodies of responses.
export { bodyOf } from "./api/http/representation/paced-body.ts";
// The table of routes.
export type { Routes } from "./api/http/routes.ts";
// Addresses of signed links.
export { linkParameter, signedBase } from "./api/http/signed-address.ts";

// Maps kinds of errors to HTTP statuses (RFC 9110, section 15).
export { statusOf } from "./api/http/status.ts";

// The raw request target, before any URL parser changes it.
export { parseTarget } from "./api/http/target.ts";

// The site map.
export { createApp } from "./app.ts";

// Looks at the manifest files of the sources for a limited time, for a check of the configuration.
export { type CheckedManifestFiles, checkManifestFiles } from "./collection/manifest-files.ts";

// The pages of a file, as manifests show them.
export { pagesOf } from "./collection/pages.ts";

// What work on many files reports.
export {
  createTally,
  endsWork,
  FatalError,
  type Progress,
  type SlowFile,
} from "./collection/tally.ts";

// The images of a collection.
export { countWalk, walkFolders, walkImages } from "./collection/walk.ts";

// Parses listening addresses in their usual forms.
export { type Address, parseAddress, withHost, withPort } from "./config/address.ts";

// The configuration file as the service and its pages see it; admin/editing reads and writes it.
export type {
  ApplyLive,
  ConfigFile,
  ConfigFileView,
  Control,
  EditableField,
  FieldValue,
  Preview,
  Saved,
} from "./config/config-file.ts";

// The effective configuration for people.
export { effectiveConfig, effectiveYaml } from "./config/effective.ts";

// The operator's credentials.
export { type Credentials, operatorOf } from "./config/operator.ts";

// Warns if clients choose the address with which the ids of a response begin.
export { addressWarnings } from "./config/reading/chosen-address.ts";

// Turns YAML text and environment into a valid configuration, or a list of problems that each name their
// key.
export { type LoadedConfig, loadConfig, parseYaml, problemLines } from "./config/reading/load.ts";

// Warns if `base_url` ends in a path of the service itself, which ids would then contain twice.
export { ownPathWarnings } from "./config/reading/own-paths.ts";

// File names of the configuration are relative to its folder.
export { absolutePath, withAbsolutePaths, withFolder } from "./config/reading/paths.ts";

// Valid settings that are probably not what their author wants.
export { accessWarnings, configWarnings } from "./config/reading/warnings.ts";

// The schema of the configuration.
export { type Config, configSchema, configTree } from "./config/schema.ts";

// A schema as a tree, with walks along it.
export { isObject, type Leaf, leaves, type SchemaNode } from "./config/walk.ts";

// The figures of this process at a moment as one JSON value, for the dashboard.
export { damagedShown, type Frame } from "./dashboard/frame.ts";

// Sends a frame each second to everybody who watches the dashboard, from one loop that runs only while
// somebody does.
export { type Hub, maxWatchers } from "./dashboard/hub.ts";

// The verdict of the status page.
export { problemsShown } from "./dashboard/verdict.ts";

// Input and results of an operator's hook; every engine implements the same interface.
export { type HookFunction, hookFunctions } from "./hooks/hook.ts";

// The hooks of a service.
export { buildEngine, createHooks, type Hooks } from "./hooks/index.ts";

// Estimated duration of a job.
export { renderWork, tileLayersWork } from "./images/admission/cost.ts";

// Lanes, and the shares of permits and memory of the jobs of a lane and of remote sources.
export { maxCheapMs } from "./images/admission/lanes.ts";

// Names and variants of cache entries, for rendering and for purging.
export { factsKey, hash, masterVersion, renderVersion } from "./images/cache-keys.ts";

// Masters that recent renders could decode only in part, for the operator.
export type { DamagedMaster } from "./images/damaged-masters.ts";

// Opens masters by their identifiers and reads their header facts; decodes no pixels.
export {
  checkServable,
  describe,
  exceedsArea,
  type GrantedMaster,
  inspect,
  needsOf,
} from "./images/describe.ts";

// Image information.
export { informationOf } from "./images/information.ts";

// Actual and expected costs of the latest renders of each master, for the image doctor.
export { type LatestRenders, unnotedRenders } from "./images/latest-renders.ts";

// The image or folder that was probably meant by an identifier of which no source has one.
export { nearIdentifier } from "./images/near.ts";

// The only way to open a master.
export { locateMaster, withMaster } from "./images/open.ts";

// Lookups of images for the operator.
export { asOperator, lookAtAll, type OperatorLook, operatorCaller, slowSource } from "./images/operator.ts";

// Options under `image:`.
export { rendersAtOnce } from "./images/options.ts";

// The health check of the configured overlay.
export { overlayChecks } from "./images/overlay/check.ts";

// Options under `overlay:`, which a hook may also return for a request, and the location of the overlay
// image.
export { type OverlayOptions, overlaySettingsOf } from "./images/overlay/options.ts";

// Chooses the overlay of a derivative and loads its image, which is decoded once and again whenever its file
// changes.
export { createOverlays } from "./images/overlay/overlays.ts";

// Purges a single entry by its name, all entries of an image, or a whole slot.
export {
  type PurgedImage,
  type PurgeParts,
  purgeEntry,
  purgeImage,
  purgeSlot,
} from "./images/purge.ts";
// Purges all images of a folder, that is, whose identifiers begin with its name.
export { namesFolder, type PurgedFolder, purgeFolder } from "./images/purge-folder.ts";

// Makes one derivative, from request to bytes.
export {
  admittedMemory,
  findCached,
  planFor,
  prepare,
  type RenderParts,
  render,
  resolveRequest,
} from "./images/render.ts";

// Summary of the sidecar of a master, for purges, the image doctor and the operator.
export type { SidecarReport } from "./images/sidecar/report.ts";

// Tells an operator who purges an image of which nothing was cached that the identifier may be wrong.
export { adviceIfMissing, unknownImageError } from "./images/unknown-image.ts";

// Values of facts as text for people.
export {
  bytesText,
  eachText,
  exceedingTexts,
  msText,
  pixelsText,
  sizeText,
  timeText,
  yesNo,
} from "./images/words.ts";

// A page of a folder as the operator sees it.
export {
  createOperatorFolders,
  type OperatorEntry,
  type OperatorFolder,
  type OperatorFolders,
} from "./manifests/browse/operator-folder.ts";
// Files of annotations next to images, and the mistakes in these and in METS files.
export { besideFaults } from "./manifests/documents/beside-faults.ts";
// Context and result of making one document.
export { canvasesOf } from "./manifests/documents/making.ts";
// Finds the mistakes in the manifest file of a folder, as `smalti check`, the doctor and the admin page show
// them.
export { manifestFileFaults } from "./manifests/documents/manifest-file-faults.ts";
// The text of a manifest that its caller may search, and the search.
export { searchedText } from "./manifests/documents/searched-text.ts";
export type { AnnotationFiles } from "./manifests/folders/annotation-files.ts";
// A folder of images, and the facts known of them.
export type { Folder } from "./manifests/folders/folder.ts";
// Folders of the sources, remembered.
export type { Folders } from "./manifests/folders/folders.ts";
// Reads the YAML of manifest files.
export { createYamlReader } from "./manifests/folders/yaml-reader.ts";
// The manifests of a service, and the folders that they are made of, built once from its parts.
export { buildFolders } from "./manifests/index.ts";
// Maps identifiers of documents to places in the sources, and back.
export {
  type FolderLocation,
  identifierOf,
  locationOf,
  splitLocation,
  type Trail,
  trailOf,
} from "./manifests/locations.ts";
// Documents of Presentation API 3.0 for the names in addresses.
export type { Manifests } from "./manifests/manifests.ts";
// The words of a search, and texts in the form that they are compared in.
export { maxSearchLength, wordsOf } from "./manifests/search/words.ts";
export type { SourceTexts } from "./manifests/source-texts/source-text-search.ts";
// The texts in a folder of images.
export { type FolderTexts, folderTexts, showsTexts } from "./manifests/texts/folder-texts.ts";
// Reads the text of pages from their files.
export type { PageTexts } from "./manifests/texts/page-texts.ts";
// The files of text that belong to the images of a folder.
export type { TextFile } from "./manifests/texts/text-files.ts";
export type { TextSearch } from "./manifests/texts/text-search.ts";

// The parts that depend on something outside of the process, such as folders and servers, with their checks.
export { buildOuterParts, type OuterParts } from "./parts.ts";

// Builds every part once from the configuration and the platform, and closes them again.
export { createService, type Service } from "./service.ts";

// The archives on the way of a key.
export { archivesIn } from "./sources/archive/archive-key.ts";

// Builds the sources of the configuration, and chooses the source of an identifier.
export type { Sources } from "./sources/index.ts";

// Classifies the entries of a listing by their names alone.
export { fileKind, isUnlisted } from "./sources/listing.ts";

// The bundled image as a source, served until other sources are configured.
export { sampleKey } from "./sources/sample.ts";

// Interface of sources, from which masters are read.
export type { Source, SourceEntry } from "./sources/source.ts";

// Facts about a ready service for the start text and the log, collected in bounded time.
export { printStart } from "./start/facts.ts";

// The last hours of a few figures.
export { type HistorySample, historyStepMs } from "./stats/history.ts";

// Requests as the service counts them.
export { isServiceFailure, maxRecentErrors } from "./stats/requests.ts";

// The slowest renders of the last hour.
export { maxSlowest } from "./stats/slowest.ts";

// The slots of the cache by name.
export { eachSlot, type SlotName, slotNames } from "./stores/bounds.ts";
// The cache slots of the service.
export type { NamedSlot, Slots } from "./stores/index.ts";

// One cache with its policy over a store.
export type { Slot } from "./stores/slot.ts";

// Doubts about slots for which the machine or a volume has no room.
export { doubtfulHeaps, doubtfulVolumes } from "./stores/volume.ts";
// What visitors use, by their classes.
export { poolNames, visitorClasses } from "./visitors/classes.ts";
// What the operator says of sites and agents.
export { createDenials } from "./visitors/denied-agents.ts";
export { createListed } from "./visitors/listed-origins.ts";
export { type CrawlerOptions, crawlerOptions } from "./visitors/options.ts";
export type { Visitors } from "./visitors/visitors.ts";
// What codecs on the calling thread need of a platform.
export { codecHost } from "./workers/codec-host.ts";
// The permit of a job, which the job releases while it waits for bytes from another machine.
export { awaitWithoutPermit, readWithoutPermit } from "./workers/permit.ts";
