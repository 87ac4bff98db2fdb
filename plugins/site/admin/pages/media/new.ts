import { RestError, type SitePage } from '../../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { textField } from '../../parts/fields.ts'
import type { AdminContent } from '../../admin.ts'
import { nameOf, type Attachment } from './attachment.ts'
import { uploadBox } from './upload-box.ts'

/** Maximum number of files per form; further files are ignored. */
const MAX_FILES = 20

/** Renders an upload form, which scripts replace with one that shows the progress of each upload. */
export function show(view: AdminView): AdminContent {
  const { t } = view
  const maxMegabytes = Math.floor(view.plugin.config.limits.bodyLimit / 1_000_000)
  return {
    main: html`${uploadBox(view)}
      <div data-without-script>${form(view)}</div>
      <p class="hint">${t('Maximum upload size: {most} MB.', { most: maxMegabytes })}</p>
      <p><a href="${view.url('media')}">${t('All media')}</a></p>`,
  }
}

function form(view: AdminView): PageHtml {
  const { t } = view
  return html`${view.formStart('upload', html` enctype="multipart/form-data"`)}
    <p class="field">
      <label for="files">${t('Files')}</label>
      <input type="file" id="files" name="files" multiple required />
    </p>
    ${textField({ name: 'alt_text', label: t('Alt text'), hint: t('For a single image: describe it for people who can’t see it.'), value: '' })}
    <button type="submit" class="primary">${t('Upload')}</button></form>`
}

export const actions = {
  /** Stores each file; refused files are listed in the notice. */
  async upload(view: AdminView): Promise<AdminContent | SitePage> {
    const { t } = view
    const files = view.files.filter(({ filename }) => filename !== '').slice(0, MAX_FILES)
    const alt = files.length === 1 ? view.text('alt_text') : ''
    const stored: Attachment[] = []
    const refused: string[] = []
    for (const file of files) {
      try {
        const { data } = await view.ask<Attachment>('POST', 'media', {
          // Fields go into the query, because the body contains only the file.
          query: { context: 'edit', alt_text: alt || undefined },
          files: [{ ...file, name: 'file' }],
        })
        stored.push(data)
      } catch (error) {
        if (!(error instanceof RestError)) throw error
        refused.push(t('{name} couldn’t be uploaded: {why}', { name: file.filename, why: error.message }))
      }
    }
    const [first] = stored
    if (first === undefined || refused.length > 0) {
      const faults = refused.length === 0 ? [t('Select at least one file first.')] : refused
      const links = stored.map((item) => html`<li><a href="${view.url(`media/${item.id}`)}">${nameOf(item)}</a></li>`)
      return {
        status: 400,
        main: html`${faults.map((fault) => html`<p class="notice error" role="alert">${fault}</p>`)}
        ${
          links.length === 0
            ? null
            : html`<p>${t('Uploaded files:')}</p>
                <ul>
                  ${links}
                </ul>`
        }
        ${form(view)}`,
      }
    }
    const text = view.count(stored.length, '1 file uploaded.', '{count} files uploaded.')
    const url = stored.length === 1 ? view.url(`media/${first.id}`) : view.url('media')
    return view.redirect(url, { kind: 'done', text })
  },
}
