// The live preview. Each update uses a new iframe, so that it adds no entries to the browser history.

/** Milliseconds without typing before the preview is updated. */
const PREVIEW_DELAY_MS = 600

/**
 * @param {HTMLFormElement} form
 * @param {() => boolean} isReadOnly
 * @param {() => boolean} isRich whether the page shows the rich editor: the preview then opens in another tab
 */
export function showPreview(form, isReadOnly, isRich) {
  const place = form.querySelector('[data-preview]')
  let number = 0
  let wait = 0
  const preview = () => {
    const shown = place?.querySelector('iframe:not(.waiting)')
    if (!(place instanceof HTMLElement) || !(shown instanceof HTMLIFrameElement) || isReadOnly() || isRich()) return
    place.querySelector('.waiting')?.remove()
    number += 1
    const next = document.createElement('iframe')
    next.name = `preview-${number}`
    next.title = shown.title
    next.className = 'waiting'
    next.setAttribute('sandbox', 'allow-same-origin')
    place.append(next)
    next.addEventListener('load', () => {
      const previewDocument = next.contentDocument
      // Error pages, for example after the session has ended, cannot be framed: the last preview stays.
      if (previewDocument === null) return next.remove()
      if (previewDocument.location.href === 'about:blank') return
      const at = shown.contentWindow?.scrollY ?? 0
      shown.remove()
      next.className = ''
      next.contentWindow?.scrollTo(0, at)
    })
    const actionInput = document.createElement('input')
    actionInput.type = 'hidden'
    actionInput.name = 'do'
    actionInput.value = 'preview'
    form.append(actionInput)
    form.target = next.name
    // Skips the validation of required fields and the warning about unsaved changes.
    HTMLFormElement.prototype.submit.call(form)
    form.removeAttribute('target')
    actionInput.remove()
  }
  const laterPreview = () => {
    clearTimeout(wait)
    wait = window.setTimeout(preview, PREVIEW_DELAY_MS)
  }
  for (const name of ['title', 'content'])
    form.querySelector(`[name="${name}"]`)?.addEventListener('input', laterPreview)
  form.querySelector('button[value="preview"]')?.addEventListener('click', (event) => {
    if (isRich()) return
    event.preventDefault()
    preview()
  })
  const content = form.querySelector('[data-content]')
  if (content instanceof HTMLTextAreaElement && content.value !== '') preview()
}
