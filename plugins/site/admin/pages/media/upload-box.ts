import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { uploadPlace } from '../../parts/media-picker.ts'

/** Renders the drop area for scripts; without scripts it stays hidden. */
export function uploadBox(view: AdminView): PageHtml {
  const { t } = view
  return html`<div id="media-upload" class="upload-box" data-keep hidden>
    <p>
      <label for="media-files">${t('Upload files')}</label>
      <input type="file" id="media-files" multiple />
    </p>
    <p class="hint">${t('Or drop files anywhere on this page, or paste an image.')}</p>
    ${uploadPlace(view)}
  </div>`
}
