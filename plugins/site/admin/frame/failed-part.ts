import { html, type PageHtml } from '../../../../kernel/index.ts'
import type { AdminView } from './view.ts'

/**
 * What stands in place of a part that another plugin could not make; the log has the reason. Nobody is kept from working by a
 * plugin that adds something to a page.
 * @param what the part, for the log: `panel beds`
 * @throws the error, where the part is the admin's own
 */
export function failedPart(view: AdminView, { plugin, what }: FailedPart, error: unknown): PageHtml {
  if (plugin === view.plugin.name) throw error
  view.plugin.log.error({ plugin, what, err: error, request: view.request.id }, 'a part of a page could not be made')
  return html`<span class="failed">${view.t('The plugin {plugin} could not show this.', { plugin })}</span>`
}

interface FailedPart {
  /** Whose it is. */
  readonly plugin: string
  readonly what: string
}
