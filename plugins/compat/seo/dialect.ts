import type { PluginContext } from '../../public.ts'
import { RANK_MATH_PREFIX, YOAST_PREFIX } from './meta-keys.ts'
import { settingsOf } from './options.ts'
import { TITLES_OPTION } from './rank-math/settings.ts'
import { YOAST_OPTIONS } from './yoast/settings.ts'

/** The plugin of WordPress whose data are served. */
export type Dialect = 'yoast' | 'rank-math'

/** Returns the dialect of the site's data; Yoast SEO if it has none. */
export async function dialectOf({ services }: PluginContext): Promise<Dialect> {
  const { options, store } = services
  if (Object.keys(await settingsOf(options, TITLES_OPTION)).length > 0) return 'rank-math'
  for (const name of YOAST_OPTIONS) if (Object.keys(await settingsOf(options, name)).length > 0) return 'yoast'
  const isUsed = async (keys: readonly string[]) =>
    (await store.first(store.db.selectFrom('post_meta').select('id').where('key', 'in', keys).limit(1))) !== undefined
  const suffixes = { yoast: ['title', 'metadesc', 'canonical'], rankMath: ['title', 'description', 'canonical_url'] }
  if (await isUsed(suffixes.yoast.map((suffix) => YOAST_PREFIX + suffix))) return 'yoast'
  const isRankMath = await isUsed(suffixes.rankMath.map((suffix) => RANK_MATH_PREFIX + suffix))
  return isRankMath ? 'rank-math' : 'yoast'
}
