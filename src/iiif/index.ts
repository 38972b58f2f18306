// The door of iiif/: what other houses use of it.

// Authorization services as image information advertises them, and probe responses (Authorization Flow 2.0,
// sections 3 to 5; Authentication 1.0, section 2).
export {
  authServices,
  authServicesOf,
  inLanguages,
  noImage,
  type ProbeOutcome,
  probeResult,
} from "./auth.ts";
// The paths of the authorization services (Authorization Flow 2.0, Authentication 1.0), which no other file
// spells out.
export { authFolder, authPaths, callbackAddress, loginAddress, probeAddress } from "./auth-mounts.ts";
// Messages of the token services (Authorization Flow 2.0, section 4; Authentication 1.0, section 2.3).
export {
  imageChallenge,
  isWebOrigin,
  scriptJson,
  type TokenOutcome,
  tokenDocument,
  tokenFaults,
} from "./auth-token.ts";
// Languages of the texts that readers see.
export type { TextLanguage } from "./auth-token-texts.ts";

// The encoded form of a content state, for the parameter `iiif-content` (Content State API 1.0, section 6).
export { decodeState, encodeState, maxStateLength } from "./content-state/encode.ts";

// Content states of views of this service (Content State API 1.0, section 2).
export { stateOf, type View } from "./content-state/mint.ts";

// The paths of content states, which no other file spells out.
export { stateParameter, statePaths, storedAddress } from "./content-state/mounts.ts";

// The target of a content state in any of its forms (Content State API 1.0, sections 2 and 3).
export { type ReadState, readState, type StateTarget } from "./content-state/read.ts";

// Regions of a canvas in fragments (Media Fragments URI 1.0, section 4.2.2).
export { parseRegion, pixelRegion, type Region as StateRegion, regionText } from "./content-state/region.ts";

// The stream of changes to manifests and collections (Change Discovery 1.0).
export {
  type Change,
  type ChangedResource,
  type ChangePage,
  type ChangeStream,
  changesCollection,
  changesPage,
  changesType,
  type Dataset,
} from "./discovery/changes.ts";

// The paths of the stream of changes, which no other file spells out.
export { changesAddress, changesPageOf, changesPath } from "./discovery/mounts.ts";

// The addresses of whole items as one file, which no other file spells out.
export {
  type DownloadKind,
  downloadAddress,
  downloadKinds,
  downloadPath,
  downloadsPath,
} from "./download-mounts.ts";

// Names of files that browsers save (RFC 6266), from texts of any kind.
export { attachmentNamed, fileStem } from "./file-name.ts";

// The canonical form of a request (Image API 3.0 section 4.7, 2.1 section 4.7), and the file name of its
// response.
export { canonicalParameters, contentDisposition } from "./image/canonical.ts";

// Region, size and scale of an image request in exact integers (Image API 3.0 sections 4.1, 4.2 and 5.4; 2.1
// alike).
export { type Geometry, resolve, withDetailOf } from "./image/geometry.ts";

// Parser of image request parameters for every version (Image API 3.0 and 2.1, section 4).
export { parseImageRequest, parseSizeParameter } from "./image/grammar.ts";

// Image information documents (Image API 3.0 section 5, 2.1 section 5) and their media type.
export {
  contextUri,
  type InformationInput,
  imageInformation,
  informationType,
  informationTypes,
  profileUri,
} from "./image/info.ts";

// Static images of compliance level 0 (Image API 3.0, section 5.2 and 6; 2.1 alike).
export { level0Files, level0Information, level0Profile } from "./image/level0.ts";

// The paths of the Image API, one for each version and the operator's aliases, and the addresses of images
// below them.
export {
  addressForm,
  commonPrefix,
  imageAddress,
  imageMounts,
  type Mount,
  mainMounts,
  mainPrefix,
} from "./image/mounts.ts";

// Image API paths.
export {
  checkIdentifier,
  encodeIdentifier,
  type ImagePath,
  identifierOf,
  kindOfPath,
  splitImagePath,
  splitPage,
} from "./image/path.ts";

// A parsed image request, in one form for Image API 3.0 (section 4) and 2.1 (section 4).
export { type ImageRequest, type SizeRequest, usualRequest } from "./image/request.ts";

// Size of a derivative before rotation (Image API 3.0 section 4.2; 2.1 alike).
export { largestSize } from "./image/resolve-size.ts";

// Sizes and regions in pixels, the limits on derivatives (Image API 3.0 section 5.2), and the exact
// arithmetic for both.
export { effectiveLimits, type Limits, noLimits, type Region, type SizeRules } from "./image/size.ts";

// Tiles and scale factors (Image API 3.0 section 5.4).
export { scaleFactors, tilesOfLevel, tileWithin } from "./image/tiles.ts";

// What a link to this service names, in any form in which people copy it.
export { type OwnAddresses as OwnPlaces, type OwnLink, readOwnLink } from "./own-links.ts";

// Makes addresses in operators' documents absolute for the public URL of a request.
export { makeAbsolute } from "./presentation/addresses.ts";

