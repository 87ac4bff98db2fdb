import type { Rendering } from '../renderer.ts'

/** Returns the URL of the front page without a trailing slash, or the URL that a plugin gives it for this page. */
export async function homeUrl({ plugin, scope }: Pick<Rendering, 'plugin' | 'scope'>): Promise<string> {
  const { services, urls } = plugin
  const home = await services.permalinks.home(scope)
  return home === urls.site('/') ? urls.home : home
}
