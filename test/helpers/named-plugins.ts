/** Names of the default plugins that the running test file starts; null for all. */
let names: readonly string[] | null = null

/**
 * Limits the sites that a test file starts to these default plugins, those they need, and those that a site configures. To
 * be called at the head of the file. Files that name none start all of them, which takes several times longer; a site with
 * `only: undefined` does so too.
 */
export function startOnly(...plugins: readonly string[]): void {
  names = plugins
}

/** Names of the default plugins that the running test file starts; null for all. */
export function namedPlugins(): readonly string[] | null {
  return names
}

/** For `startOnly`: posts with terms, comments, media and fields, their rendering and URLs, and users who are logged in. */
export const CONTENT_PLUGINS: readonly string[] = [
  'content-types',
  'posts',
  'terms',
  'comments',
  'media',
  'meta',
  'extra-fields',
  'content-rendering',
  'html',
  'permalinks',
  'settings',
  'cookie-auth',
]

/** Lets the next test file start all plugins. */
export function startAll(): void {
  names = null
}
