// The live preview. Each update uses a new iframe, so that it adds no entries to the browser history.

/** Milliseconds without typing before the preview is updated. */
const PREVIEW = 600

/** @param {HTMLFormElement} form @param {() => boolean} isReadOnly */
export function showPreview(form, isReadOnly) {
  const place = form.querySelector('[data-preview]')
  let number = 0
  let wait = 0
  const preview = () => {
    const shown = place?.querySelector('iframe:not(.waiting)')
    if (!(place instanceof HTMLElement) || !(shown instanceof HTMLIFrameElement) || isReadOnly()) return
    place.querySelector('.waiting')?.remove()
    number += 1
    const next = document.createElement('iframe')
    next.name = `preview-${number}`
    next.title = shown.title
    next.className = 'waiting'
    next.setAttribute('sandbox', 'allow-same-origin')
    place.append(next)
    next.addEventListener('load', () => {
      const made = next.contentDocument
      // Error pages, for example after the session has ended, cannot be framed: the last preview stays.
      if (made === null) return next.remove()
      if (made.location.href === 'about:blank') return
      const at = shown.contentWindow?.scrollY ?? 0
      shown.remove()
      next.className = ''
      next.contentWindow?.scrollTo(0, at)
    })
    const asked = document.createElement('input')
    asked.type = 'hidden'
    asked.name = 'do'
    asked.value = 'preview'
    form.append(asked)
    form.target = next.name
    // Skips the validation of required fields and the warning about unsaved changes.
    HTMLFormElement.prototype.submit.call(form)
    form.removeAttribute('target')
    asked.remove()
  }
  const laterPreview = () => {
    clearTimeout(wait)
    wait = window.setTimeout(preview, PREVIEW)
  }
  for (const name of ['title', 'content'])
    form.querySelector(`[name="${name}"]`)?.addEventListener('input', laterPreview)
  const pressed = form.querySelector('button[value="preview"]')
  pressed?.addEventListener('click', (event) => {
    event.preventDefault()
    preview()
  })
  const content = form.querySelector('[data-content]')
  if (content instanceof HTMLTextAreaElement && content.value !== '') preview()
}
