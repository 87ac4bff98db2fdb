import { addQuery } from '../../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import type { AdminView, Answer } from '../../frame/view.ts'
import type { AdminContent, ListColumn } from '../../admin.ts'
import { listHtml, pagingOf, shortened, type List } from '../../parts/list.ts'
import type { RowAction } from '../../parts/row-actions.ts'
import { inTreeOrder, wholeTree, type InTree } from '../../parts/tree.ts'
import { bulkChoices, bulkFields } from './bulk-edit.ts'
import { contentFilters, contentTabs, formatChoices, statusLabel } from './filters.ts'
import { readRelatedData, authorsOf, fieldsOf, idsIn, pathTo, titleOf, type RelatedData, type Item } from './items.ts'
import { ALL, parseListQuery, listQuery, type ListQuery } from './list-query.ts'
import { labelOf, pluralOf, routeOf, taxonomiesOf, typeOf, type TaxonomyData, type TypeData } from './types.ts'

export { actions } from './list-actions.ts'

/** Data for the cells of a list. */
interface Context {
  readonly type: TypeData
  readonly taxonomies: readonly TaxonomyData[]
  readonly around: RelatedData
}

/** Lists the posts of a content type. */
export async function show(view: AdminView): Promise<AdminContent> {
  const { t, params } = view
  const type = await typeOf(view, params['type'] ?? '')
  const taxonomies = await taxonomiesOf(view, type.slug)
  const parsedQuery = parseListQuery(view, type, taxonomies)
  const [answer, tabs, authors] = await Promise.all([
    read(view, type, taxonomies, parsedQuery),
    contentTabs(view, type, parsedQuery),
    'author' in type.supports ? authorsOf(view) : [],
  ])
  const filters = await contentFilters(view, taxonomies, parsedQuery, authors)
  const around = await readRelatedData(view, type, taxonomies, answer.data)
  const context: Context = { type, taxonomies, around }
  const inTrash = parsedQuery.part === 'trash'
  const name = pluralOf(view, type)
  const isLimited = parsedQuery.part !== ALL || parsedQuery.filters.some((filter) => view.query.get(filter))
  const creates = view.can(type.capabilities['create_posts'] ?? '')
  const newLink = html`<a class="button primary" href="${view.url(`content/${type.slug}/new`)}"
    >${view.icon('plus')}${t('Add new')}</a
  >`
  const list: List<Item & InTree> = {
    name: type.slug,
    caption: name,
    items: answer.isTree ? inTreeOrder(answer.data) : answer.data,
    idOf: ({ id }) => id,
    titleOf: (item) => titleOf(view, item),
    columns: columnsOf(view, context),
    empty: isLimited ? t('No items match these filters.') : t('Nothing here yet.'),
    ...(creates && !isLimited && { nextStep: newLink }),
    bulk: bulkChoices(view, type, inTrash),
    ...(!inTrash && { bulkFields: bulkFields(view, type, taxonomies, authors) }),
    choosable: (item) => mayEdit(view, item),
    rowActions: (item) => rowActionsOf(view, context, item),
    orderby: parsedQuery.orderby,
    order: parsedQuery.order,
    paging: pagingOf(view, answer),
  }
  return {
    title: name,
    headingActions: creates ? newLink : html``,
    main: html`${tabs}${filters}${await listHtml(view, list)}`,
    scripts: ['core/lists.js', 'core/partial.js'],
    styles: ['core/lists.css'],
  }
}

/** Reads a page of the list; for a hierarchical type whose posts fit on one page, reads all posts as a tree. */
async function read(
  view: AdminView,
  type: TypeData,
  taxonomies: readonly TaxonomyData[],
  parsedQuery: ListQuery,
): Promise<Answer<Item[]> & { isTree: boolean }> {
  const all = view.plugin.services.admin.columns(type.slug).length > 0
  const query = { ...listQuery(view, parsedQuery), _fields: fieldsOf(taxonomies, all) }
  const readPosts = (overrides: Readonly<Record<string, unknown>>) =>
    view.ask<Item[]>('GET', routeOf(type), { query: { ...query, ...overrides } })
  const isPlain =
    type.hierarchical && parsedQuery.part === ALL && parsedQuery.filters.every((name) => !view.query.get(name))
  return wholeTree(view, isPlain, readPosts)
}

function mayEdit(view: AdminView, item: Item, capability = 'edit_post'): boolean {
  const { id, type, status, author = 0, parent = 0 } = item
  return view.can(capability, { id, type, status, author_id: author, parent_id: parent })
}

