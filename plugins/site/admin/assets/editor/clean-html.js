// Cleans pasted HTML of word processors and web pages: the structure stays, styles go.
import { isCopiedHere, isScript } from './model/index.js'

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
  'script, style, meta, link, title, head, xml, template, noscript, object, input, button, select, textarea, svg, math, iframe'
/** Elements and attributes that can run scripts, or whose content browsers and the editor read differently. */
const DANGEROUS = 'script, object, embed, base, link, meta[http-equiv], template, noscript, textarea, title, svg, math'
const BLOCKS =
  'p, h1, h2, h3, h4, h5, h6, ul, ol, li, dl, dt, dd, table, blockquote, pre, hr, figure, div, section, article, header, ' +
  'footer, main, aside, nav, address, form, details, summary, figcaption'
/** @type {Readonly<Record<string, readonly string[]>>} */
const KEPT_ATTRIBUTES = {
  a: ['href', 'target', 'rel', 'title'],
  img: ['src', 'alt', 'width', 'height'],
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan', 'scope'],
  ol: ['start', 'reversed', 'type'],
  pre: ['class'],
  code: ['class'],
}

/**
 * Returns clean HTML of pasted HTML. HTML that was copied in the editor stays as it is.
 * @param {string} html
 */
export function cleanHtml(html) {
  if (isCopiedHere(html)) return html
  const { body } = parseDocument(html)
  removeComments(body)
  for (const one of body.querySelectorAll(REMOVED)) one.remove()
  for (const one of body.querySelectorAll('*')) if (one.tagName.includes(':')) one.replaceWith(...one.childNodes)
  buildLists(body)
  namedParagraphs(body)
  markStyles(body)
  for (const one of body.querySelectorAll('*')) cleanElement(one)
  for (const pre of body.querySelectorAll('pre')) cleanCode(pre)
  for (const code of body.querySelectorAll('code')) code.removeAttribute('class')
  for (const item of body.querySelectorAll('li')) joinParagraphs(item)
  nestLists(body)
  for (const one of body.querySelectorAll('br')) if (isAtEdge(one)) one.remove()
  cleanTables(body)
  for (const one of body.querySelectorAll('p')) if (containsOnlyImages(one)) one.replaceWith(...one.childNodes)
  for (const one of body.querySelectorAll('p, h1, h2, h3, h4, h5, h6')) if (isEmpty(one)) one.remove()
  return body.innerHTML
}

/**
 * Returns the block markup in pasted HTML or text; null if it contains none, or markup that can run scripts.
 * @param {string} pasted
 * @param {string} mark prefix of block comments
 */
export function blockMarkupOf(pasted, mark) {
  const start = pasted.indexOf(`<!-- ${mark}:`)
  const last = Math.max(pasted.lastIndexOf(`<!-- ${mark}:`), pasted.lastIndexOf(`<!-- /${mark}:`))
  const end = pasted.indexOf('-->', last)
  if (start < 0 || end < 0) return null
  const markup = pasted.slice(start, end + 3)
  return isDangerous(markup) ? null : markup
}

/** @param {string} html */
function isDangerous(html) {
  return [...parseDocument(html).querySelectorAll('*')].some(
    (one) =>
      one.matches(DANGEROUS) ||
      [...one.attributes].some(({ name, value }) => /^(?:on|srcdoc$)/i.test(name) || isScript(value)),
  )
}

