import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { ImportState, LiveProgress } from '../../../../operations/importer/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { sizeText } from '../../parts/size-text.ts'
import { resumeForm } from './forms.ts'
import { errorText } from './phrases.ts'
import { durationText, liveReportHtml } from './live-report.ts'
import { reportHtml } from './report.ts'

/** Returns the progress or the result of an import as a sentence. */
export function progressText(view: AdminView, state: ImportState): string {
  const { t, count, words } = view
  const { bytes, live, liveProgress, progress, report, status } = state
  if (status === 'done') return t('Import complete.')
  const isStored = progress.isStored === true || liveProgress?.isStored === true
  if (status === 'failed')
    return isStored
      ? t('Import failed after the content was imported. Media files may be missing: import again to get them.')
      : t('Import failed. Your site hasn’t been changed.')
  if (status === 'cancelled')
    return isStored
      ? t('Import cancelled after the content was imported. Media files may be missing: import again to get them.')
      : t('Import cancelled. Your site hasn’t been changed.')
  if (status === 'unfinished')
    return live === undefined
      ? t('The import was interrupted because the server stopped. Run it again: existing content is skipped.')
      : t('The import was interrupted because the server stopped. It continues where it stopped.')
  if (report === undefined && live !== undefined) return liveText(view, liveProgress)
  const { files } = progress
  if (files !== undefined) return t('Downloading media files: {done} of {missing} done.', files)
  return t('{read} of {size} read, {items}.', {
    read: sizeText(progress.bytes, words.language),
    size: sizeText(bytes, words.language),
    items: count(progress.items, '1 item', '{count} items'),
  })
}

/** Returns the phase of a live import with its rate and the time left. */
function liveText(view: AdminView, progress: LiveProgress | undefined): string {
  const { t } = view
  if (progress === undefined) return t('Connecting to the old site…')
  const { done, phase, rate, secondsLeft, total } = progress
  const values = { done, total }
  const isKnown = total > 0
  const text =
    phase === 'reading'
      ? isKnown
        ? t('Reading the old site: {done} of {total}', values)
        : t('Reading the old site: {done}', values)
      : phase === 'storing'
        ? t('Storing: {done}', values)
        : phase === 'downloading'
          ? t('Downloading media files: {done} of {total}', values)
          : t('Comparing both sites: {done} of {total}', values)
  if (rate === 0) return text
  const speed = t('{rate} per second', { rate: Math.max(1, Math.round(rate)) })
  if (secondsLeft === null || secondsLeft === 0) return `${text} (${speed})`
  return `${text} (${speed}, ${t('{time} left', { time: durationText(view, secondsLeft) })})`
}

/** Returns the percentage of an import that is done, in the current phase of a live import. */
export function percentOf({ status, bytes, live, liveProgress, progress }: ImportState): number {
  if (status === 'done') return 100
  const { done, total } = live === undefined ? { done: progress.bytes, total: bytes } : (liveProgress ?? NO_PROGRESS)
  if (total === 0) return live === undefined ? 100 : 0
  return Math.min(100, Math.floor((done / total) * 100))
}

const NO_PROGRESS = { done: 0, total: 0 }

/** Renders the progress of the current import, or the report of the last one. */
export function stateHtml(view: AdminView, state: ImportState): PageHtml {
  const { t } = view
  const text = progressText(view, state)
  if (state.status === 'running')
    return html`<section
      aria-labelledby="import-state"
      data-import="${view.url('import', { format: 'json' })}"
      data-busy="${t('The import is using the database. Progress will appear here soon.')}"
    >
      <h2 id="import-state">${t('Importing {file}…', { file: state.name })}</h2>
      <progress max="100" value="${percentOf(state)}" aria-label="${t('Import progress')}"></progress>
      <p data-import-text>${text}</p>
      <p>${t('You can close this page. The site stays readable during the import, but changes are blocked.')}</p>
      <div class="actions">
        <a href="${view.url('import')}" class="button">${t('Refresh')}</a> ${view.button(t('Cancel import'), 'cancel')}
      </div>
    </section>`
  const { live, report } = state
  return html`<section aria-labelledby="import-state">
    <h2 id="import-state">${t('Last import: {file}', { file: state.name })}</h2>
    <p class="notice ${state.status === 'done' ? 'done' : 'error'}">
      ${text} ${state.error === undefined ? null : html`<br />${errorText(view, state.error, state.errorPhrase)}`}
    </p>
    <p>${t('Started:')} ${view.date(new Date(state.started).toISOString())}</p>
    ${live === undefined || state.status === 'done' ? null : resumeForm(view, live)}
    ${report === undefined ? null : reportHtml(view, report)}
    ${report !== undefined && 'comparison' in report ? liveReportHtml(view, report) : null}
  </section>`
}
