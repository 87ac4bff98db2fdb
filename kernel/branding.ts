/**
 * The product-specific parts of identifiers, derived from one word. Hosts pass them to the kernel. Parts that the
 * kernel itself does not need are declared in `plugins/library/branding`.
 */
export interface Branding {
  /** The word itself, in lower case: `svc` by default. */
  readonly word: string
  /** First path segment of the REST API: `svc-json`. */
  readonly prefix: string
  /** URI before a relation name: `urn:svc-rest:`. */
  readonly relationUri: string
}
