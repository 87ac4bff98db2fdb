/** A feed, whatever its format. */
export interface Feed {
  readonly title: string
  readonly description: string
  /** Language of the site: `en-US`. */
  readonly language: string
  /** URL of the page whose feed it is. */
  readonly page: string
  /** URL of the feed itself. */
  readonly url: string
  /** Name of comment authors without a name. */
  readonly anonymous: string
  /** The newest first. */
  readonly entries: readonly FeedEntry[]
  /** When the newest entry was changed: milliseconds since 1970, 0 without entries. */
  readonly modified: number
}

/** An entry of a feed: a post or a comment. */
export interface FeedEntry {
  /** What names it as long as it is there, an URL. */
  readonly id: string
  /** Plain text. */
  readonly title: string
  readonly url: string
  /** Name of the author; '' where nobody says it. */
  readonly author: string
  /** Names of its terms. */
  readonly categories: readonly string[]
  /** Milliseconds since 1970. */
  readonly published: number
  readonly modified: number
  /** HTML. */
  readonly summary: string
  /** All of it as HTML; null where the summary is all that is told. */
  readonly content: string | null
}
