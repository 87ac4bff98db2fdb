import { html, tableHtml, type AdminView, type PageHandlers, type SitePage } from '../../public.ts'
import { copyOfGroup, definitionsOf, textOf, type Definition } from './group-trees.ts'
import type { JsonDefinitions } from './json-definitions.ts'

/** The list of groups, with buttons that copy and delete one. */
export function groupsPage(definitions: JsonDefinitions): PageHandlers {
  return {
    async show(view) {
      const { t } = view
      const groups = await definitions.export()
      const columns = [t('Title'), t('Location'), t('Fields'), t('Active'), t('Actions')]
      const rows = groups.map((group) => {
        const key = textOf(group['key'])
        const title = textOf(group['title']) || key
        const label = html` aria-label="${t('Duplicate {name}', { name: title })}"`
        const question = t('Delete “{name}” and its fields? Stored values stay in the database.', { name: title })
        return [
          html`<a href="${view.url(`custom-fields/${encodeURIComponent(key)}`)}">${title}</a>`,
          locationText(view, group),
          definitionsOf(group['fields']).length,
          group['active'] === false ? t('No') : t('Yes'),
          html`${view.button(t('Duplicate'), 'copy', { key }, label)}
          ${view.button(t('Delete'), 'delete', { key }, html` class="danger" data-confirm="${question}" aria-label="${t('Delete {name}', { name: title })}"`)}`,
        ]
      })
      const table =
        rows.length === 0
          ? html`<p class="empty">${t('No field groups yet.')}</p>`
          : tableHtml({ caption: t('Field groups'), columns, rows })
      return {
        headingActions: html`<a class="button" href="${view.url('custom-fields/add')}">${t('Add field group')}</a>`,
        main: table,
      }
    },
    actions: {
      async copy(view) {
        const { group } = (await definitions.group(view.text('key'))) ?? {}
        if (group !== undefined)
          await definitions.save(copyOfGroup(group, view.t('{title} (copy)', { title: textOf(group['title']) })))
        return done(view, view.t('Saved. The change takes effect within a few seconds.'))
      },
      async delete(view) {
        await definitions.remove(view.text('key'))
        return done(view, view.t('Deleted. The change takes effect within a few seconds.'))
      },
    },
  }
}

const done = (view: AdminView, text: string): SitePage =>
  view.redirect(view.url('custom-fields'), { kind: 'done', text })

/** Returns the rules of a group in one line: `post type is page, post status is not draft; or …`. */
function locationText({ t }: AdminView, group: Definition): string {
  const location = typeof group['location'] === 'object' ? Object.values(group['location'] ?? {}) : []
  const lists = location.map((rules) =>
    definitionsOf(rules)
      .map(({ operator, param, value }) => {
        const comparison = operator === '!=' ? t('is not') : t('is')
        return `${textOf(param).replaceAll('_', ' ')} ${comparison} ${textOf(value)}`
      })
      .join(', '),
  )
  return lists.filter((text) => text !== '').join(`; ${t('or')} `) || '–'
}
