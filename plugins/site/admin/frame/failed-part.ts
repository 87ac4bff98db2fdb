import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { AdminView } from './view.ts'

/**
 * Logs the error of a part that another plugin adds to a page, and returns the text that replaces the part, with the ID under
 * which the log has the error. The rest of the page works.
 * @param what the part, for the log: `panel beds`
 * @throws the error, where the part is the admin's own
 */
export function failedPart(view: AdminView, { plugin, what }: FailedPart, error: unknown): PageHtml {
  if (plugin === view.plugin.name) throw error
  view.plugin.log.error({ plugin, what, err: error, request: view.request.id }, 'a part of a page could not be made')
  const text = view.t('The plugin “{plugin}” couldn’t display this.', { plugin })
  return html`<span class="failed" title="${view.requestReference}">${text}</span>`
}

interface FailedPart {
  /** Whose it is. */
  readonly plugin: string
  readonly what: string
}
