import { RestError, type SitePage } from '../../../../../kernel/index.ts'
import {
  EDIT_LOCK_KEY,
  LAST_EDITOR_KEY,
  OLD_DATE_KEY,
  OLD_SLUG_KEY,
  TRASHED_SLUG_KEY,
  TRASHED_STATUS_KEY,
  TRASHED_TIME_KEY,
} from '../../../../content/meta-keys.ts'
import { errors } from '../../errors.ts'
import type { Notice } from '../../frame/notice.ts'
import type { AdminView } from '../../frame/view.ts'
import { changeEach, changesNotice, chosenIds, readUndo, undoOf } from '../../parts/changes.ts'
import { MAX_PER_PAGE } from '../../parts/list.ts'
import { withoutLockedMeta } from '../../parts/locked-meta.ts'
import { rowActionOf } from '../../parts/row-actions.ts'
import { applyEdit, bulkEditOf } from './bulk-edit.ts'
import { titleOf, type Item } from './items.ts'
import { routeOf, taxonomiesOf, typeOf, type TypeData } from './types.ts'

/** An action on one or more posts of a list. */
type Act = (view: AdminView, type: TypeData, ids: readonly number[]) => Promise<Notice>

const acts = {
  publish: (view, type, ids) =>
    changeItems(view, type, ids, { status: 'publish' }, (number) =>
      view.count(number, '1 item published.', '{count} items published.'),
    ),
  draft: (view, type, ids) =>
    changeItems(view, type, ids, { status: 'draft' }, (number) =>
      view.count(number, '1 item moved to drafts.', '{count} items moved to drafts.'),
    ),
  restore: (view, type, ids) =>
    changeItems(view, type, ids, { status: 'draft' }, (number) =>
      view.count(number, '1 item restored as draft.', '{count} items restored as drafts.'),
    ),
  trash: trashItems,
  delete: async (view, type, ids) => {
    const found = await itemsOf(view, type, ids)
    const changes = await changeEach(ids, titles(view, found), (id) =>
      view.ask('DELETE', `${routeOf(type)}/${id}`, { query: { force: true } }),
    )
    return changesNotice(view, changes, (number) =>
      view.count(number, '1 item permanently deleted.', '{count} items permanently deleted.'),
    )
  },
  edit: editItems,
  duplicate: duplicateItems,
} satisfies Record<string, Act>

/** Handlers of the forms on the list. Each redirects back to the list with the same filters. */
export const actions = {
  ...Object.fromEntries(
    Object.entries(acts).map(([name, act]) => [name, (view: AdminView) => runAction(view, act, chosenIds(view))]),
  ),
  async row(view: AdminView): Promise<SitePage> {
    const { action, id } = rowActionOf(view)
    if (!isAct(action)) throw errors.admin_action_unknown()
    return runAction(view, acts[action], chosenIds(view, [id]))
  },
  /** Undoes a move to the trash: each post gets its former status. */
  async undo(view: AdminView): Promise<SitePage> {
    const formerStatuses = readUndo(view)
      .split(',')
      .map((pair) => pair.split(':'))
      .map(([id, status = '']): [number, string] => [Number(id), status])
    const type = await typeOf(view, view.params['type'] ?? '')
    const statuses = new Map(formerStatuses)
    const ids = [...statuses.keys()]
    const found = await itemsOf(view, type, ids)
    const changes = await changeEach(ids, titles(view, found), (id) =>
      view.ask('POST', `${routeOf(type)}/${id}`, { body: { status: statuses.get(id) } }),
    )
    const notice = changesNotice(view, changes, (number) =>
      view.count(number, '1 item restored from trash.', '{count} items restored from trash.'),
    )
    return view.redirect(view.here(), notice)
  },
}

const isAct = (name: string): name is keyof typeof acts => Object.hasOwn(acts, name)

async function runAction(view: AdminView, act: Act, ids: readonly number[]): Promise<SitePage> {
  const type = await typeOf(view, view.params['type'] ?? '')
  return view.redirect(view.here(), await act(view, type, ids))
}

/** Reads titles and statuses of posts before a change. */
async function itemsOf(view: AdminView, type: TypeData, ids: readonly number[]): Promise<ReadonlyMap<number, Item>> {
  if (ids.length === 0) return new Map()
  const query = { include: ids, per_page: MAX_PER_PAGE, context: 'edit', _fields: 'id,title,status' }
  const lookups = ['any', 'trash'].map((status) => view.find<Item[]>(routeOf(type), { query: { ...query, status } }))
  const found = await Promise.all(lookups)
  return new Map(found.flatMap((items) => items ?? []).map((item) => [item.id, item]))
}

/** Returns a function that returns the title of a post by ID. */
function titles(view: AdminView, found: ReadonlyMap<number, Item>): (id: number) => string {
  return (id) => {
    const item = found.get(id)
    return item === undefined ? `#${id}` : titleOf(view, item)
  }
}

