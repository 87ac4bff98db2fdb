import { html } from '../../../../../kernel/index.ts'
import { errors } from '../../errors.ts'
import type { AdminAnswer, AdminContent } from '../../admin.ts'
import type { AdminView } from '../../frame/view.ts'

/** What the user may want to do next, in panels. */
export async function show(view: AdminView): Promise<AdminContent> {
  const { t } = view
  const shown = await Promise.all(
    panelsOf(view).map(async ({ name, title, show: content }) => ({ name, title, content: await content(view, null) })),
  )
  const panels = shown.flatMap(({ name, title, content }) =>
    content === null
      ? []
      : [
          html`<section class="card" aria-labelledby="panel-${name}">
            <h2 id="panel-${name}">${t(title)}</h2>
            ${content}
          </section>`,
        ],
  )
  return { main: html`<div class="panels">${panels}</div>` }
}

export const actions = {
  /** Hands a form of a panel to it: the field `panel` has its name. */
  async save(view: AdminView): Promise<AdminAnswer> {
    const panel = panelsOf(view).find(({ name }) => name === view.text('panel'))
    if (panel?.save === undefined) throw errors.admin_action_unknown()
    await panel.save(view, {}, view.form)
    return view.redirect(view.url(''), { kind: 'done', text: view.t('Done.') })
  },
}

function panelsOf(view: AdminView) {
  const panels = view.plugin.services.admin.panels('dashboard')
  return panels.filter(({ capability }) => capability === undefined || view.can(capability))
}
