import { RestError, type SitePage } from '../../../../../kernel/index.ts'
import { html } from '../../../../library/markup/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import { errors } from '../../errors.ts'
import type { Notice } from '../../frame/notice.ts'
import { noticeHtml } from '../../frame/page.ts'
import type { AdminView, Answer } from '../../frame/view.ts'
import type { AdminContent, ListColumn } from '../../admin.ts'
import { changeEach, changesNotice, chosenIds } from '../../parts/changes.ts'
import { filtersHtml } from '../../parts/filters.ts'
import { listHtml, MAX_PER_PAGE, pageQuery, pagingOf, shortened, type List } from '../../parts/list.ts'
import { rowActionOf, type RowAction } from '../../parts/row-actions.ts'
import { inTreeOrder, wholeTree, type InTree } from '../../parts/tree.ts'
import { labelOf, routeOf, taxonomyOf, type TaxonomyData } from '../content/types.ts'
import { bodyOf, NO_TERM, sentFields, termErrors, termFields, type TermData, type TermFields } from './term-form.ts'

/** Lists the terms of a taxonomy, with a form that adds one. */
export async function show(view: AdminView): Promise<AdminContent> {
  return renderPage(view, await taxonomyOf(view, view.params['taxonomy'] ?? ''))
}

export const actions = {
  /** Adds a term. */
  async save(view: AdminView): Promise<SitePage | AdminContent> {
    const taxonomy = await taxonomyOf(view, view.params['taxonomy'] ?? '')
    const fields = sentFields(view)
    try {
      const { data } = await view.ask<TermData>('POST', routeOf(taxonomy), { body: bodyOf(taxonomy, fields) })
      const text = view.t('“{name}” added.', { name: shortened(plainText(data.name), 60) })
      return view.redirect(view.here({ cursor: undefined }), { kind: 'done', text })
    } catch (error) {
      if (!(error instanceof RestError)) throw error
      return { ...(await renderPage(view, taxonomy, fields, error)), status: error.status }
    }
  },
  delete: (view: AdminView) => removeTerms(view, chosenIds(view)),
  async row(view: AdminView): Promise<SitePage> {
    const { action, id } = rowActionOf(view)
    if (action !== 'delete') throw errors.admin_action_unknown()
    return removeTerms(view, chosenIds(view, [id]))
  },
}

async function removeTerms(view: AdminView, ids: readonly number[]): Promise<SitePage> {
  const taxonomy = await taxonomyOf(view, view.params['taxonomy'] ?? '')
  return view.redirect(view.here(), await deleteTerms(view, taxonomy, ids))
}

/** Deletes terms permanently, one by one. */
export async function deleteTerms(view: AdminView, taxonomy: TaxonomyData, ids: readonly number[]): Promise<Notice> {
  const query = { include: ids, per_page: MAX_PER_PAGE, _fields: 'id,name' }
  const found = ids.length === 0 ? [] : ((await view.find<TermData[]>(routeOf(taxonomy), { query })) ?? [])
  const names = new Map(found.map(({ id, name }) => [id, plainText(name)]))
  const changes = await changeEach(
    ids,
    (id) => names.get(id) ?? `#${id}`,
    (id) => view.ask('DELETE', `${routeOf(taxonomy)}/${id}`, { query: { force: true } }),
  )
  return changesNotice(view, changes, (number) =>
    view.count(number, '1 item permanently deleted.', '{count} items permanently deleted.'),
  )
}

const ORDERS = ['name', 'slug', 'count']

