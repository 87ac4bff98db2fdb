import { RequestCache } from '../../../../../kernel/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import { locksOf } from '../../../../content/editor-ajax/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { MAX_PER_PAGE } from '../../parts/list.ts'
import { routeOf, type TaxonomyData, type TypeData } from './types.ts'

/** A post of a list as the REST API returns it in the context `edit`; some types lack some fields. */
export interface Item {
  readonly id: number
  readonly title?: { readonly raw?: string; readonly rendered?: string }
  readonly slug: string
  readonly status: string
  readonly date: string | null
  readonly date_gmt: string | null
  readonly modified_gmt: string | null
  readonly link?: string
  readonly type: string
  readonly password?: string
  readonly author?: number
  readonly parent?: number
  readonly sticky?: boolean
  readonly format?: string
  readonly comment_status?: string
  /** Term IDs, by the route of the taxonomy, and fields of plugins. */
  readonly [more: string]: unknown
}

const FIELDS =
  'id,title,slug,status,date,date_gmt,modified_gmt,link,type,password,author,parent,sticky,format,comment_status'

/** Returns the fields to request for a list. @param all whether to request all fields, for columns of plugins */
export function fieldsOf(taxonomies: readonly TaxonomyData[], all = false): string | undefined {
  return all ? undefined : [FIELDS, ...taxonomies.map(({ rest_base: base }) => base)].join()
}

/** Data of other objects that a list shows. */
export interface RelatedData {
  /** Names of users by ID. */
  readonly authors: ReadonlyMap<number, string>
  /** Names of terms by ID. */
  readonly terms: ReadonlyMap<number, string>
  /** The posts of the list and their ancestors. */
  readonly above: ReadonlyMap<number, Pick<Item, 'id' | 'title' | 'parent'>>
  /** Names of the users who currently edit a post, by post ID. */
  readonly locked: ReadonlyMap<number, string>
  /** Number of comments by post ID. */
  readonly comments: ReadonlyMap<number, number>
}

/** Maximum number of ancestors that a list shows above a post, and of requests that read them. */
const MAX_ANCESTORS = 5

/** Reads the related data of a list. The number of requests does not depend on the number of posts. */
export async function readRelatedData(
  view: AdminView,
  type: TypeData,
  taxonomies: readonly TaxonomyData[],
  items: readonly Item[],
): Promise<RelatedData> {
  const scope = new RequestCache()
  const { services } = view.plugin
  const ids = items.map(({ id }) => id)
  const locks = view.plugin.has('editor-ajax') ? await locksOf(view.plugin, ids, scope) : []
  const authors = items.flatMap(({ author = 0 }) => (author > 0 ? [author] : []))
  const editors = [...locks].flatMap(([id, { user }]) => (user === view.user.id ? [] : [{ id, user }]))
  const [names, terms, above] = await Promise.all([
    authorsNamed(view, authors),
    Promise.all(taxonomies.map((taxonomy) => termsNamed(view, taxonomy, items))),
    type.hierarchical ? itemsAbove(view, type, items) : new Map<number, Item>(),
    'comments' in type.supports ? services.posts.loadAll(ids, scope) : undefined,
  ])
  const comments = new Map<number, number>()
  if ('comments' in type.supports)
    for (const id of ids) comments.set(id, (await services.posts.get(id, scope))?.comment_count ?? 0)
  return {
    authors: names,
    terms: new Map(terms.flat()),
    above,
    locked: await editorNames(view, editors),
    comments,
  }
}

/** Returns the display names of editing users, also of users whom the requesting user cannot list. */
async function editorNames(
  view: AdminView,
  editors: readonly { readonly id: number; readonly user: number }[],
): Promise<ReadonlyMap<number, string>> {
  const { users } = view.plugin.services
  const nameOf = async (user: number) => (await users.get(user, view.request.scope))?.name || view.t('Another user')
  return new Map(await Promise.all(editors.map(async ({ id, user }) => [id, await nameOf(user)] as const)))
}

async function authorsNamed(view: AdminView, ids: readonly number[]): Promise<Map<number, string>> {
  const include = [...new Set(ids)].slice(0, MAX_PER_PAGE)
  if (include.length === 0) return new Map()
  return new Map((await authorsOf(view, { include })).map(({ id, name }) => [id, name]))
}

/** A user who can write posts. */
export interface Author {
  readonly id: number
  /** As stored, with HTML entities. */
  readonly name: string
}

/** Returns the users who can write posts; empty if the requesting user cannot write. */
export async function authorsOf(view: AdminView, query: Readonly<Record<string, unknown>> = {}): Promise<Author[]> {
  const userQuery = { who: 'authors', per_page: MAX_PER_PAGE, _fields: 'id,name', ...query }
  return (await view.find<Author[]>('users', { query: userQuery })) ?? []
}

async function termsNamed(
  view: AdminView,
  taxonomy: TaxonomyData,
  items: readonly Item[],
): Promise<[id: number, name: string][]> {
  const ids = items.flatMap((item) => idsIn(item[taxonomy.rest_base]))
  const include = [...new Set(ids)].slice(0, MAX_PER_PAGE)
  if (include.length === 0) return []
  const query = { include, per_page: MAX_PER_PAGE, _fields: 'id,name' }
  const terms = await view.find<{ id: number; name: string }[]>(routeOf(taxonomy), { query })
  return (terms ?? []).map(({ id, name }) => [id, name])
}

/** Returns the term IDs of a post. */
export function idsIn(value: unknown): number[] {
  return Array.isArray(value) ? value.map(Number).filter((id) => Number.isSafeInteger(id)) : []
}

async function itemsAbove(view: AdminView, type: TypeData, items: readonly Item[]): Promise<RelatedData['above']> {
  const itemsById = new Map<number, Pick<Item, 'id' | 'title' | 'parent'>>(items.map((item) => [item.id, item]))
  let current = items
  for (let level = 0; level < MAX_ANCESTORS; level += 1) {
    const missing = current.flatMap(({ parent = 0 }) => (parent > 0 && !itemsById.has(parent) ? [parent] : []))
    const include = [...new Set(missing)].slice(0, MAX_PER_PAGE)
    if (include.length === 0) break
    const query = { include, status: 'any', context: 'edit', per_page: MAX_PER_PAGE, _fields: 'id,title,parent' }
    current = (await view.find<Item[]>(routeOf(type), { query })) ?? []
    for (const item of current) itemsById.set(item.id, item)
  }
  return itemsById
}

/** Returns the known ancestors of a post, from the top level down. */
export function pathTo(item: Pick<Item, 'parent'>, above: RelatedData['above']): Pick<Item, 'id' | 'title'>[] {
  const path: Pick<Item, 'id' | 'title'>[] = []
  let next = above.get(item.parent ?? 0)
  while (next !== undefined && path.length < MAX_ANCESTORS && !path.includes(next)) {
    path.unshift(next)
    next = above.get(next.parent ?? 0)
  }
  return path
}

/** Returns the title of a post as plain text. */
export function titleOf({ t }: AdminView, { title, id }: Pick<Item, 'title' | 'id'>): string {
  return (title?.raw ?? plainText(title?.rendered ?? '')).trim() || t('(no title, #{id})', { id })
}
