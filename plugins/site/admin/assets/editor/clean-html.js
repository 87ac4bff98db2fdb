// Cleans pasted HTML of word processors and web pages: the structure stays, styles go.

/** @type {{ createHTML: (html: string) => any }} */
const policy = Reflect.get(window, 'trustedTypes')?.createPolicy('svc-editor-paste', {
  // The HTML is only parsed, into a document without scripts, and ProseMirror reads known elements from it.
  createHTML: (/** @type {string} */ html) => html,
}) ?? { createHTML: (/** @type {string} */ html) => html }

/** @param {string} html */
export function parseDocument(html) {
  return new DOMParser().parseFromString(policy.createHTML(html), 'text/html')
}

const REMOVED =
  'script, style, meta, link, title, head, xml, template, noscript, object, input, button, select, textarea, svg'
/** @type {Readonly<Record<string, readonly string[]>>} */
const KEPT_ATTRIBUTES = {
  a: ['href', 'target', 'rel', 'title'],
  img: ['src', 'alt', 'width', 'height'],
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan', 'scope'],
  ol: ['start', 'reversed', 'type'],
  code: ['class', 'lang'],
}

/**
 * Returns clean HTML of pasted HTML. HTML that the editor itself has copied stays as it is.
 * @param {string} html
 */
export function cleanHtml(html) {
  if (html.includes('data-pm-slice')) return html
  const { body } = parseDocument(html)
  removeComments(body)
  for (const one of body.querySelectorAll(REMOVED)) one.remove()
  for (const one of body.querySelectorAll('*')) if (one.tagName.includes(':')) one.replaceWith(...one.childNodes)
  buildLists(body)
  namedParagraphs(body)
  markStyles(body)
  for (const one of body.querySelectorAll('*')) cleanElement(one)
  for (const item of body.querySelectorAll('li')) joinParagraphs(item)
  nestLists(body)
  for (const one of body.querySelectorAll('p, h1, h2, h3, h4, h5, h6')) if (isEmpty(one)) one.remove()
  return body.innerHTML
}

/** @param {Node} root */
function removeComments(root) {
  for (const child of Array.from(root.childNodes)) {
    if (child.nodeType === Node.COMMENT_NODE) child.remove()
    else removeComments(child)
  }
}

/**
 * Word writes list items as paragraphs with a level in their style, and the bullet as text.
 * @param {HTMLElement} body
 */
function buildLists(body) {
  /** Open lists by level. @type {HTMLElement[]} */
  let lists = []
  /** @type {Element | null} */
  let last = null
  for (const paragraph of body.querySelectorAll('p')) {
    const level = Number(/mso-list:\s*\w+\s+level(\d)/i.exec(paragraph.getAttribute('style') ?? '')?.[1] ?? 0)
    if (level === 0) continue
    const bullet = [...paragraph.querySelectorAll('span')].find((one) =>
      /mso-list:\s*Ignore/i.test(one.getAttribute('style') ?? ''),
    )
    const isOrdered = /^\s*(?:\d+|[a-z]{1,4})[.)]/i.test(bullet?.textContent ?? '')
    bullet?.remove()
    if (last === null || paragraph.previousElementSibling !== last) lists = []
    lists = lists.slice(0, level)
    while (lists.length < level) {
      const list = document.createElement(isOrdered ? 'ol' : 'ul')
      const parent = lists.at(-1)
      if (parent === undefined) paragraph.before(list)
      else (parent.lastElementChild ?? parent.appendChild(document.createElement('li'))).append(list)
      lists.push(list)
    }
    const item = document.createElement('li')
    item.append(...paragraph.childNodes)
    lists[level - 1]?.append(item)
    paragraph.remove()
    last = lists[0] ?? null
  }
}

/** Titles and quotes of Word are paragraphs with a class. @param {HTMLElement} body */
function namedParagraphs(body) {
  for (const paragraph of body.querySelectorAll('p[class]')) {
    const { className } = paragraph
    const tag = /MsoTitle/.test(className)
      ? 'h1'
      : /MsoSubtitle/.test(className)
        ? 'h2'
        : /Mso(?:Intense)?Quote/.test(className)
          ? 'blockquote'
          : null
    if (tag === null) continue
    const changed = document.createElement(tag)
    if (tag === 'blockquote') changed.append(Object.assign(document.createElement('p'), { textContent: '' }))
    ;(changed.firstElementChild ?? changed).append(...paragraph.childNodes)
    paragraph.replaceWith(changed)
  }
}

/** Turns bold, italic, struck and raised text of styles into elements. @param {HTMLElement} body */
function markStyles(body) {
  for (const span of body.querySelectorAll('span, font')) {
    if (!(span instanceof HTMLElement)) continue
    const { fontWeight, fontStyle, textDecoration, textDecorationLine, verticalAlign } = span.style
    const isHeading = span.closest('h1, h2, h3, h4, h5, h6') !== null
    const tags = [
      ...(!isHeading && (fontWeight === 'bold' || Number(fontWeight) >= 600) ? ['strong'] : []),
      ...(fontStyle === 'italic' ? ['em'] : []),
      ...(/line-through/.test(`${textDecoration} ${textDecorationLine}`) ? ['s'] : []),
      ...(verticalAlign === 'super' ? ['sup'] : verticalAlign === 'sub' ? ['sub'] : []),
    ]
    for (const tag of tags) {
      const wrapper = document.createElement(tag)
      wrapper.append(...span.childNodes)
      span.append(wrapper)
    }
  }
}

/** @param {Element} one */
function cleanElement(one) {
  const tag = one.tagName.toLowerCase()
  const isUnwrapped =
    tag === 'span' ||
    tag === 'font' ||
    tag === 'u' ||
    (tag === 'b' && one instanceof HTMLElement && one.style.fontWeight === 'normal') ||
    (tag === 'a' && !one.hasAttribute('href'))
  if (isUnwrapped) return one.replaceWith(...one.childNodes)
  const kept = KEPT_ATTRIBUTES[tag] ?? []
  for (const { name } of Array.from(one.attributes)) if (!kept.includes(name)) one.removeAttribute(name)
  if (tag === 'img' && !/^https?:/i.test(one.getAttribute('src') ?? '')) return one.remove()
  if (tag === 'a') {
    const href = one.getAttribute('href') ?? ''
    // Google Docs links to a page that redirects.
    const target = href.startsWith('https://www.google.com/url?') ? new URL(href).searchParams.get('q') : null
    if (target !== null) one.setAttribute('href', target)
    if (!/^(?:https?:|mailto:|tel:|[/#])/i.test(target ?? href)) one.replaceWith(...one.childNodes)
  }
}

/** Items of lists contain text, not paragraphs. @param {Element} item */
function joinParagraphs(item) {
  const paragraphs = [...item.children].filter((one) => one.tagName === 'P' || one.tagName === 'DIV')
  for (const [index, paragraph] of paragraphs.entries()) {
    if (index > 0) paragraph.before(document.createElement('br'))
    paragraph.replaceWith(...paragraph.childNodes)
  }
}

/** Google Docs puts inner lists next to the item they belong to. @param {HTMLElement} body */
function nestLists(body) {
  for (const list of body.querySelectorAll(':is(ul, ol) > :is(ul, ol)')) {
    const item = list.previousElementSibling
    if (item?.tagName === 'LI') item.append(list)
  }
}

/** @param {Element} one */
function isEmpty(one) {
  return (one.textContent ?? '').replace(/[\s\u00a0]/g, '') === '' && one.querySelector('img, hr, table') === null
}