/** A block of code has the class with its language. @param {Element} pre */
function cleanCode(pre) {
  const code = pre.querySelector('code')
  const language = /\blanguage-[\w+#.-]{1,40}/.exec(`${pre.className} ${code?.className ?? ''}`)?.[0]
  if (language === undefined) pre.removeAttribute('class')
  else pre.className = language
  code?.replaceWith(...code.childNodes)
}

/** Whether an element contains images and no text. @param {Element} one */
export function containsOnlyImages(one) {
  return (one.textContent ?? '').trim() === '' && one.querySelector('img') !== null
}

/** Whether a line break is next to a block, or at the start or end of one. @param {Element} lineBreak */
function isAtEdge(lineBreak) {
  const parent = lineBreak.parentElement
  return [neighborOf(lineBreak, 'previousSibling'), neighborOf(lineBreak, 'nextSibling')].some((next) =>
    next === null ? parent?.matches(`body, td, th, ${BLOCKS}`) : next instanceof Element && next.matches(BLOCKS),
  )
}

/** Returns the next sibling that is not only spaces. @param {Node} node @param {'previousSibling' | 'nextSibling'} side */
function neighborOf(node, side) {
  let next = node[side]
  while (next?.nodeType === Node.TEXT_NODE && next.textContent?.trim() === '') next = next[side]
  return next
}

/** Cells contain lines of text. A table with one cell is its content. @param {HTMLElement} body */
function cleanTables(body) {
  for (const table of [...body.querySelectorAll('table')].reverse()) {
    const cells = [...table.querySelectorAll('td, th')]
    const [cell] = cells
    if (cells.length === 1 && cell !== undefined && cell.querySelector(BLOCKS) !== null) {
      table.replaceWith(...cell.childNodes)
      continue
    }
    for (const one of cells) joinLines(one)
    const caption = table.querySelector('caption')
    if (caption === null) continue
    const figure = document.createElement('figure')
    const text = document.createElement('figcaption')
    text.append(...caption.childNodes)
    caption.remove()
    table.replaceWith(figure)
    figure.append(table, text)
  }
}

/** Replaces the blocks in an element by lines. @param {Element} one */
function joinLines(one) {
  for (const block of one.querySelectorAll(BLOCKS)) {
    block.before(document.createElement('br'))
    block.replaceWith(...block.childNodes, document.createElement('br'))
  }
  for (const lineBreak of one.querySelectorAll('br')) {
    const before = neighborOf(lineBreak, 'previousSibling')
    if (before === null || before.nodeName === 'BR' || neighborOf(lineBreak, 'nextSibling') === null) lineBreak.remove()
  }
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
  let lastName = ''
  for (const paragraph of body.querySelectorAll('p')) {
    const [, name = '', digit] = /mso-list:\s*(\w+)\s+level(\d)/i.exec(paragraph.getAttribute('style') ?? '') ?? []
    const level = Number(digit ?? 0)
    if (level === 0) continue
    const bullet = [...paragraph.querySelectorAll('span')].find((one) =>
      /mso-list:\s*Ignore/i.test(one.getAttribute('style') ?? ''),
    )
    const number = /^\s*(\d+|[a-z]{1,4})[.)]/i.exec(bullet?.textContent ?? '')?.[1]
    const tag = number === undefined ? 'ul' : 'ol'
    bullet?.remove()
    if (last === null || paragraph.previousElementSibling !== last || name !== lastName) lists = []
    lastName = name
    lists = lists.slice(0, level)
    if (lists.at(level - 1)?.localName !== tag) lists = lists.slice(0, level - 1)
    while (lists.length < level) {
      const list = document.createElement(tag)
      if (Number(number) > 1) list.setAttribute('start', String(number))
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
    const isHeading = span.closest('h1, h2, h3, h4, h5, h6') !== null
    const weight = styleOf(span, 'font-weight')
    const position = styleOf(span, 'vertical-align')
    const tags = [
      ...(!isHeading && (weight === 'bold' || Number(weight) >= 600) ? ['strong'] : []),
      ...(styleOf(span, 'font-style') === 'italic' ? ['em'] : []),
      ...(/line-through/.test(styleOf(span, 'text-decoration') + styleOf(span, 'text-decoration-line')) ? ['s'] : []),
      ...(position === 'super' ? ['sup'] : position === 'sub' ? ['sub'] : []),
    ]
    for (const tag of tags) {
      const wrapper = document.createElement(tag)
      wrapper.append(...span.childNodes)
      span.append(wrapper)
    }
  }
}

/**
 * Returns a value of the attribute `style`. Browsers do not read it in a page whose policy forbids inline styles.
 * @param {Element} one
 * @param {string} name
 */
function styleOf(one, name) {
  const style = one.getAttribute('style') ?? ''
  const values = style.split(';').map((part) => part.split(':').map((text) => text.trim().toLowerCase()))
  return values.findLast(([key]) => key === name)?.[1] ?? ''
}

/** @param {Element} one */
function cleanElement(one) {
  const tag = one.tagName.toLowerCase()
  const isUnwrapped =
    tag === 'span' ||
    tag === 'font' ||
    tag === 'u' ||
    (/^(?:b|strong)$/.test(tag) && /^(?:normal|400)$/.test(styleOf(one, 'font-weight'))) ||
    (/^(?:i|em)$/.test(tag) && styleOf(one, 'font-style') === 'normal') ||
    // Bookmarks of Word.
    (tag === 'a' && /^(?:$|#_)/.test(one.getAttribute('href') ?? ''))
  if (isUnwrapped) return one.replaceWith(...one.childNodes)
  const kept = KEPT_ATTRIBUTES[tag] ?? []
  for (const { name } of Array.from(one.attributes)) if (!kept.includes(name)) one.removeAttribute(name)
  if (tag === 'img' && !/^https?:/i.test(one.getAttribute('src') ?? '')) return one.remove()
  if (tag === 'a') {
    const href = (one.getAttribute('href') ?? '').trim()
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
