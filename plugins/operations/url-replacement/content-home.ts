import { trimEndSlashes, type PluginContext } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import type { UrlReplacer } from './url-forms.ts'

/** Option with the home URL under which the texts of the site were written. */
export const HOME_OPTION = 'content_home'

/** The value of the option. */
interface ContentHome {
  /** Home URL in the texts. */
  readonly home: string
  /** Another home on this machine that the operator was already told about; '' for none. */
  readonly warned: string
}

/** A home URL that differs from the one in the texts. */
export interface MovedHome {
  readonly from: string
  readonly to: string
  /** Whether both are on this machine, as during development. */
  readonly isLocal: boolean
}

/** Returns the old and the new home if texts of the site were written under another home; null if not. */
export async function movedHome({ services, urls }: PluginContext): Promise<MovedHome | null> {
  const to = trimEndSlashes(urls.home)
  const stored = await services.options.get<ContentHome>(HOME_OPTION)
  if (stored === undefined || stored.home === to) return null
  return { from: stored.home, to, isLocal: isLocal(stored.home) && isLocal(to) }
}

/** Records the home in the texts of a site without a record: the one in its newest GUID, if texts contain it. */
export async function recordHome({ services, urls }: PluginContext): Promise<void> {
  const { options, store } = services
  if ((await options.get(HOME_OPTION)) !== undefined) return
  const home = (await homeInTexts(store)) ?? trimEndSlashes(urls.home)
  await options.set(HOME_OPTION, { home, warned: '' } satisfies ContentHome)
}

async function homeInTexts(store: Store): Promise<string | null> {
  const { db } = store
  const newest = db
    .selectFrom('posts')
    .select('guid')
    .where('guid', 'like', 'http%/?p=%')
    .orderBy('id', 'desc')
    .limit(1)
  const home = /^(https?:\/\/[^\s/?#]{1,255}(?:\/[^\s?#]{0,255})?)\/\?p=/.exec(
    (await store.first(newest))?.guid ?? '',
  )?.[1]
  if (home === undefined) return null
  // Sites never change GUIDs, so a GUID can have a URL that no text contains.
  const texts = db.selectFrom('posts').select('id').where(store.contains('content', home)).limit(1)
  return (await store.first(texts)) === undefined ? null : home
}

/** Whether the operator has not yet been warned about this move on their own machine, and records that they are. */
export async function isFirstWarning({ services }: PluginContext, { from, to }: MovedHome): Promise<boolean> {
  let isFirst = false
  await services.options.update<ContentHome>(HOME_OPTION, (stored = { home: from, warned: '' }) => {
    isFirst = stored.warned !== to
    return isFirst ? { ...stored, warned: to } : stored
  })
  return isFirst
}

/** Records the new home if the replaced URL was the home of the texts. */
export async function rememberHome(tx: Store, replacer: UrlReplacer, to: string): Promise<void> {
  const query = tx.db.selectFrom('options').select('value').where('name', '=', HOME_OPTION)
  const row = await tx.first(query)
  if (row === undefined) return
  const { home } = JSON.parse(row.value) as ContentHome
  const moved = replacer.replace(home)
  if (moved === home && home !== trimEndSlashes(to.trim())) return
  const value = JSON.stringify({ home: trimEndSlashes(moved), warned: '' } satisfies ContentHome)
  await tx.run(tx.db.updateTable('options').set({ value }).where('name', '=', HOME_OPTION))
}

function isLocal(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? ''
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.') || host.endsWith('.localhost')
}
