// Form fields with a file of the media library, and functions that open the dialog for one.
import { load } from './load.js'
import { thumbnailOf } from './thumbnails.js'

/** @typedef {import('./media-upload.js').Attachment} Attachment */

/** @type {import('./media-dialog.js').Picker | null} */
let picker = null

/**
 * Lets the user select a file of the media library, or upload one.
 * @param {{ type?: string, selected?: number }} [options] `type`: `image`, `audio`, `video`, or '' for all files;
 * `selected`:
 * ID of the initially selected file
 * @returns {Promise<Attachment | null>} null if the user closes the dialog
 */
export async function pickMedia(options = {}) {
  return (await pick(options))?.[0] ?? null
}

/**
 * Lets the user select several files of the media library.
 * @param {{ type?: string }} [options] as for `pickMedia`
 * @returns {Promise<Attachment[] | null>} in the order of selection; null if the user closes the dialog
 */
export function pickSeveralMedia(options = {}) {
  return pick({ ...options, isMany: true })
}

/** @param {{ type?: string, selected?: number, isMany?: boolean }} options @returns {Promise<Attachment[] | null>} */
async function pick(options) {
  const dialog = document.querySelector('#media-picker')
  if (!(dialog instanceof HTMLDialogElement))
    throw new Error('The page has no media picker. Add mediaPicker(view) to it.')
  const part = await load(() => import('./media-dialog.js'))
  if (part === null) return null
  picker ??= new part.Picker(dialog)
  return picker.open(options)
}

/**
 * Enhances a field for the ID of a file with a preview and buttons.
 * @param {HTMLElement} field
 */
function improve(field) {
  const id = field.querySelector('input')
  const shown = field.querySelector('[data-shown]')
  const choose = field.querySelector('[data-choose]')
  const remove = field.querySelector('[data-remove]')
  if (id === null || !(shown instanceof HTMLElement)) return
  if (!(choose instanceof HTMLButtonElement) || !(remove instanceof HTMLButtonElement)) return
  id.type = 'hidden'
  for (const hint of field.querySelectorAll('.hint')) hint.remove()
  const label = field.querySelector('label')
  if (label !== null) label.htmlFor = choose.id
  const show = () => {
    choose.hidden = false
    remove.hidden = Number(id.value) === 0
  }
  /** @param {Attachment | null} attachment */
  const setAttachment = (attachment) => {
    id.value = attachment === null ? '' : String(attachment.id)
    shown.replaceChildren()
    if (attachment !== null) {
      const url = thumbnailOf(attachment)
      const image = document.createElement('img')
      image.src = url
      image.alt = attachment.alt_text
      const name = document.createElement('span')
      name.textContent = attachment.title.raw ?? ''
      shown.append(...(url === '' ? [] : [image]), name)
    }
    show()
    id.dispatchEvent(new Event('input', { bubbles: true }))
    id.dispatchEvent(new CustomEvent('media-chosen', { bubbles: true, detail: attachment }))
  }
  const change = async () => {
    const attachment = await pickMedia({ type: field.dataset['type'] ?? 'image', selected: Number(id.value) })
    if (attachment !== null) setAttachment(attachment)
    choose.focus()
  }
  choose.addEventListener('click', () => void change())
  remove.addEventListener('click', () => {
    setAttachment(null)
    choose.focus()
  })
  show()
}

for (const field of document.querySelectorAll('[data-media-field]')) if (field instanceof HTMLElement) improve(field)
