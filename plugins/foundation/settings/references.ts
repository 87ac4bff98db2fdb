import { invalidParam, type PluginContext } from '../../../kernel/index.ts'
import type { SiteOptions } from './options.ts'
import type { Settings } from './settings.ts'

/**
 * Registers the source of settings that contain the ID of a post or term, by the name of their option. The stored value is
 * accepted, because clients send back the settings that they have read.
 */
export function registerReferences(
  { has, services }: PluginContext,
  settings: Pick<Settings, 'get'>,
  options: Pick<SiteOptions, 'fresh'>,
): void {
  const { resources } = services
  resources.registerReference('setting', async (value, request, argument, name) => {
    const refersTo = settings.get(name)?.refersTo
    if (refersTo === undefined || value === (await options.fresh([name]))[name]) return null
    const source =
      'type' in refersTo ? { source: 'post', of: refersTo.type } : { source: 'term', of: refersTo.taxonomy }
    // A site without posts or terms has no object that the setting can name.
    const isServed = has('type' in refersTo ? 'posts' : 'terms')
    if (!isServed) return invalidParam(argument, `${argument} must be 0: the site has no ${source.source}s.`)
    return resources.check(source, value, request, argument)
  })
}
