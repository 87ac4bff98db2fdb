import { serve as serveAny, type ServeOptions, type Site } from '../kit/index.ts'
import responses from '../../plugins/responses/index.ts'
import { namedPlugins } from './named-plugins.ts'
import type { Place } from './stores.ts'

export * from '../kit/index.ts'
export { CONTENT_PLUGINS, startOnly } from './named-plugins.ts'

/** Plugins of every site: users with roles, and all plugins that change responses. */
const ALWAYS = ['users', 'roles', ...responses.map(({ name }) => name)]

/**
 * Starts a site that logs nothing and publishes no scheduled posts unless the options ask for it: tests provoke errors, store
 * posts of any date and count statements.
 */
export function serve(options: ServeOptions = {}): Promise<Site> {
  const names = namedPlugins()
  const only = names === null ? undefined : [...ALWAYS, ...names]
  return serveAny({
    log: 'silent',
    ...(only && { only }),
    ...options,
    plugins: { 'scheduled-posts': false, ...options.plugins },
  })
}

/** Starts a site in a place that is removed with the site: `await using site = await serveOn(await make())`. */
export async function serveOn(place: Place, options: ServeOptions = {}): Promise<Site> {
  const site = await serve({ database: place.url, ...options })
  return {
    ...site,
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}
