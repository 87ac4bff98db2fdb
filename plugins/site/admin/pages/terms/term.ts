import { RestError, type HeaderMap, type SitePage } from '../../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { plainText } from '../../../../rendering/html/index.ts'
import { noticeHtml } from '../../frame/page.ts'
import type { AdminView } from '../../frame/view.ts'
import type { AdminContent } from '../../admin.ts'
import { totalOf } from '../../parts/filters.ts'
import { shortened } from '../../parts/list.ts'
import { shownMeta } from '../../parts/locked-meta.ts'
import { formChanges, isOvertaken, lostErrors, shownValues, withoutLoss } from '../../parts/lost-updates.ts'
import { checkPanels, openPanels, panelBoxes } from '../../parts/panels.ts'
import { routeSchemas } from '../../parts/route-schema.ts'
import { schemaFields, schemaValues, type Schemas, type Values } from '../../parts/schema-fields.ts'
import { labelOf, routeOf, taxonomyOf, type TaxonomyData } from '../content/types.ts'
import { deleteTerms } from './list.ts'
import {
  bodyOf,
  fieldsOfTerm,
  sentFields,
  termErrors,
  termFields,
  type TermData,
  type TermFields,
} from './term-form.ts'

/** The page that edits and deletes a term. */
export async function show(view: AdminView): Promise<AdminContent> {
  const { taxonomy, term } = await readTerm(view)
  return renderPage(view, taxonomy, term)
}

export const actions = {
  async save(view: AdminView): Promise<SitePage | AdminContent> {
    const { taxonomy, term } = await readTerm(view)
    return withoutLoss(view, { path: routeTo(taxonomy, term), query: { context: 'edit' } }, (headers) =>
      save(view, headers),
    )
  },
  async delete(view: AdminView): Promise<SitePage> {
    const { taxonomy, term } = await readTerm(view)
    const notice = await deleteTerms(view, taxonomy, [term.id])
    return view.redirect(notice.kind === 'done' ? view.url(`terms/${taxonomy.slug}`) : view.here(), notice)
  },
}

async function save(view: AdminView, headers: HeaderMap): Promise<SitePage | AdminContent> {
  const { t } = view
  const { taxonomy, term } = await readTerm(view)
  const fields = sentFields(view)
  const { changed, lost } = formChanges(view, { ...fields }, { ...fieldsOfTerm(term) })
  const meta = schemaValues(view, { schemas: await metaSchemas(view, taxonomy), name: 'meta' }, view.form['meta'])
  const wrong = { ...lostErrors(view, lost), ...meta.errors }
  if (Object.keys(wrong).length > 0) {
    // The page contains the current values as initial values, so submitting it again overwrites the other user's
    // changes.
    return { ...(await renderPage(view, taxonomy, term, { fields, meta: meta.values, wrong })), status: 409 }
  }
  const refused = await checkPanels(view, taxonomy.slug, term)
  if (Object.keys(refused).length > 0) {
    const message = Object.values(refused).join(' ')
    return { ...(await renderPage(view, taxonomy, term, { fields, meta: meta.values, message })), status: 400 }
  }
  const body = { ...bodyOf(taxonomy, changed), ...(Object.keys(meta.values).length > 0 && { meta: meta.values }) }
  try {
    const { data } = await view.ask<TermData>('POST', routeTo(taxonomy, term), { body, headers })
    for (const panel of openPanels(view, taxonomy.slug)) await panel.save?.(view, data, view.form)
    const text = t('“{name}” updated.', { name: shortened(plainText(data.name), 60) })
    return view.redirect(view.url(view.path), { kind: 'done', text })
  } catch (error) {
    if (!(error instanceof RestError) || isOvertaken(error)) throw error
    const refused = { fields, meta: meta.values, wrong: termErrors(view, error), message: error.message }
    return { ...(await renderPage(view, taxonomy, term, refused)), status: error.status }
  }
}

async function readTerm(view: AdminView): Promise<{ taxonomy: TaxonomyData; term: TermData }> {
  const taxonomy = await taxonomyOf(view, view.params['taxonomy'] ?? '')
  const path = `${routeOf(taxonomy)}/${Number.parseInt(view.params['id'] ?? '', 10) || 0}`
  const { data } = await view.ask<TermData>('GET', path, { query: { context: 'edit' } })
  return { taxonomy, term: data }
}

const routeTo = (taxonomy: TaxonomyData, { id }: TermData) => `${routeOf(taxonomy)}/${id}`

/** Returns the schemas of term meta; empty if the taxonomy has no meta. */
async function metaSchemas(view: AdminView, taxonomy: TaxonomyData): Promise<Schemas> {
  const schemas = (await routeSchemas(view, routeOf(taxonomy)))['meta']?.properties ?? {}
  return shownMeta(view, 'term', taxonomy.slug, schemas)
}

interface Shown {
  /** Values of the fields; defaults to the stored values. */
  readonly fields?: TermFields
  readonly meta?: Values
  /** Error messages by field name. */
  readonly wrong?: Readonly<Record<string, string>>
  /** Error message that belongs to no field. */
  readonly message?: string
}

async function renderPage(
  view: AdminView,
  taxonomy: TaxonomyData,
  term: TermData,
  { fields = fieldsOfTerm(term), meta, wrong = {}, message }: Shown = {},
): Promise<AdminContent> {
  const { t } = view
  const panels = await panelBoxes(view, taxonomy.slug, term)
  const schemas = await metaSchemas(view, taxonomy)
  const stored = valuesIn(term['meta'])
  const metaFields = [...schemaFields(view, { schemas, values: meta ?? stored, name: 'meta', errors: wrong }).values()]
  const mayDelete = view.can('delete_term', { id: term.id, taxonomy: taxonomy.slug })
  return {
    title: `${labelOf(taxonomy, 'edit_item')}: ${shortened(plainText(term.name), 60)}`,
    main: html`${message === undefined ? null : noticeHtml({ kind: 'error', text: t(message) })}
      <form method="post" action="${view.url(view.path)}" data-guard>
        ${view.formFields()} ${shownValues({ ...fieldsOfTerm(term) })}
        ${await termFields(view, taxonomy, fields, { own: term.id, wrong })} ${metaFields} ${panels}
        <p class="actions">
          <button type="submit" class="primary">${t('Save')}</button>
          <a href="${view.url(`terms/${taxonomy.slug}`)}">${t('← Back to list')}</a>
        </p>
      </form>
      ${mayDelete ? await deleteSection(view, taxonomy, term) : null}`,
  }
}

function valuesIn(meta: unknown): Values {
  return typeof meta === 'object' && meta !== null ? { ...meta } : {}
}

async function deleteSection(view: AdminView, taxonomy: TaxonomyData, term: TermData): Promise<PageHtml> {
  const { t, count } = view
  const below = taxonomy.hierarchical ? ((await totalOf(view, routeOf(taxonomy), { parent: term.id })) ?? 0) : 0
  const facts = [
    count(term.count, 'It will be removed from 1 published post.', 'It will be removed from {count} published posts.'),
    ...(taxonomy.slug === 'category' ? [t('Posts without a category are assigned the default category.')] : []),
    ...(below > 0 ? [count(below, '1 child will move up one level.', '{count} children will move up one level.')] : []),
  ]
  return html`<section>
    <h2>${t('Delete')}</h2>
    <ul>
      ${facts.map((fact) => html`<li>${fact}</li>`)}
    </ul>
    ${view.button(t('Delete permanently'), 'delete', {}, html` class="danger" data-confirm="${t('This can’t be undone.')}"`)}
  </section>`
}