async function renderPage(
  view: AdminView,
  taxonomy: TaxonomyData,
  fields: TermFields = NO_TERM,
  error: RestError | null = null,
): Promise<AdminContent> {
  const { t, query } = view
  const requestedOrderby = query.get('orderby') ?? ''
  const orderby = ORDERS.includes(requestedOrderby) ? requestedOrderby : 'name'
  const order = query.get('order') === 'desc' ? 'desc' : 'asc'
  const search = query.get('search')?.trim() || undefined
  const parent = query.get('parent') || undefined
  const readTerms = (overrides: Readonly<Record<string, unknown>>): Promise<Answer<TermData[]>> =>
    view.ask('GET', routeOf(taxonomy), {
      query: { context: 'edit', ...pageQuery(view), orderby, order, search, parent, ...overrides },
    })
  const isPlain = taxonomy.hierarchical && search === undefined && parent === undefined
  const answer = await wholeTree(view, isPlain, readTerms)
  const above = answer.isTree ? new Map<number, TermData>() : await termsAbove(view, taxonomy, answer.data)
  const list: List<TermData & InTree> = {
    name: taxonomy.slug,
    caption: labelOf(taxonomy, 'name'),
    items: answer.isTree ? inTreeOrder(answer.data) : answer.data,
    idOf: ({ id }) => id,
    titleOf: ({ name }) => plainText(name),
    columns: await columnsOf(view, taxonomy, above),
    empty: search === undefined ? t('Nothing here yet.') : t('No results for this search.'),
    bulk: [{ value: 'delete', label: t('Delete') }],
    rowActions: (term) => rowActionsOf(view, taxonomy, term),
    orderby,
    order,
    paging: pagingOf(view, answer),
  }
  const parents = parent === undefined ? [] : [{ name: 'parent', label: t('Parent'), choices: [] }]
  const wrong = error === null ? {} : termErrors(view, error)
  const refused =
    error === null || Object.keys(wrong).length > 0 ? null : noticeHtml({ kind: 'error', text: t(error.message) })
  return {
    title: labelOf(taxonomy, 'name'),
    main: html`<div class="columns">
      <div>${filtersHtml(view, { search: t('Search'), fields: parents })}${await listHtml(view, list)}</div>
      <section>
        <h2>${labelOf(taxonomy, 'add_new_item')}</h2>
        ${refused}
        <form method="post" action="${view.here()}">
          ${view.formFields()} ${await termFields(view, taxonomy, fields, { wrong })}
          <button type="submit" class="primary">${t('Add')}</button>
        </form>
      </section>
    </div>`,
    scripts: ['core/lists.js', 'core/partial.js'],
    styles: ['core/lists.css'],
  }
}

/** Reads the direct parents of the terms on a page. */
async function termsAbove(
  view: AdminView,
  taxonomy: TaxonomyData,
  terms: readonly TermData[],
): Promise<ReadonlyMap<number, TermData>> {
  const ids = [...new Set(terms.flatMap(({ parent = 0 }) => (parent > 0 ? [parent] : [])))]
  if (ids.length === 0) return new Map()
  const query = { include: ids, per_page: MAX_PER_PAGE, _fields: 'id,name' }
  const found = (await view.find<TermData[]>(routeOf(taxonomy), { query })) ?? []
  return new Map(found.map((term) => [term.id, term]))
}

async function columnsOf(
  view: AdminView,
  taxonomy: TaxonomyData,
  above: ReadonlyMap<number, TermData>,
): Promise<ListColumn<TermData & InTree>[]> {
  const { plainPages: pages } = view.plugin.services
  const [type] = taxonomy.types
  return [
    {
      name: 'name',
      label: 'Name',
      orderby: 'name',
      cell: ({ id, name, parent = 0, depth = 0 }) => {
        const parentName = above.get(parent)?.name
        const path =
          parentName === undefined
            ? null
            : html`<span class="above">${pages.stored(shortened(parentName, 60))} › </span>`
        const mark = depth === 0 ? null : html`<span class="depth" aria-hidden="true">${'— '.repeat(depth)}</span>`
        const href = view.url(`terms/${taxonomy.slug}/${id}`)
        return html`${path}${mark}<a href="${href}" class="row-title" dir="auto">${pages.stored(shortened(name))}</a>`
      },
    },
    { name: 'description', label: 'Description', cell: ({ description }) => shortened(description) || '–' },
    { name: 'slug', label: 'Slug', orderby: 'slug', cell: ({ slug }) => shortened(slug) },
    {
      name: 'count',
      label: 'Count',
      orderby: 'count',
      cell: ({ id, count }) =>
        type === undefined
          ? count
          : html`<a href="${view.url(`content/${type}`, { [taxonomy.rest_base]: id })}">${count}</a>`,
    },
  ]
}

function rowActionsOf(view: AdminView, taxonomy: TaxonomyData, { id, name, link }: TermData): RowAction[] {
  const { t } = view
  const subject = { id, taxonomy: taxonomy.slug }
  const confirm = t('Delete “{name}”? It will be removed from its posts, and its children move up one level.', {
    name: shortened(plainText(name), 60),
  })
  const path = `${routeOf(taxonomy)}/${id}?force=true`
  const quick = { method: 'DELETE', path, done: t('Permanently deleted.') } as const
  return [
    ...(view.can('edit_term', subject) ? [{ label: t('Edit'), href: view.url(`terms/${taxonomy.slug}/${id}`) }] : []),
    ...(/^https?:/.test(link) ? [{ label: t('View'), href: link }] : []),
    ...(taxonomy.hierarchical ? [{ label: t('View children'), href: view.url(view.path, { parent: id }) }] : []),
    ...(view.can('delete_term', subject) ? [{ label: t('Delete'), action: 'delete', confirm, quick }] : []),
  ]
}
