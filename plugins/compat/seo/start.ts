import type { PluginContext } from '../../public.ts'
import { restartOnChange } from '../restart-on-change.ts'
import { dialectOf, type Dialect } from './dialect.ts'
import { SeoHeads } from './heads.ts'
import { RANK_MATH_KEYS, RANK_MATH_PREFIX, YOAST_KEYS, YOAST_PREFIX } from './meta-keys.ts'
import { isOn, settingsOf } from './options.ts'
import { GENERAL_OPTION, TITLES_OPTION } from './rank-math/settings.ts'
import { registerRankMathRoutes } from './rank-math/routes.ts'
import { showOnPages } from './site-head.ts'
import { limitSitemaps } from './sitemaps.ts'
import { registerFirstFields, registerYoastFields } from './yoast/fields.ts'
import { registerYoastRoutes } from './yoast/routes.ts'
import { YOAST_OPTIONS } from './yoast/settings.ts'

/** Options whose change can need other routes or fields. */
const WATCHED: readonly string[] = [TITLES_OPTION, GENERAL_OPTION, ...YOAST_OPTIONS]
/** Meta keys of users in Yoast SEO. */
const YOAST_USER_KEYS = ['wpseo_title', 'wpseo_metadesc', 'wpseo_noindex_author', 'facebook']

/** Registers fields, routes and taps in the dialect of the site. */
export async function start(plugin: PluginContext, chosen: Dialect | 'auto'): Promise<void> {
  const { has, hooks, services } = plugin
  const read = async () => (chosen === 'auto' ? dialectOf(plugin) : chosen)
  const dialect = await read()
  registerKeys(plugin, dialect)
  const heads = new SeoHeads(plugin, dialect)
  if (dialect === 'yoast') registerFirstFields(plugin, heads)
  hooks.rest_api_init.tapPromise('seo', async (server) => {
    if (dialect === 'rank-math') return registerRankMathRoutes(plugin, server, heads)
    registerYoastFields(plugin, heads)
    registerYoastRoutes(plugin, server, heads)
  })
  if (has('admin')) await addToAdmin(plugin, dialect)
  if (has('site-pages')) showOnPages(plugin, heads)
  if (has('crawlers')) limitSitemaps(plugin, heads)
  const fingerprint = async () =>
    `${await read()} ${isOn(await settingsOf(services.options, GENERAL_OPTION), 'headless_support', true)}`
  restartOnChange(plugin, await fingerprint(), {
    isRelevant: ({ kind, object }) => kind === 'option' && WATCHED.includes(object),
    fingerprint,
    reason: 'the plugin of WordPress whose SEO data are served has changed',
  })
}

/** Adds the settings page, and after all types are registered the panels of posts. */
async function addToAdmin(plugin: PluginContext, dialect: Dialect): Promise<void> {
  const { addPanels } = await import('./admin/panel.ts')
  const { addSettingsPage } = await import('./admin/settings-page.ts')
  addSettingsPage(plugin, dialect)
  plugin.hooks.rest_api_init.tap('seo', () => addPanels(plugin, dialect))
}

/** Registers the meta keys, so that one statement reads them with the other keys of the objects of a list. */
function registerKeys({ services }: PluginContext, dialect: Dialect): void {
  const { meta } = services
  const isYoast = dialect === 'yoast'
  const keys = isYoast
    ? YOAST_KEYS.map((key) => YOAST_PREFIX + key)
    : RANK_MATH_KEYS.map((key) => RANK_MATH_PREFIX + key)
  const spec = (key: string) => ({
    type: key.endsWith('robots') && !isYoast ? ('object' as const) : ('string' as const),
    single: true,
  })
  for (const key of keys) {
    meta.register('post', key, spec(key))
    if (isYoast) continue
    meta.register('term', key, spec(key))
    meta.register('user', key, spec(key))
  }
  if (isYoast) for (const key of YOAST_USER_KEYS) meta.register('user', key, { type: 'string', single: true })
}
