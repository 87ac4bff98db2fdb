/** Names of the default plugins that the running test file starts; null for all. */
let names: readonly string[] | null = null

/**
 * Limits the sites that a test file starts to these default plugins, the plugins they need, and those that a site configures.
 * Call it at the start of the file. Without it, and with the site option `only: undefined`, all default plugins start, which
 * takes several times longer.
 */
export function startOnly(...plugins: readonly string[]): void {
  names = plugins
}

/** Names of the default plugins that the running test file starts; null for all. */
export function namedPlugins(): readonly string[] | null {
  return names
}

/** For `startOnly`: posts with terms, comments, media and fields, their rendering and URLs, and logged-in users. */
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
