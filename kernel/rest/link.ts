/** A link of an object: its URL and further attributes (`embeddable`, `taxonomy`, `count` …). */
export interface Link {
  href: string
  [attribute: string]: unknown
}

/** Links by relation. */
export type Links = Record<string, Link | readonly Link[]>