async function changeItems(
  view: AdminView,
  type: TypeData,
  ids: readonly number[],
  body: Readonly<Record<string, unknown>>,
  successText: (number: number) => string,
): Promise<Notice> {
  const found = await itemsOf(view, type, ids)
  const changes = await changeEach(ids, titles(view, found), (id) =>
    view.ask('POST', `${routeOf(type)}/${id}`, { body }),
  )
  return changesNotice(view, changes, successText)
}

async function trashItems(view: AdminView, type: TypeData, ids: readonly number[]): Promise<Notice> {
  const found = await itemsOf(view, type, ids)
  const changes = await changeEach(ids, titles(view, found), (id) => view.ask('DELETE', `${routeOf(type)}/${id}`))
  const notice = changesNotice(view, changes, (number) =>
    view.count(number, '1 item moved to trash.', '{count} items moved to trash.'),
  )
  const formerStatuses = changes.done.flatMap((id) => (found.has(id) ? [`${id}:${found.get(id)!.status}`] : []))
  return formerStatuses.length === 0 ? notice : { ...notice, undo: undoOf(view, formerStatuses.join()) }
}

async function editItems(view: AdminView, type: TypeData, ids: readonly number[]): Promise<Notice> {
  const { t, count } = view
  try {
    const edit = await bulkEditOf(view, await taxonomiesOf(view, type.slug))
    if (edit === null) return { kind: 'error', text: t('Choose at least one field to change.') }
    const found = await itemsOf(view, type, ids)
    const changes = await changeEach(ids, titles(view, found), (id) => applyEdit(view, type, id, edit))
    return changesNotice(view, changes, (number) => count(number, '1 item updated.', '{count} items updated.'))
  } catch (error) {
    if (!(error instanceof RestError)) throw error
    return { kind: 'error', text: t(error.message) }
  }
}

/** Fields to copy, in addition to texts and terms. */
const COPIED_FIELDS = [
  'featured_media',
  'comment_status',
  'ping_status',
  'menu_order',
  'parent',
  'template',
  'format',
  'meta',
]
const TEXT_FIELDS = ['content', 'excerpt']

async function duplicateItems(view: AdminView, type: TypeData, ids: readonly number[]): Promise<Notice> {
  const { t } = view
  const taxonomies = await taxonomiesOf(view, type.slug)
  const copied = [...COPIED_FIELDS, ...taxonomies.map(({ rest_base: base }) => base)]
  const copies: number[] = []
  const changes = await changeEach(ids, String, async (id) => {
    const { data } = await view.ask<Item>('GET', `${routeOf(type)}/${id}`, { query: { context: 'edit' } })
    const fields = copied.filter((name) => hasValue(data[name])).map((name) => [name, data[name]])
    const meta = data['meta']
    const ownMeta = isRecord(meta) && { meta: withoutLockedMeta(view, type.slug, meta) }
    const texts = TEXT_FIELDS.map((name) => [name, rawOf(data[name])]).filter(([, text]) => text !== undefined)
    const title = t('{title} (copy)', { title: data.title?.raw ?? '' })
    const body = { ...Object.fromEntries([...fields, ...texts]), ...ownMeta, title, status: 'draft' } as Record<
      string,
      unknown
    >
    const { data: copy } = await view.ask<{ id: number }>('POST', routeOf(type), { body })
    copies.push(copy.id)
    await copyHiddenMeta(view, id, copy.id, isRecord(meta) ? shownKeys(view, type.slug) : [])
  })
  const notice = changesNotice(view, changes, () => t('Copied to a new draft.'))
  const [copy] = copies
  if (copy === undefined) return notice
  return { ...notice, link: { href: view.plugin.services.admin.editUrl(type.slug, copy), label: t('Edit copy') } }
}

/** Stored meta that describes the state or the past of one post. */
const STATE_KEYS: ReadonlySet<string> = new Set([
  EDIT_LOCK_KEY,
  LAST_EDITOR_KEY,
  OLD_SLUG_KEY,
  OLD_DATE_KEY,
  TRASHED_STATUS_KEY,
  TRASHED_TIME_KEY,
  TRASHED_SLUG_KEY,
])

/** Returns the meta keys that the REST API can show for a content type. */
function shownKeys({ plugin }: AdminView, type: string): string[] {
  const fields = plugin.has('meta') ? plugin.services.meta.fieldsOf('post', type) : []
  return fields.filter(({ shown }) => shown !== null).map(({ key }) => key)
}

/** Copies the stored meta that the REST API does not show: values of custom fields, data of imported plugins. */
async function copyHiddenMeta({ plugin, request }: AdminView, from: number, to: number, shown: readonly string[]) {
  if (!plugin.has('meta')) return
  const { meta } = plugin.services
  const rows = await meta.rows('post', from, request.scope)
  const keys = new Set(rows.map(({ key }) => key).filter((key) => !shown.includes(key) && !STATE_KEYS.has(key)))
  if (keys.size > 0) await meta.copy(from, to, [...keys], request.scope)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value differs from the default of new posts. */
function hasValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== undefined && value !== '' && value !== 0
}

function rawOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('raw' in value)) return undefined
  return typeof value.raw === 'string' ? value.raw : undefined
}
