import { html, tableHtml, type AdminView, type PageHandlers, type PageHtml } from '../../public.ts'
import { flagOf, textOf, textsOf, type Values } from './definitions.ts'
import type { CustomTypes, DefinitionKind } from './service.ts'

/** The list of content types and taxonomies, with buttons that delete one. */
export function listPage(customTypes: CustomTypes): PageHandlers {
  return {
    async show(view) {
      const [types, taxonomies] = await Promise.all([customTypes.stored('type'), customTypes.stored('taxonomy')])
      return { main: html`${sectionOf(view, 'type', types)} ${sectionOf(view, 'taxonomy', taxonomies)}` }
    },
    actions: {
      async delete(view) {
        const kind = view.text('kind') === 'taxonomy' ? 'taxonomy' : 'type'
        await customTypes.remove(kind, view.text('name'))
        const text = view.t('Deleted. The change takes effect within a few seconds.')
        return view.redirect(view.url('content-types'), { kind: 'done', text })
      },
    },
  }
}

function sectionOf(view: AdminView, kind: DefinitionKind, definitions: ReadonlyMap<string, Values>): PageHtml {
  const { t } = view
  const isType = kind === 'type'
  const title = isType ? t('Content types') : t('Taxonomies')
  const list = isType ? 'taxonomies' : 'object_types'
  const columns = [t('Name'), t('Slug'), t('REST API'), isType ? t('Taxonomies') : t('Content types'), t('Actions')]
  const rows = [...definitions].map(([name, values]) => {
    const question = isType
      ? t('Delete “{name}”? Its posts stay in the database and are no longer shown.', { name })
      : t('Delete “{name}”? Its terms stay in the database and are no longer shown.', { name })
    return [
      html`<a href="${view.url(`content-types/${kind}/${name}`)}">${textOf(values['label']) || name}</a>`,
      name,
      flagOf(values['show_in_rest'], true) ? textOf(values['rest_base']) || name : '–',
      textsOf(values[list]).join(', ') || '–',
      view.button(t('Delete'), 'delete', { kind, name }, html` class="danger" data-confirm="${question}"`),
    ]
  })
  const empty = isType ? t('No content types yet.') : t('No taxonomies yet.')
  const table = rows.length === 0 ? html`<p class="empty">${empty}</p>` : tableHtml({ caption: title, columns, rows })
  return html`<section class="card">
    <h2>${title}</h2>
    ${table}
    <p>
      <a class="button" href="${view.url(`content-types/add/${kind}`)}"
        >${isType ? t('Add content type') : t('Add taxonomy')}</a
      >
    </p>
  </section>`
}
