/** An oEmbed response, as defined by the oEmbed specification. */
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
  /** HTML that shows the embed in a page. */
  html?: string
  /** URL of a photo. */
  url?: string
  thumbnail_url?: string
  thumbnail_width?: number
  thumbnail_height?: number
}

/** Maximum size of an embed in pixels. */
export interface EmbedBounds {
  readonly width: number
  readonly height: number
}
