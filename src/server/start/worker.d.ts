// Types of the package as a Cloudflare Worker. docs/how-to/library.md has an example.

declare const worker: {
  /**
   * Responds to a request. `bindings`: SMALTI_CONFIG (the text of a smalti.yaml), ASSETS, and the secrets
   * that it names.
   */
  fetch(
    request: Request,
    bindings: object,
    context: { waitUntil(work: Promise<unknown>): void },
  ): Promise<Response>;
};
export default worker;
