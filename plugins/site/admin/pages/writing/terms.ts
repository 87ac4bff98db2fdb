import { RestError } from '../../../../../kernel/index.ts'
import { html, PageHtml } from '../../../../library/markup/index.ts'
import type { Taxonomy } from '../../../../content/taxonomies/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { choiceField, field, common, textField, type Choice } from '../../parts/fields.ts'
import { inTreeOrder } from '../../parts/tree.ts'
import { routeOf } from '../content/types.ts'
import type { Draft } from './draft.ts'

interface Term {
  readonly id: number
  readonly name: string
  readonly parent?: number
}

/** Maximum number of terms in a list; a search finds the others. */
const MAX_TERMS = 100
/** Maximum number of names in one field; further names are ignored. */
const MAX_NAMES = 100

/** Renders the terms of a post: checkboxes for hierarchical taxonomies, a text field for others. */
export async function termsField(
  view: AdminView,
  taxonomy: Taxonomy,
  draft: Draft,
  error: string | undefined,
): Promise<PageHtml> {
  const { t } = view
  const { rest_base: base, hierarchical, labels } = taxonomy
  const label = view.t(labels['name'] ?? taxonomy.name)
  const chosen = draft.terms[base] ?? []
  const disabled = !view.can(taxonomy.capabilities.assign_terms)
  if (!hierarchical) {
    const value =
      draft.names[base] ??
      new PageHtml(
        (await named(view, taxonomy, chosen))
          .map(({ name }) => view.plugin.services.plainPages.stored(name).text)
          .join(', '),
      )
    const options = {
      name: `names-${base}`,
      label,
      hint: t('Separate with commas.'),
      error,
      disabled,
      attributes: html` data-suggest="${routeOf(taxonomy)}" autocomplete="off"`,
    }
    return field(options, html`<input type="text" value="${value}" ${common(options)} />`)
  }
  const { data: first, headers } = await view.ask<Term[]>('GET', routeOf(taxonomy), {
    query: { per_page: MAX_TERMS, _fields: 'id,name,parent' },
  })
  const missing = chosen.filter((id) => !first.some((term) => term.id === id))
  const terms = [...first, ...(await named(view, taxonomy, missing))]
  const isCut = Number(headers.get(view.plugin.branding.header('Total')) ?? 0) > first.length
  const choices = inTreeOrder(terms).map(({ id, name, depth }): Choice => ({
    value: String(id),
    label: `${'– '.repeat(depth)}${plain(name)}`,
    disabled,
  }))
  const list = choiceField({ name: `terms-${base}`, label, values: chosen.map(String), choices, many: true, error })
  const more = isCut ? html` data-route="${routeOf(taxonomy)}"` : null
  const canCreate = view.can(taxonomy.capabilities.edit_terms)
  const create = canCreate
    ? textField({ name: `names-${base}`, label: t('Add new (separate with commas)'), value: draft.names[base] ?? '' })
    : null
  // Submits an empty list if no box is checked. Without the field, the terms would stay unchanged.
  const none = disabled ? null : html`<input type="hidden" name="terms-${base}[]" value="" />`
  return html`<div class="terms" data-filter-list ${more}>${none}${list}${create}</div>`
}

/** Returns the term IDs of a draft, and creates terms whose names do not exist. @throws RestError */
export async function termIds(view: AdminView, taxonomy: Taxonomy, draft: Draft): Promise<readonly number[] | null> {
  const { rest_base: base, hierarchical } = taxonomy
  const names = draft.names[base]
  const selectedIds = draft.terms[base] ?? []
  if (names === undefined) return Object.hasOwn(draft.terms, base) ? selectedIds : null
  const uniqueNames = [...new Set(names.split(',').map((name) => name.trim()))].filter((name) => name !== '')
  const ids = hierarchical ? [...selectedIds] : []
  for (const name of uniqueNames.slice(0, MAX_NAMES)) ids.push(await idOf(view, taxonomy, name))
  return [...new Set(ids)]
}

async function idOf(view: AdminView, taxonomy: Taxonomy, name: string): Promise<number> {
  const route = routeOf(taxonomy)
  const { data } = await view.ask<Term[]>('GET', route, {
    query: { search: name, per_page: MAX_TERMS, _fields: 'id,name' },
  })
  const existing = data.find((term) => plain(term.name).toLowerCase() === name.toLowerCase())
  if (existing !== undefined) return existing.id
  try {
    return (await view.ask<Term>('POST', route, { body: { name } })).data.id
  } catch (error) {
    const there = error instanceof RestError && error.code === 'term_exists' ? error.data['term_id'] : null
    if (typeof there === 'number') return there
    throw error
  }
}

async function named(view: AdminView, taxonomy: Taxonomy, ids: readonly number[]): Promise<Term[]> {
  if (ids.length === 0) return []
  const query = { include: ids.slice(0, MAX_TERMS), per_page: MAX_TERMS, _fields: 'id,name,parent' }
  return (await view.ask<Term[]>('GET', routeOf(taxonomy), { query })).data
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** Decodes the HTML entities of a stored name. */
export function plain(stored: string): string {
  return stored.replace(/&(?:#0?(\d{1,6})|(amp|lt|gt|quot));/g, (whole, code?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole
    return Number(code) > 0x10ffff ? whole : String.fromCodePoint(Number(code))
  })
}
