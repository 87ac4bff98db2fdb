import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { AdminView } from './view.ts'

/**
 * Logs the error of a part that another plugin adds to a page. Returns the text that replaces the part, with the
 * request ID of the log entry. The rest of the page works.
 * @param part name of the part in the log: `panel beds`
 * @throws the error, if the part belongs to the admin itself
 */
export function failedPart(view: AdminView, { plugin, part }: FailedPart, error: unknown): PageHtml {
  if (plugin === view.plugin.name) throw error
  view.plugin.log.error(
    { plugin, what: part, err: error, request: view.request.id },
    'could not render a part of a page',
  )
  const text = view.t('The plugin “{plugin}” couldn’t display this.', { plugin })
  return html`<span class="failed" title="${view.requestReference}">${text}</span>`
}

interface FailedPart {
  /** Name of the plugin that added the part. */
  readonly plugin: string
  readonly part: string
}
