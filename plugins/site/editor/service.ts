/** Where the block editor is, if it is installed. */
export interface BlockEditor {
  /** Whether it is installed, at this moment. */
  readonly installed: boolean
  /**
   * URL of the page that edits a post.
   * @param type of the post, by its name: `page`
   * @param id of the post; without one, the page makes a new one
   */
  urlOf(type: string, id?: number): string
  /** URL of the page that edits templates, parts, navigation and styles. */
  readonly siteUrl: string
}
