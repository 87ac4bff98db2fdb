// Media library pages: uploads files that are selected, dropped or pasted, and shows their progress.
import { acceptFiles, Uploads } from './media-upload.js'
import { thumbnailOf } from './thumbnails.js'

setUp()
document.addEventListener('partial-update', setUp)

/** Shows the upload area of the page, unless it is shown already. */
function setUp() {
  const box = document.querySelector('#media-upload[hidden]')
  const place = box?.querySelector('[data-uploads]')
  const field = box?.querySelector('#media-files')
  if (!(box instanceof HTMLElement) || !(place instanceof HTMLElement) || !(field instanceof HTMLInputElement)) return
  const uploads = new Uploads(place, (attachment, row) => {
    const link = document.createElement('a')
    link.href = editUrl(attachment.id)
    link.textContent = uploads.words('edit', { name: titleOf(attachment) })
    row.append(link)
    addTile(attachment)
  })
  box.hidden = false
  for (const form of document.querySelectorAll('[data-without-script]')) form.remove()
  field.addEventListener('change', () => {
    uploads.add(field.files ?? [])
    field.value = ''
  })
  // A box that a partial update has removed no longer accepts files.
  acceptFiles(document, (files) => void (box.isConnected && uploads.add(files)))
}

/**
 * Adds an uploaded file to the start of the grid.
 * @param {import('./media-upload.js').Attachment} attachment
 */
function addTile(attachment) {
  const grid = document.querySelector('#media-grid')
  const template = document.querySelector('#media-tile')
  if (!(grid instanceof HTMLElement) || !(template instanceof HTMLTemplateElement)) return
  const tile = document.importNode(template.content, true)
  const [link, choose, image, name] = ['a', 'input', 'img', 'span'].map((part) => tile.querySelector(part))
  if (!(link instanceof HTMLAnchorElement) || !(choose instanceof HTMLInputElement)) return
  if (!(image instanceof HTMLImageElement) || !(name instanceof HTMLElement)) return
  const title = titleOf(attachment)
  const url = thumbnailOf(attachment)
  link.href = editUrl(attachment.id)
  choose.value = String(attachment.id)
  choose.setAttribute('aria-label', (grid.dataset['choose'] ?? '').replace('{title}', title))
  name.textContent = title
  if (url === '') image.remove()
  else image.src = url
  grid.prepend(tile)
  for (const part of document.querySelectorAll('#media-bulk')) if (part instanceof HTMLElement) part.hidden = false
  for (const empty of document.querySelectorAll('.bulk .empty')) empty.remove()
}

/** @param {import('./media-upload.js').Attachment} attachment */
function titleOf({ title, source_url: url }) {
  return title.raw || url.slice(url.lastIndexOf('/') + 1)
}

/** @param {number} id */
function editUrl(id) {
  return `${document.body.dataset['admin'] ?? ''}media/${id}`
}
