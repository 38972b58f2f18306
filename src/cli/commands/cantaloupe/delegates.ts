// The methods of a delegate script, and what takes their place.

/** What takes the place of each method of the delegates of Cantaloupe 4.1 to 6. */
export const delegateRows: Readonly<Record<string, string>> = {
  pre_authorize:
    "hook `authorize`: return { allow: false, status: 403 }, or { redirect: URL }. For a smaller image, substitute: true with auth.profiles.*.substitute.max_size",
  authorize:
    "hook `authorize`, as for pre_authorize; it is called before the file is opened, so it sees neither size nor metadata",
  "authorized?": "hook `authorize`: return { allow: false, status: 403 }",
  redirect: "hook `authorize`: return { redirect: URL }",
  source: "hook `resolve`: return { source: NAME, key: KEY }",
  filesystemsource_pathname:
    "hook `resolve`: return { key: PATH }, the path below the root of the source; false is 404",
  httpsource_resource_info:
    "hook `resolve`: return { key: KEY }, which replaces {identifier} in the url of the source; headers and auth_env belong to the source",
  s3source_object_info: "hook `resolve`: return { key: KEY, source: NAME }; a bucket is a source",
  azurestoragesource_blob_key: "hook `resolve` for a source of type http; smalti has no source for Azure",
  jdbcsource_database_identifier: "no equivalent: smalti reads no images from databases",
  jdbcsource_last_modified: "no equivalent: smalti reads no images from databases",
  jdbcsource_media_type: "no equivalent: smalti reads no images from databases",
  jdbcsource_lookup_sql: "no equivalent: smalti reads no images from databases",
  overlay: "hook `overlay`: return { image, anchor, offset, fit, opacity }, or false; make pictures of texts",
  redactions: "no equivalent: serve redacted copies, or a substitute by the hook `authorize`",
  metadata: "image.metadata: preserve embeds EXIF, XMP and IPTC as they are in the file",
  extra_iiif2_information_response_keys:
    "no equivalent in info.json: rights and attribution belong into the manifest: hook `presentation`, or a manifest file",
  extra_iiif3_information_response_keys:
    "no equivalent in info.json: rights and attribution belong into the manifest: hook `presentation`, or a manifest file",
  deserialize_meta_identifier:
    "no equivalent: `name;2` is page 2 of `name`; a hook `resolve` can map other identifiers",
  serialize_meta_identifier: "not needed: smalti writes the identifier of the request",
};

export interface DelegateMethod {
  readonly method: string;
  readonly text: string;
}

/** What a method of the sample script returns. */
const isStub = (line: string) => /^(return\s+)?(true|nil|\{\s*\}|\[\s*\])?$/.test(line);

/**
 * Returns the methods that a script in Ruby implements, and what takes their place: all known methods with
 * other content than in the sample. Methods of the script's own are left out.
 */
export function implementedMethods(script: string): DelegateMethod[] {
  const lines = script.replace(/^=begin[\s\S]*?^=end/gm, "").split(/\r\n|\r|\n/);
  return lines.flatMap((line, at) => {
    const [, indent = "", method = ""] = /^(\s*)def\s+(?:self\.)?([a-z_0-9]+\??)/.exec(line) ?? [];
    const text = Object.hasOwn(delegateRows, method) ? delegateRows[method] : undefined;
    if (text === undefined) return [];
    const end = lines.findIndex((other, i) => i > at && other.startsWith(`${indent}end`));
    const body = lines.slice(at + 1, end < 0 ? undefined : end).map((other) => other.trim());
    return body.every((other) => other.startsWith("#") || isStub(other)) ? [] : [{ method, text }];
  });
}
