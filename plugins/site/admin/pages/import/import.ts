import { HeaderMap, RestError, type SitePage, type UploadedFile } from '../../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { ImportState } from '../../../../operations/importer/index.ts'
import { errors } from '../../errors.ts'
import type { AdminContent } from '../../admin.ts'
import { confirmFirst } from '../../frame/confirmation.ts'
import type { AdminView } from '../../frame/view.ts'
import { checkbox, field, common, type FieldOptions } from '../../parts/fields.ts'
import { sizeText } from '../dashboard/storage.ts'
import { reportHtml } from './report.ts'

/** Shows the current or last import, and a form that starts one. */
export async function show(view: AdminView): Promise<AdminContent | SitePage> {
  const state = await view.plugin.services.importRuns.state()
  // Polled by the script of the page.
  if (view.query.get('format') === 'json') return asJson(view, state)
  return page(view, state)
}

export const actions = {
  /** Starts an import. */
  async save(view: AdminView): Promise<AdminContent | SitePage> {
    const runs = view.plugin.services.importRuns
    const [wxr, uploads, site] = ['wxr', 'uploads', 'site'].map((name) => fileOf(view, name))
    if (wxr === undefined) return page(view, await runs.state(), { wxr: view.t('Select an export file.') })
    try {
      await runs.start({
        name: wxr.filename.slice(0, 200),
        wxr: await wxr.read(),
        ...(uploads !== undefined && { uploads: await uploads.read() }),
        siteFiles: site === undefined ? [] : [await site.read()],
        download: view.text('download') === '1',
        rewrite: view.text('keep_addresses') !== '1',
        trustHtml: view.text('filter_html') !== '1' && view.can('unfiltered_html'),
      })
    } catch (error) {
      if (!(error instanceof RestError) || error.code !== 'import_runs_already') throw error
      throw errors.admin_import_runs()
    }
    return view.redirect(view.url('import'))
  },
}

function fileOf({ files }: AdminView, name: string): UploadedFile | undefined {
  return files.find((file) => file.name === name)
}

async function page(
  view: AdminView,
  state: ImportState | null,
  wrong: Readonly<Record<string, string>> = {},
): Promise<AdminContent> {
  const isRunning = state?.status === 'running'
  const isConfirmed = await view.plugin.services.sessions.isConfirmed(view.user.session ?? '')
  const form = isConfirmed ? formHtml(view, wrong) : confirmHtml(view)
  return {
    status: Object.keys(wrong).length > 0 ? 400 : 200,
    main: html`${state === null ? null : stateHtml(view, state)} ${isRunning ? null : form}`,
  }
}

/** Asks for the password before the files are uploaded. */
function confirmHtml(view: AdminView): PageHtml {
  const { t } = view
  const text = t('An import can change users and roles. Confirm your password before you choose the files.')
  return html`<h2>${t('Import from WordPress')}</h2>
    ${confirmFirst(view, html`<p>${text}</p>`)}`
}

/** Returns the progress of an import as a sentence. */
function progressText({ t, count, words }: AdminView, { status, bytes, progress }: ImportState): string {
  if (status === 'done') return t('Import complete.')
  if (status === 'failed') return t('Import failed. Your site hasn’t been changed.')
  if (status === 'unfinished')
    return t('The import was interrupted because the server stopped. Run it again: existing content is skipped.')
  const { files } = progress
  if (files !== undefined) return t('Downloading media files: {done} of {missing} done.', files)
  return t('{read} of {size} read, {items}.', {
    read: sizeText(progress.bytes, words.language),
    size: sizeText(bytes, words.language),
    items: count(progress.items, '1 item', '{count} items'),
  })
}

function percentOf({ status, bytes, progress }: ImportState): number {
  return status === 'done' || bytes === 0 ? 100 : Math.min(100, Math.floor((progress.bytes / bytes) * 100))
}

function asJson(view: AdminView, state: ImportState | null): SitePage {
  const headers = new HeaderMap({ 'Content-Type': 'application/json', 'Cache-Control': 'private, no-store' })
  const body = state && { status: state.status, percent: percentOf(state), text: progressText(view, state) }
  return { status: 200, headers, body: JSON.stringify(body) }
}

function stateHtml(view: AdminView, state: ImportState): PageHtml {
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
      <p><a href="${view.url('import')}" class="button">${t('Refresh')}</a></p>
    </section>`
  return html`<section aria-labelledby="import-state">
    <h2 id="import-state">${t('Last import: {file}', { file: state.name })}</h2>
    <p class="notice ${state.status === 'done' ? 'done' : 'error'}">
      ${text} ${state.error === undefined ? null : html`<br />${state.error}`}
    </p>
    <p>${t('Started:')} ${view.date(new Date(state.started).toISOString())}</p>
    ${state.report === undefined ? null : reportHtml(view, state.report)}
  </section>`
}

function formHtml(view: AdminView, wrong: Readonly<Record<string, string>>): PageHtml {
  const { t, plugin, words } = view
  const limit = sizeText(plugin.config.limits.bodyLimit, words.language)
  const file = (options: FieldOptions, accept: string) =>
    field(options, html`<input type="file" accept="${accept}" ${common(options)} />`)
  const trust = view.can('unfiltered_html')
    ? checkbox({
        name: 'filter_html',
        label: t('Filter HTML of authors who may not write any HTML'),
        hint: t('Removes scripts, forms and frames, for example. Recommended if you do not trust all authors.'),
        checked: false,
      })
    : null
  return html`<h2>${t('Import from WordPress')}</h2>
    <p>
      ${t('Upload a WordPress export (WXR) to import its posts, pages, categories, tags, users, comments and menus. If anything fails, nothing is changed. Running it again imports only what is new.')}
    </p>
    <p>
      ${t('Maximum total upload size: {limit}. For larger files, run this on the server:', { limit })}
      <code>svc-import --uploads uploads.tar.gz export.xml</code>
    </p>
    ${view.formStart('save', html` enctype="multipart/form-data" data-import-form data-sending="${t('Uploading files…')}"`)}
      ${file({ name: 'wxr', label: t('Export file'), hint: t('The .xml file from Tools → Export.'), error: wrong['wxr'], required: true }, '.xml,.wxr')}
      ${file({ name: 'uploads', label: t('Media files'), hint: t('Optional: the uploads folder as .tar or .tar.gz.') }, '.tar,.gz,.tgz')}
      ${file({ name: 'site', label: t('Site file'), hint: t('Optional: a JSON file with data that exports lack, such as roles, passwords, settings and menus. If it contains an administrator, that account replaces the sample administrator; log in with it after the import.') }, '.json')}
      ${checkbox({ name: 'download', label: t('Download missing media files from the old site'), checked: false })}
      ${checkbox({ name: 'keep_addresses', label: t('Don’t rewrite old site URLs'), checked: false })} ${trust}
      <progress max="100" value="0" aria-label="${t('Upload progress')}" hidden></progress>
      <p><button type="submit" class="primary">${t('action|Import')}</button></p>
    </form>`
}
