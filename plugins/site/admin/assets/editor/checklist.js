// The list of suggestions before a post is published.
import { element, openDialog, textButton } from './parts.js'

/** Maximum number of links that are checked. */
const MAX_LINKS = 30

/** @typedef {import('./editor.js').RichEditor} RichEditor */

/**
 * Shows what is missing in a post. Returns whether the user wants to publish it.
 * @param {HTMLFormElement} form
 * @param {RichEditor | null} rich
 * @param {(name: string, values?: Record<string, string | number>) => string} words
 * @returns {Promise<boolean>}
 */
export async function confirmPublishing(form, rich, words) {
  const findings = [
    ...missingFields(form, words),
    ...(rich === null ? [] : [...missingAlternatives(rich), ...(await draftLinks(rich))]),
  ]
  if (findings.length === 0) return true
  const answer = await openDialog(words('beforePublishing'), (close) => {
    const list = element('ul', {}, ...findings.map((text) => element('li', {}, text)))
    const actions = element(
      'p',
      { class: 'actions' },
      element('button', { class: 'primary', value: 'publish' }, words('publishAnyway')),
      textButton(words('keepWriting'), close),
    )
    return [element('form', { method: 'dialog' }, list, actions)]
  })
  return answer === 'publish'
}

/** @param {HTMLFormElement} form @param {(name: string) => string} words */
function missingFields(form, words) {
  const isEmpty = (/** @type {string} */ name) => {
    const field = form.elements.namedItem(name)
    return (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) && field.value.trim() === ''
  }
  const found = ['title', 'excerpt'].filter(isEmpty).map((name) => words(`no-${name}`))
  const categories = form.elements.namedItem('terms-categories[]')
  const boxes = categories instanceof RadioNodeList ? [...categories] : []
  const hasCategory =
    boxes.some((box) => box instanceof HTMLInputElement && box.checked) || !isEmpty('names-categories')
  return boxes.length > 0 && !hasCategory ? [...found, words('no-category')] : found
}

/** @param {RichEditor} rich */
function missingAlternatives(rich) {
  let count = 0
  rich.view.state.doc.descendants((node) => {
    if (node.type.name === 'image' && String(node.attrs['attributes']?.alt ?? '') === '') count += 1
  })
  return count === 0 ? [] : [rich.words('no-alt', { count })]
}

/** Finds links of this site that visitors cannot open. @param {RichEditor} rich */
async function draftLinks(rich) {
  /** @type {Map<string, string>} */
  const links = new Map()
  rich.view.state.doc.descendants((node) => {
    for (const mark of node.marks) {
      const href = mark.type.name === 'link' ? String(mark.attrs['attributes']?.href ?? '') : ''
      const url = URL.parse(href, location.origin)
      if (href !== '' && !href.startsWith('#') && url?.origin === location.origin)
        links.set(url.href, node.text ?? href)
    }
  })
  const checked = [...links].slice(0, MAX_LINKS).map(async ([url, text]) => {
    const response = await fetch(url, { method: 'HEAD', credentials: 'omit' }).catch(() => null)
    return response !== null && [401, 403, 404].includes(response.status) ? [rich.words('draft-link', { text })] : []
  })
  return (await Promise.all(checked)).flat()
}
