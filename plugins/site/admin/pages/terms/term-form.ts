import type { RestError } from '../../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { selectField, textArea, textField, type Choice } from '../../parts/fields.ts'
import { MAX_PER_PAGE, shortened } from '../../parts/list.ts'
import { errorsByPath } from '../../parts/schema-fields.ts'
import { inTreeOrder } from '../../parts/tree.ts'
import { routeOf, type TaxonomyData } from '../content/types.ts'

/** A term as the REST API returns it in the context `edit`. */
export interface TermData {
  readonly id: number
  /** With HTML entities. */
  readonly name: string
  readonly slug: string
  readonly description: string
  readonly count: number
  readonly parent?: number
  readonly link: string
  readonly [more: string]: unknown
}

/** Values of the term fields, as text. */
export interface TermFields {
  readonly name: string
  readonly slug: string
  readonly parent: string
  readonly description: string
}

export const NO_TERM: TermFields = { name: '', slug: '', parent: '0', description: '' }

/** Returns the stored field values of a term. */
export function fieldsOfTerm({ name, slug, parent = 0, description }: TermData): TermFields {
  return { name: plainText(name), slug, parent: String(parent), description }
}

/** Returns the submitted field values. */
export function sentFields(view: AdminView): TermFields {
  return {
    name: view.text('name'),
    slug: view.text('slug'),
    parent: view.text('parent') || '0',
    description: view.text('description').replaceAll('\r\n', '\n'),
  }
}

/** Returns the request body for the REST API. */
export function bodyOf({ hierarchical }: TaxonomyData, fields: Partial<TermFields>): Record<string, unknown> {
  const { parent, ...body } = fields
  return { ...body, ...(hierarchical && parent !== undefined && { parent: Number(parent) }) }
}

/**
 * Renders the fields of a term form.
 * @param own ID of the term; null for a new term
 * @param wrong error messages by field name
 */
export async function termFields(
  view: AdminView,
  taxonomy: TaxonomyData,
  fields: TermFields,
  { own = null, wrong = {} }: { own?: number | null; wrong?: Readonly<Record<string, string>> } = {},
): Promise<PageHtml> {
  const { t } = view
  const parents = taxonomy.hierarchical ? await parentChoices(view, taxonomy, fields, own) : null
  return html`
    ${textField({ name: 'name', label: t('Name'), value: fields.name, required: true, error: wrong['name'] })}
    ${textField({
      name: 'slug',
      label: t('Slug'),
      value: fields.slug,
      hint: t('The URL-friendly version of the name. Leave empty to generate it.'),
      error: wrong['slug'],
    })}
    ${
      parents === null
        ? null
        : selectField({
            name: 'parent',
            label: t('Parent'),
            value: fields.parent,
            choices: parents,
            error: wrong['parent'],
          })
    }
    ${textArea({
      name: 'description',
      label: t('Description'),
      value: fields.description,
      error: wrong['description'],
    })}
  `
}

/** Returns the messages of a REST error by field name. */
export function termErrors({ t }: AdminView, error: RestError): Readonly<Record<string, string>> {
  return error.code === 'term_exists' ? { name: t(error.message) } : errorsByPath(error)
}

/** Returns the possible parents: excludes the term itself and its descendants. */
async function parentChoices(
  view: AdminView,
  taxonomy: TaxonomyData,
  { parent }: TermFields,
  own: number | null,
): Promise<Choice[]> {
  const query = { per_page: MAX_PER_PAGE, orderby: 'name', _fields: 'id,name,parent' }
  const terms = (await view.find<TermData[]>(routeOf(taxonomy), { query })) ?? []
  const below = new Set(own === null ? [] : [own])
  const ordered = inTreeOrder(terms)
  for (const { id, parent: above = 0 } of ordered) if (below.has(above)) below.add(id)
  const choices = ordered
    .filter(({ id }) => !below.has(id))
    .map(({ id, name, depth }) => ({
      value: String(id),
      label: `${'— '.repeat(depth)}${shortened(plainText(name))}`,
    }))
  const isThere = parent === '0' || choices.some(({ value }) => value === parent)
  const none = { value: '0', label: view.t('No parent') }
  return [none, ...(isThere ? [] : [{ value: parent, label: `#${parent}` }]), ...choices]
}
