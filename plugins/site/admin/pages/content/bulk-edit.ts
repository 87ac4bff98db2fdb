import { HeaderMap, RestError } from '../../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import { errors } from '../../errors.ts'
import type { AdminView } from '../../frame/view.ts'
import { selectField, textField, type Choice } from '../../parts/fields.ts'
import { MAX_PER_PAGE, shortened } from '../../parts/list.ts'
import { formatChoices, statusLabel } from './filters.ts'
import { idsIn, type Author, type Item } from './items.ts'
import { labelOf, routeOf, type TaxonomyData, type TypeData } from './types.ts'

/** Returns the bulk actions for posts. */
export function bulkChoices(view: AdminView, type: TypeData, inTrash: boolean): Choice[] {
  const { t } = view
  if (inTrash) {
    return [
      { value: 'restore', label: t('Restore') },
      { value: 'delete', label: t('Delete permanently') },
    ]
  }
  return [
    { value: 'edit', label: t('Edit selected…') },
    ...(view.can(type.capabilities['publish_posts'] ?? '') ? [{ value: 'publish', label: t('Publish') }] : []),
    { value: 'draft', label: t('Move to drafts') },
    { value: 'trash', label: t('Move to trash') },
  ]
}

/** Statuses that a bulk edit can set. */
const STATUSES = ['publish', 'draft', 'pending', 'private']

/** Renders the fields of the bulk edit. Empty fields leave the posts unchanged. */
export function bulkFields(
  view: AdminView,
  type: TypeData,
  taxonomies: readonly TaxonomyData[],
  authors: readonly Author[],
): PageHtml {
  const { t } = view
  const supports = (feature: string) => feature in type.supports
  const mayOthers = view.can(type.capabilities['edit_others_posts'] ?? '')
  const mayPublish = view.can(type.capabilities['publish_posts'] ?? '')
  const stays: Choice = { value: '', label: t('— No change —') }
  const choose = (name: string, label: string, choices: readonly Choice[]) =>
    selectField({ name, label, value: '', choices: [stays, ...choices] })
  const statuses = STATUSES.filter((status) => mayPublish || status === 'draft' || status === 'pending')
  return html`<details class="bulk-edit">
    <summary>${t('Bulk edit')}</summary>
    <div class="filters">
      ${choose(
        'edit-status',
        t('Status'),
        statuses.map((status) => ({ value: status, label: statusLabel(view, status) })),
      )}
      ${
        mayOthers && authors.length > 0
          ? choose(
              'edit-author',
              t('Author'),
              authors.map(({ id, name }) => ({ value: String(id), label: shortened(plainText(name)) })),
            )
          : null
      }
      ${
        supports('comments')
          ? choose('edit-comments', t('Comments'), [
              { value: 'open', label: t('Allow comments') },
              { value: 'closed', label: t('Don’t allow comments') },
            ])
          : null
      }
      ${
        type.slug === 'post' && mayOthers && mayPublish
          ? choose('edit-sticky', t('Sticky'), [
              { value: '1', label: t('Yes') },
              { value: '0', label: t('No') },
            ])
          : null
      }
      ${supports('post-formats') ? choose('edit-format', t('Format'), formatChoices(view)) : null}
      ${taxonomies.map((taxonomy) => termFields(view, taxonomy))}
    </div>
  </details>`
}

function termFields({ t }: AdminView, taxonomy: TaxonomyData): PageHtml {
  const name = labelOf(taxonomy, 'name')
  const hint = t('Separate with commas')
  return html`${textField({ name: `add-${taxonomy.rest_base}`, label: t('Add {name}', { name }), value: '', hint })}
  ${textField({ name: `remove-${taxonomy.rest_base}`, label: t('Remove {name}', { name }), value: '', hint })}`
}

/** The changes of a bulk edit. */
export interface BulkEdit {
  /** Request body for each post. */
  readonly body: Readonly<Record<string, unknown>>
  /** Term IDs to add and to remove, by the route of their taxonomy. */
  readonly terms: ReadonlyMap<string, { readonly add: readonly number[]; readonly remove: readonly number[] }>
}

