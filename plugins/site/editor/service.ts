/** The URLs of the block editor. */
export interface BlockEditor {
  /** Whether a valid bundle is installed. Can change while the server runs. */
  readonly installed: boolean
  /**
   * Returns the URL of the page that edits a post.
   * @param type name of the post type: `page`
   * @param id ID of the post; if omitted, the page creates a post
   */
  urlOf(type: string, id?: number): string
  /** URL of the page that edits templates, template parts, navigation and styles. */
  readonly siteUrl: string
}
