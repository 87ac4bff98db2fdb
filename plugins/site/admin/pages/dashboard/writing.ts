import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { listedTypes, routeOf, type TypeData } from '../content/types.ts'

/** Maximum number of items in a panel. */
const MAX_ITEMS = 5

interface Item {
  readonly id: number
  readonly type: string
  readonly title?: { readonly raw?: string }
  readonly modified_gmt: string | null
  readonly date_gmt: string | null
}

/** Links to new posts, pages and uploads. */
export async function quickLinks(view: AdminView): Promise<PageHtml | null> {
  const { t } = view
  const links = (await writableTypes(view)).map(
    (type) =>
      html`<li>
        <a href="${view.url(`content/${type.slug}/new`)}"
          >${t('Add new: {type}', { type: t(type.labels['singular_name'] ?? type.name) })}</a
        >
      </li>`,
  )
  const upload = view.can('upload_files')
    ? html`<li><a href="${view.url('media/new')}">${t('Upload files')}</a></li>`
    : null
  return links.length === 0 && upload === null
    ? null
    : html`<ul>
        ${links} ${upload}
      </ul>`
}

/** Lists drafts and pending posts that the user can edit. */
export async function drafts(view: AdminView): Promise<PageHtml | null> {
  const items = await itemsOf(view, { status: 'draft,pending', orderby: 'modified', order: 'desc' })
  if (items === null) return null
  const write = html`<a href="${view.url('content/post/new')}">${view.t('Write a post')}</a>`
  const empty = html`<p>${view.t('No drafts.')} ${view.can('edit_posts') ? write : null}</p>`
  return listOf(view, newestFirst(items), empty, ({ modified_gmt }) => modified_gmt)
}

/** Lists scheduled posts. */
export async function scheduled(view: AdminView): Promise<PageHtml | null> {
  const items = await itemsOf(view, { status: 'future', orderby: 'date', order: 'asc' })
  if (items === null) return null
  const due = ({ date_gmt, modified_gmt }: Item) => date_gmt ?? modified_gmt
  const sorted = items.toSorted((one, other) => (due(one) ?? '').localeCompare(due(other) ?? ''))
  const empty = html`<p>
    ${view.t('No scheduled posts.')} ${view.t('Choose a future date in the editor to schedule one.')}
  </p>`
  return listOf(view, sorted, empty, due)
}

const newestFirst = (items: readonly Item[]) =>
  items.toSorted((one, other) => (other.modified_gmt ?? '').localeCompare(one.modified_gmt ?? ''))

/** Returns the viewable content types that the user can write. */
async function writableTypes(view: AdminView): Promise<TypeData[]> {
  const types = await listedTypes(view)
  return types.filter(({ viewable, capabilities }) => viewable && view.can(capabilities['edit_posts'] ?? 'edit_posts'))
}

/** Returns posts of all types that the user can edit; null if there is no such type. */
async function itemsOf(view: AdminView, filters: Readonly<Record<string, string>>): Promise<Item[] | null> {
  const types = await writableTypes(view)
  if (types.length === 0) return null
  const query = { ...filters, context: 'edit', per_page: MAX_ITEMS, _fields: 'id,type,title.raw,modified_gmt,date_gmt' }
  const found = await Promise.all(
    types.map(async (type) => {
      // Users who cannot edit posts of others see only their own.
      const isAlone = !view.can(type.capabilities['edit_others_posts'] ?? 'edit_others_posts')
      const author = isAlone ? view.user.id : undefined
      return (await view.find<Item[]>(routeOf(type), { query: { ...query, author } })) ?? []
    }),
  )
  return found.flat()
}

function listOf(
  view: AdminView,
  items: readonly Item[],
  empty: PageHtml,
  dateOf: (item: Item) => string | null,
): PageHtml {
  if (items.length === 0) return empty
  const lines = items.slice(0, MAX_ITEMS).map((item) => {
    const title = item.title?.raw || view.t('(no title)')
    return html`<li>
      <a href="${view.url(`content/${item.type}/${item.id}`)}">${title}</a> ${view.ago(dateOf(item))}
    </li>`
  })
  return html`<ul>
    ${lines}
  </ul>`
}
