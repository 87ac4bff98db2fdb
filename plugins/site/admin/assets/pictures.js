// The button that inserts an image of the media library into the text, as Markdown or as a block.
import { pickMedia } from './media-picker.js'

/** @param {HTMLFormElement} form @param {() => boolean} isReadOnly */
export function insertPictures(form, isReadOnly) {
  const content = form.querySelector('[data-content]')
  const mode = form.elements.namedItem('mode')
  const insert = form.querySelector('[data-insert-picture]')
  if (
    insert instanceof HTMLButtonElement &&
    content instanceof HTMLTextAreaElement &&
    document.querySelector('#media-picker')
  ) {
    insert.hidden = false
    const insertPicture = async () => {
      const picture = await pickMedia({ type: 'image' })
      if (picture !== null && !isReadOnly()) {
        const text =
          mode instanceof HTMLInputElement && mode.value === 'markdown'
            ? inMarkdown(picture)
            : inHtml(picture, insert.dataset['insertPicture'] ?? '')
        const at = content.selectionEnd
        const before = at === 0 || content.value.slice(0, at).endsWith('\n\n') ? '' : '\n\n'
        content.setRangeText(`${before}${text}\n\n`, at, at, 'end')
        content.dispatchEvent(new Event('input', { bubbles: true }))
      }
      content.focus()
    }
    insert.addEventListener('click', () => void insertPicture())
  }
}

/** @typedef {import('./media-upload.js').Attachment} Attachment */

/** Renders an image as Markdown. @param {Attachment} picture */
function inMarkdown({ alt_text, source_url }) {
  const alt = alt_text.replace(/[\\[\]]/g, '\\$&').replace(/\s+/g, ' ')
  return `![${alt}](<${source_url.replaceAll('>', '%3E')}>)`
}

/** Renders an image as a block. @param {Attachment} picture @param {string} mark prefix of block comments */
function inHtml({ id, alt_text, source_url }, mark) {
  const image = document.createElement('img')
  image.setAttribute('src', source_url)
  image.setAttribute('alt', alt_text)
  image.className = `${mark}-image-${id}`
  const figure = document.createElement('figure')
  figure.className = `${mark}-block-image`
  figure.append(image)
  return `<!-- ${mark}:image {"id":${id}} -->\n${figure.outerHTML}\n<!-- /${mark}:image -->`
}
