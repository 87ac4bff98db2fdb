/** What is embedded, as the oEmbed specification has it. */
export interface OembedAnswer {
  version: '1.0'
  type: 'rich' | 'video' | 'photo' | 'link'
  provider_name?: string
  provider_url?: string
  author_name?: string
  author_url?: string
  title?: string
  width?: number
  height?: number
  /** What shows it in a page. */
  html?: string
  /** URL of a photo. */
  url?: string
  thumbnail_url?: string
  thumbnail_width?: number
  thumbnail_height?: number
}

/** The most pixels that something embedded may have, in both directions. */
export interface EmbedBounds {
  readonly width: number
  readonly height: number
}