// Annotations of a page by the canvases that they target, and those of one canvas as a page of their own
// (Web Annotation Data Model, section 3.2; Presentation API 3.0, section 5.5).
export {
  annotationsByTarget,
  annotationsIn,
  type IdOfTarget,
  type TargetedAnnotation,
} from "./presentation/attached.ts";
// Boxes on a canvas as fragments of its address.
export { boxAddress, type CanvasBox, type TargetCanvas } from "./presentation/canvas-box.ts";
// The text of a page as annotations of its canvas, and links to it (Presentation API 3.0, sections 3.3 and
// 5.6).
export {
  type CanvasText,
  type Granularity,
  type OcrFile,
  type OcrFormat,
  ocrType,
  type TextLine,
  type TextMembers,
  type TextPiece,
  textMembers,
  textPage,
  withText,
} from "./presentation/canvas-text.ts";

// The JSON-LD contexts of documents (Presentation API 3.0, section 4.6).
export { presentationContext, withContext } from "./presentation/context.ts";
// Manifests and collections of Presentation API 3.0, derived from facts about directories and images
// (sections 3.1, 3.2 and 5).
export {
  canvasOf,
  collectionOf,
  headOf,
  labelOfPage,
  manifestHead,
  manifestOf,
  partOfCollection,
  partRange,
  type Standing,
  standInSizeOf,
} from "./presentation/derive.ts";
// An operator's description of a folder.
export {
  type Description,
  emptyDescription,
  type Named,
  type PartDescription,
  readDescription,
} from "./presentation/description/description.ts";
// Faults in an operator's description, by path, in words that help to fix them.
export type { Fault } from "./presentation/description/faults.ts";
// Merges an operator's description of a folder over the document that is derived from it.
export {
  arrangeMembers,
  arrangeNames,
  describeCollection,
  describeHead,
  describeManifest,
  frontIndex as placeInFront,
} from "./presentation/description/merge.ts";
// Annotations that put maps on their places on Earth (georeference extension).
export { mapsOfImage } from "./presentation/georeference.ts";
// An image in documents.
export { loginServices, thumbnailBox, typedService } from "./presentation/image.ts";
// Text of foreign files that no viewer takes for HTML.
export { inertText } from "./presentation/inert-text.ts";
// Reads members of external documents without relying on their form.
export { idOf, isThere, objectOf, objectsOf, textOf, textsOf } from "./presentation/json.ts";
// Facts that manifests and collections are made from.
export type {
  CanvasFacts,
  DocumentContext,
  ManifestFacts,
  MemberFacts,
  Resource,
} from "./presentation/model.ts";
// The paths of manifests and collections, and of their parts.
export {
  canvasNumber,
  documentAddress,
  encodeSegments,
  imagesId,
  inVersion,
  type PathPiece,
  type PieceKind,
  type PresentationPath,
  type PresentationVersion,
  partId,
  pieceAddress,
  presentationPaths,
  presentationRoot,
} from "./presentation/mounts.ts";
// What an address in a document names, if it is one of this service.
export { type OwnNames, ownNames } from "./presentation/own-addresses.ts";
// Parts of documents at addresses of their own.
export { pieceAt } from "./presentation/pieces.ts";

// Converts texts of manifests that may be HTML to plain text (Presentation API 3.0, section 4.5).
export { plainText } from "./presentation/plain-text.ts";

// Leaves out of an operator's document what clients must not follow or run, before anything else reads it.
export { safeDocument } from "./presentation/safe-document.ts";
// Whole documents that an operator stored or a hook returned.
export {
  faultsOfStored,
  isOfAnnotations,
  isWhole,
  readStored,
  type StoredDocument,
  storedDocuments,
} from "./presentation/stored.ts";
// Annotations that an operator stored as files, brought to the canvases of a manifest.
export {
  type AnnotatedCanvas,
  type AnnotationScope,
  createSorter,
  crowdReason,
  readStoredAnnotations,
  type StoredAnnotations,
  servedAnnotation,
} from "./presentation/stored-annotations.ts";
// Mistakes in a whole document of Presentation API 3.0 that do not keep it from being served.
export { doubtsOfStored } from "./presentation/stored-doubts.ts";

// Converts documents of Presentation API 3.0, from any author, to 2.1.
export { version2 } from "./presentation/v2/document.ts";

// Descriptive and linking properties in the form of Presentation API 2.1 (sections 3 and 4.3), from a
// resource of 3.0.
export { toTexts2 } from "./presentation/v2/properties.ts";

// Documents of Presentation API 4.0, which is not final.
export { readVersion4 } from "./presentation/version4.ts";

// Takes out of a document the text about what a reader may not see.
export { canvasesOfRange, imagesOf, type MayRead, type Right, withhold } from "./presentation/withheld.ts";

// What a search has found, and the terms of an index, as responses are made from them.
export {
  type Found,
  type Match,
  type MatchPart,
  matchesPerPage,
  matchRange,
  maxMatches,
  type Term,
} from "./search/found.ts";

// The paths of search services, which no other file spells out.
export {
  readSearchPath,
  type SearchKind,
  type SearchLocation,
  type SearchPath,
  type SearchVersion,
  searchAddress,
  searchFolders,
} from "./search/mounts.ts";

// Parameters of requests to search services (Content Search 2.0, sections 4.1 and 5.1).
export {
  type Filtered,
  type FurtherFilter,
  motivationsOfText,
  passesFilters,
  readSearchRequest,
  type SearchRequest,
} from "./search/request.ts";

// Responses of search services in both versions.
export { type SearchSite, searchResponse, termsResponse } from "./search/responses.ts";

// Descriptions of the search services of a manifest.
export { searchContext, searchServices } from "./search/services.ts";

// The addresses of pages that show documents in a viewer, which no other file spells out.
export { stateViewAddress, viewAddress, viewOfDocument, viewPath } from "./view-mounts.ts";
