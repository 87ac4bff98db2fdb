import { serve as serveAny, type ServeOptions, type Site } from '../kit/index.ts'
import type { Place } from './stores.ts'

export * from '../kit/index.ts'

/** Starts a site that publishes no scheduled posts unless asked to: tests store what they like, and count statements. */
export function serve(options: ServeOptions = {}): Promise<Site> {
  return serveAny({ ...options, plugins: { 'scheduled-posts': false, ...options.plugins } })
}

/** Starts a site in a place that is gone once the site has ended: `await using site = await serveOn(await make())`. */
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
