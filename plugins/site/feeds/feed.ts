/** A feed, independent of its format. */
export interface Feed {
  readonly title: string
  readonly description: string
  /** Language of the site: `en-US`. */
  readonly language: string
  /** URL of the page whose feed it is. */
  readonly page: string
  /** URL of the feed itself. */
  readonly url: string
  /** Author of entries without an author in Atom, which requires one. */
  readonly anonymous: string
  /** Newest entry first. */
  readonly entries: readonly FeedEntry[]
  /** Latest change of any entry, in milliseconds since 1970; 0 without entries. */
  readonly modified: number
}

/** An entry of a feed: a post or a comment. */
export interface FeedEntry {
  /** A permanent URL that identifies the entry. */
  readonly id: string
  /** Plain text. */
  readonly title: string
  readonly url: string
  /** Name of the author; '' if unknown. */
  readonly author: string
  /** Names of the categories and tags of a post; empty for a comment. */
  readonly categories: readonly string[]
  /** Milliseconds since 1970. */
  readonly published: number
  readonly modified: number
  /** HTML. */
  readonly summary: string
  /** The full content as HTML; null if the feed contains only summaries. */
  readonly content: string | null
}
