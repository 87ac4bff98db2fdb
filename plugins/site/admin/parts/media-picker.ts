import { html, type PageHtml } from '../../../library/markup/index.ts'
import type { AdminView } from '../frame/view.ts'
import { common, type FieldOptions } from './fields.ts'

/** Scripts and styles of pages with `mediaPicker` or `mediaField`. */
export const MEDIA_PICKER = { scripts: ['core/media-picker.js'], styles: ['core/media.css'] } as const

/** The preview of a file in a field. */
export interface ShownFile {
  /** As plain text. */
  readonly title: string
  readonly alt: string
  /** URL of a small version; '' if the file is not an image. */
  readonly thumbnail: string
}

/**
 * Renders the dialog in which users select a file. Add it once to a page, outside of all forms; scripts open it with
 * `pickMedia` of `core/media-picker.js`.
 */
export function mediaPicker(view: AdminView): PageHtml {
  const { t } = view
  const words = { none: t('No results.'), found: t('{count} files found.') }
  const uploads = view.can('upload_files')
    ? html`<p class="field">
          <label for="picker-file">${t('Upload files')}</label>
          <input type="file" id="picker-file" data-part="file" multiple />
        </p>
        ${uploadPlace(view)}`
    : null
  return html`<dialog
    id="media-picker"
    class="media-picker"
    aria-labelledby="picker-title"
    data-words="${JSON.stringify(words)}"
  >
    <h2 id="picker-title">${t('Select file')}</h2>
    <p class="field">
      <label for="picker-search">${t('Search the media library')}</label>
      <input type="search" id="picker-search" data-part="search" maxlength="200" />
    </p>
    ${uploads}
    <p class="hint" data-part="state"></p>
    <ul class="media-grid" role="listbox" data-part="grid" aria-label="${t('Files')}"></ul>
    <p><button type="button" data-part="more" hidden>${t('Load more')}</button></p>
    <p class="field">
      <label for="picker-alt">${t('Alt text')}</label>
      <input type="text" id="picker-alt" data-part="alt" disabled aria-describedby="picker-alt-hint" />
      <span class="hint" id="picker-alt-hint">${t('Describes the image for people who can’t see it.')}</span>
    </p>
    <p class="actions">
      <button type="button" class="primary" data-part="use" disabled>${t('Select')}</button>
      <button type="button" data-part="cancel">${t('Cancel')}</button>
    </p>
  </dialog>`
}

/**
 * Renders a field for the ID of a file, which scripts enhance with a preview and buttons. The page must also contain
 * `mediaPicker`.
 * @param options `value`: 0 for none; `type`: `image`, or '' for all files
 */
export function mediaField(
  view: AdminView,
  options: FieldOptions & { value: number; file: ShownFile | null; type?: string },
): PageHtml {
  const { t } = view
  const { file, value, type = 'image', name, label } = options
  const hint = options.hint ?? t('ID of a file in the media library. Leave empty for none.')
  const id = options.id ?? `field-${name}`
  const shown =
    file === null
      ? null
      : html`${file.thumbnail === '' ? null : html`<img src="${file.thumbnail}" alt="${file.alt}" />`}<span
            >${file.title}</span
          >`
  return html`<div class="field media-field" data-media-field data-type="${type}">
    <label for="${id}" id="${id}-label">${label}</label>
    <div class="media-shown" data-shown>${shown}</div>
    <input type="number" min="0" value="${value === 0 ? '' : value}" ${common({ ...options, id, hint })} />
    <p class="hint" id="${id}-hint">${hint}</p>
    ${options.error === undefined ? null : html`<p class="field-error" id="${id}-error">${options.error}</p>`}
    <p class="actions">
      <button type="button" id="${id}-choose" aria-labelledby="${id}-label ${id}-choose" data-choose hidden>
        ${t('Select file')}
      </button>
      <button type="button" data-remove hidden>${t('Remove')}</button>
    </p>
  </div>`
}

/** Renders the element in which scripts list current uploads, with their texts. */
export function uploadPlace(view: AdminView): PageHtml {
  const { t } = view
  const words = {
    progress: t('Upload progress of {name}'),
    cancel: t('Cancel'),
    cancelNamed: t('Cancel upload of {name}'),
    retry: t('Try again'),
    retryNamed: t('Try again to upload {name}'),
    waiting: t('upload|Waiting…'),
    storing: t('Processing…'),
    done: t('{name} uploaded.'),
    cancelled: t('Upload of {name} canceled.'),
    failed: t('{name} couldn’t be uploaded: {why}'),
    unreached: t('the server couldn’t be reached'),
    tooLarge: t('{name} is too large. The maximum upload size is {most} MB.'),
    edit: t('Edit {name}'),
  }
  return html`<div
    data-uploads
    data-words="${JSON.stringify(words)}"
    data-most="${view.plugin.config.limits.bodyLimit}"
  ></div>`
}