function columnsOf(view: AdminView, { type, taxonomies, around }: Context): ListColumn<Item & InTree>[] {
  const { plainPages: pages } = view.plugin.services
  const supports = (feature: string) => feature in type.supports
  const columns: ListColumn<Item & InTree>[] = [
    { name: 'title', label: 'Title', orderby: 'title', cell: (item) => titleCell(view, type, around, item) },
  ]
  if (supports('author')) {
    columns.push({
      name: 'author',
      label: 'Author',
      orderby: 'author',
      cell: ({ author = 0 }) => {
        const name = around.authors.get(author)
        if (name === undefined) return author === 0 ? '–' : `#${author}`
        return html`<a href="${view.here({ author, cursor: undefined })}">${pages.stored(shortened(name))}</a>`
      },
    })
  }
  for (const taxonomy of taxonomies.filter(({ visibility }) => visibility.show_admin_column)) {
    columns.push({
      name: taxonomy.slug,
      label: labelOf(taxonomy, 'name'),
      cell: (item) => {
        const terms = idsIn(item[taxonomy.rest_base]).map((id) => {
          const href = view.here({ [taxonomy.rest_base]: id, cursor: undefined })
          return html`<a href="${href}">${pages.stored(shortened(around.terms.get(id) ?? `#${id}`))}</a>`
        })
        return html`<span class="terms">${terms}</span>`
      },
    })
  }
  if (supports('comments')) {
    columns.push({
      name: 'comments',
      label: 'Comments',
      cell: ({ id }) => {
        const number = around.comments.get(id) ?? 0
        return view.can('moderate_comments')
          ? html`<a href="${view.url('comments', { post: id })}">${number}</a>`
          : number
      },
    })
  }
  columns.push({ name: 'date', label: 'Date', orderby: 'date', cell: (item) => dateCell(view, item) })
  return columns
}

function titleCell(view: AdminView, type: TypeData, around: RelatedData, item: Item & InTree): PageHtml {
  const { t } = view
  const title = shortened(titleOf(view, item))
  const name =
    mayEdit(view, item) && item.status !== 'trash'
      ? html`<a href="${view.plugin.services.admin.editUrl(type.slug, item.id)}" class="row-title" dir="auto"
          >${title}</a
        >`
      : html`<span class="row-title" dir="auto">${title}</span>`
  const path =
    item.depth === undefined
      ? pathTo(item, around.above).map(
          (above) => html`<span class="above" dir="auto">${shortened(titleOf(view, above), 60)} › </span>`,
        )
      : html`<span class="depth" aria-hidden="true">${'— '.repeat(item.depth)}</span>`
  const locked = around.locked.get(item.id)
  const badges = [
    ...(item.status === 'publish' ? [] : [statusLabel(view, item.status)]),
    ...(item.password ? [t('Password protected')] : []),
    ...(item.sticky === true ? [t('Sticky')] : []),
    ...(item.format && item.format !== 'standard'
      ? [formatChoices(view).find(({ value }) => value === item.format)?.label ?? item.format]
      : []),
  ].map((label) => html` <span class="badge">${label}</span>`)
  const lock =
    locked === undefined
      ? null
      : html` <span class="badge">${t('{name} is currently editing', { name: plainText(locked) })}</span>`
  return html`${path}${name}${badges}${lock}`
}

function dateCell(view: AdminView, { status, date_gmt: published, modified_gmt: modified }: Item): PageHtml {
  const { t } = view
  const date = (gmt: string | null) => (gmt === null ? html`–` : view.date(gmt))
  if (status === 'publish' || status === 'private') return date(published ?? modified)
  if (status === 'future') return html`${t('post|Scheduled for')} ${date(published ?? modified)}`
  return html`${t('Last modified')} ${date(modified)}`
}

function rowActionsOf(view: AdminView, { type }: Context, item: Item): RowAction[] {
  const { t, plugin } = view
  const { id, status, link = '' } = item
  const path = `${routeOf(type)}/${id}`
  const edits = mayEdit(view, item)
  const deletes = mayEdit(view, item, 'delete_post')
  const forGood = t('Permanently delete “{title}”? This can’t be undone.', {
    title: shortened(titleOf(view, item), 60),
  })
  if (status === 'trash') {
    const restored = { method: 'POST', path, body: { status: 'draft' }, done: t('Restored as draft.') } as const
    return [
      ...(edits ? [{ label: t('Restore'), action: 'restore', quick: restored }] : []),
      ...(deletes ? [{ label: t('Delete permanently'), action: 'delete', confirm: forGood }] : []),
    ]
  }
  const isOpen = status === 'publish' || status === 'private'
  const blocks = blockEditorUrl(view, type, id)
  const seen = type.viewable && /^https?:/.test(link)
  const trash = { method: 'DELETE', path, done: t('Moved to trash.'), undo: { status } } as const
  return [
    ...(edits ? [{ label: t('Edit'), href: plugin.services.admin.editUrl(type.slug, id) }] : []),
    ...(edits && blocks !== null ? [{ label: t('Edit as blocks'), href: blocks }] : []),
    ...(seen && isOpen ? [{ label: t('View'), href: link }] : []),
    ...(seen && !isOpen && edits ? [{ label: t('action|Preview'), href: addQuery(link, { preview: 'true' }) }] : []),
    ...(edits && view.can(type.capabilities['create_posts'] ?? '')
      ? [{ label: t('Duplicate'), action: 'duplicate' }]
      : []),
    ...(type.hierarchical ? [{ label: t('View children'), href: view.url(view.path, { parent: id }) }] : []),
    ...(deletes ? [{ label: t('action|Trash'), action: 'trash', quick: trash }] : []),
  ]
}

/** Returns the URL of the block editor for a post; null if it is not installed. */
function blockEditorUrl({ plugin }: AdminView, { slug, supports }: TypeData, id: number): string | null {
  if (!('editor' in supports) || !plugin.has('editor')) return null
  const { editor: blockEditor } = plugin.services
  return blockEditor.installed ? blockEditor.urlOf(slug, id) : null
}