/**
 * Parses the fields of a bulk edit; null if all of them are empty. Creates missing tags.
 * @throws admin_no_such_term; RestError if the user cannot create a term
 */
export async function bulkEditOf(view: AdminView, taxonomies: readonly TaxonomyData[]): Promise<BulkEdit | null> {
  const body: Record<string, unknown> = {}
  const addField = (field: string, name: string, read: (text: string) => unknown = (text) => text) => {
    const text = view.text(field)
    if (text !== '') body[name] = read(text)
  }
  addField('edit-status', 'status')
  addField('edit-author', 'author', Number)
  addField('edit-comments', 'comment_status')
  addField('edit-sticky', 'sticky', (text) => text === '1')
  addField('edit-format', 'format')
  const terms = new Map<string, { add: number[]; remove: number[] }>()
  for (const taxonomy of taxonomies) {
    const { rest_base: base, hierarchical } = taxonomy
    const add = await termsNamed(view, taxonomy, namesIn(view.text(`add-${base}`)), !hierarchical)
    const remove = await termsNamed(view, taxonomy, namesIn(view.text(`remove-${base}`)), false)
    if (add.length + remove.length > 0) terms.set(base, { add, remove })
  }
  return Object.keys(body).length + terms.size === 0 ? null : { body, terms }
}

/** Maximum number of names in one field; further names are ignored. */
const MAX_NAMES = 20

function namesIn(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  return [...new Set(names.filter((name) => name !== ''))].slice(0, MAX_NAMES)
}

async function termsNamed(
  view: AdminView,
  taxonomy: TaxonomyData,
  names: readonly string[],
  create: boolean,
): Promise<number[]> {
  const ids: number[] = []
  for (const name of names) {
    const existingId = await findTerm(view, taxonomy, name)
    if (existingId === null && !create) throw errors.admin_no_such_term(shortened(name, 60))
    ids.push(existingId ?? (await createTerm(view, taxonomy, name)))
  }
  return ids
}

async function findTerm(view: AdminView, taxonomy: TaxonomyData, name: string): Promise<number | null> {
  // Special characters are stored as HTML entities, so this searches for the longest part without them.
  const [search = ''] = name.split(/[&<>"']/).sort((one, other) => other.length - one.length)
  const query = { search: search.trim() || undefined, per_page: MAX_PER_PAGE, _fields: 'id,name' }
  const { data } = await view.ask<{ id: number; name: string }[]>('GET', routeOf(taxonomy), { query })
  const same = (text: string) => text.normalize().toLowerCase()
  return data.find((term) => same(plainText(term.name)) === same(name))?.id ?? null
}

async function createTerm(view: AdminView, taxonomy: TaxonomyData, name: string): Promise<number> {
  try {
    return (await view.ask<{ id: number }>('POST', routeOf(taxonomy), { body: { name } })).data.id
  } catch (error) {
    // A term with another name has the same slug: it is used.
    const existingId = error instanceof RestError && error.code === 'term_exists' ? error.data['term_id'] : undefined
    if (typeof existingId === 'number') return existingId
    throw error
  }
}

/** Applies a bulk edit to one post. @throws RestError the error of the REST API */
export async function applyEdit(view: AdminView, type: TypeData, id: number, { body, terms }: BulkEdit): Promise<void> {
  const path = `${routeOf(type)}/${id}`
  if (terms.size === 0) {
    await view.ask('POST', path, { body })
    return
  }
  const query = { context: 'edit', _fields: ['modified_gmt', ...terms.keys()].join() }
  const { data } = await view.ask<Item>('GET', path, { query })
  const changed = [...terms].map(([base, { add, remove }]): [string, number[]] => {
    const currentIds = idsIn(data[base])
    return [base, [...new Set([...currentIds, ...add])].filter((term) => !remove.includes(term))]
  })
  // Otherwise this request would remove terms that another user adds in the meantime. With the header it fails (412).
  const headers = new HeaderMap()
  if (data.modified_gmt !== null) headers.set('If-Unmodified-Since', new Date(`${data.modified_gmt}Z`).toUTCString())
  await view.ask('POST', path, { body: { ...body, ...Object.fromEntries(changed) }, headers })
}
