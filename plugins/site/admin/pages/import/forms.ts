import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { LiveProbe, LiveRunOptions } from '../../../../operations/importer/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { checkbox, common, field, selectField, textField, type FieldOptions } from '../../parts/fields.ts'
import { sizeText } from '../../parts/size-text.ts'
import { probeHtml } from './live-report.ts'

/** Mistakes in a form by field. */
type Wrong = Readonly<Record<string, string>>

/** Renders the form that uploads the files of an import. */
export function fileForm(view: AdminView, wrong: Wrong): PageHtml {
  const { t, plugin, words } = view
  const limit = sizeText(plugin.config.limits.bodyLimit, words.language)
  const file = (options: FieldOptions, accept: string, attributes: PageHtml | null = null) =>
    field(options, html`<input type="file" accept="${accept}" ${attributes} ${common(options)} />`)
  return html`<h2>${t('Import from WordPress')}</h2>
    <p>
      ${t('Upload a WordPress export (WXR) to import its posts, pages, categories, tags, users, comments and menus. If anything fails, nothing is changed. Running it again imports only what is new.')}
    </p>
    <p>
      ${t('Maximum total upload size: {limit}. For larger files, run this on the server:', { limit })}
      <code>svc-import --uploads uploads.tar.gz export.xml</code>
    </p>
    ${view.formStart('save', html` enctype="multipart/form-data" data-import-form data-sending="${t('Uploading files…')}"`)}
      ${file(
        {
          name: 'wxr',
          label: t('Export files'),
          hint: t(
            'One or several .xml files from Tools → Export, also as .zip or .gz. Archives of media files and dumps of options (.json) are recognized, too.',
          ),
          error: wrong['wxr'],
          required: true,
        },
        '.xml,.wxr,.zip,.gz,.tar,.tgz,.json',
        html` multiple`,
      )}
      ${file({ name: 'uploads', label: t('Media files'), hint: t('Optional: the uploads folder as .zip, .tar or .tar.gz.') }, '.zip,.tar,.gz,.tgz')}
      ${file({ name: 'site', label: t('Site file'), hint: t('Optional: a JSON file with data that exports lack, such as roles, passwords, settings and menus. If it contains an administrator, that account replaces the sample administrator; log in with it after the import.') }, '.json', html` multiple`)}
      ${checkbox({ name: 'download', label: t('Download missing media files from the old site'), checked: false })}
      ${writingFields(view, {})}
      <progress max="100" value="0" aria-label="${t('Upload progress')}" hidden></progress>
      <p><button type="submit" class="primary">${t('action|Import')}</button></p>
    </form>`
}

/**
 * Renders the form of imports from a running site, below the result of a probe.
 * @param isSlow whether the old site was too slow for a probe, so that the import can start without one
 */
export function liveForm(view: AdminView, wrong: Wrong, probe: LiveProbe | null, isSlow: boolean): PageHtml {
  const { t } = view
  const canStart = probe !== null || isSlow
  // Without a submitted form, the usual choices.
  const isSent = view.text('live_url') !== ''
  const checked = (name: string, usual: boolean) => (isSent ? view.text(name) === '1' : usual)
  const comparison = view.text('compare') || 'sample'
  return html`<section data-live aria-labelledby="import-live">
    <h2 id="import-live">${t('Import from a live site')}</h2>
    <p>
      ${t('Reads the old site over its REST API, which needs no plugin there. Check the site first: nothing is changed. You can import again later to get only the changes.')}
    </p>
    ${probe === null ? null : probeHtml(view, probe)}
    ${view.formStart('probe', html` data-live-form`)}
      ${textField({ name: 'live_url', label: t('URL of the old site'), value: view.text('live_url'), type: 'url', error: wrong['live_url'], required: true })}
      ${textField({ name: 'live_user', label: t('Username on the old site'), hint: t('Without it, only public content is imported.'), value: view.text('live_user'), attributes: html` autocomplete="off"` })}
      ${passwordField(view, wrong)}
      ${checkbox({ name: 'live_download', label: t('Download media files'), checked: checked('live_download', true) })}
      ${checkbox({ name: 'revisions', label: t('Include revisions'), checked: checked('revisions', true) })}
      ${checkbox({ name: 'full', label: t('Read everything again, not only changes since the last import'), checked: checked('full', false) })}
      ${checkbox({ name: 'follow_deletions', label: t('Move items to the trash that were deleted on the old site since the last import'), checked: checked('follow_deletions', false) })}
      ${selectField({
        name: 'compare',
        label: t('Compare both sites afterwards'),
        value: comparison,
        choices: [
          { value: 'sample', label: t('A sample') },
          { value: 'all', label: t('import|Everything') },
          { value: 'none', label: t('import|Nothing') },
        ],
      })}
      ${writingFields(view, { id: 'live', isSent })}
      <p class="actions">
        <button type="submit"${canStart ? null : html` class="primary"`}>${t('Check site')}</button>
        ${canStart ? html`<button type="submit" name="do" value="live" class="primary">${t('Start import')}</button>` : null}
      </p>
      <p data-checking hidden><progress aria-hidden="true"></progress> ${t('Checking the site…')}</p>
    </form>
  </section>`
}

/** Renders the form that continues an interrupted import from a running site. */
export function resumeForm(view: AdminView, { user }: LiveRunOptions): PageHtml {
  const { t } = view
  return html`${view.formStart('resume')}
    ${
      user === null
        ? null
        : html`<p>${t('The application password is not stored. Enter it again to continue as {user}.', { user })}</p>
            ${passwordField(view, {}, 'resume')}`
    }
    <p><button type="submit" class="primary">${t('Continue import')}</button></p></form>`
}

/** The field of the application password, which never contains it. */
function passwordField({ t }: AdminView, wrong: Wrong, id = 'live'): PageHtml {
  return textField({
    name: 'live_password',
    id: `${id}-password`,
    label: t('Application password'),
    hint: t('Create one on the old site under Users → Profile → Application passwords. It is not stored.'),
    value: '',
    type: 'password',
    error: wrong['live_password'],
    attributes: html` autocomplete="off"`,
  })
}

/** Checkboxes about URLs and HTML. */
function writingFields(view: AdminView, { id = '', isSent = false }: { id?: string; isSent?: boolean }): PageHtml {
  const { t } = view
  const part = (name: string) => ({ name, ...(id !== '' && { id: `${id}-${name}` }) })
  const checked = (name: string) => isSent && view.text(name) === '1'
  const filter = view.can('unfiltered_html')
    ? checkbox({
        ...part('filter_html'),
        label: t('Filter HTML of authors who may not write any HTML'),
        hint: t('Removes scripts, forms and frames, for example. Recommended if you do not trust all authors.'),
        checked: checked('filter_html'),
      })
    : null
  return html`${checkbox({ ...part('keep_addresses'), label: t('Don’t rewrite old site URLs'), checked: checked('keep_addresses') })}
  ${filter}`
}
