/** @typedef {string | Node | null | undefined | false} Child */

// oxlint-disable-next-line no-control-regex -- replaced on purpose
const INVISIBLE = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/**
 * Replaces invisible characters, and those that change the text direction, by their code points.
 * @param {string} text
 */
export function visible(text) {
  return text.replace(INVISIBLE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * Creates an element. Strings become text nodes, so markup in them is not interpreted.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | boolean | number | null | ((event: any) => void)>} [properties] attributes; `on…`
 * adds a listener; null and false omit the attribute
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === false) continue
    if (typeof value === 'function') node.addEventListener(name.slice(2), value)
    else node.setAttribute(name, value === true ? '' : visible(String(value)))
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false)
      node.append(typeof child === 'string' ? visible(child) : child)
  }
  return node
}

/**
 * A button.
 * @param {string} text
 * @param {(event: MouseEvent) => void} act
 * @param {Record<string, string | boolean | null>} [properties]
 */
export function button(text, act, properties = {}) {
  return element('button', { type: 'button', onclick: act, ...properties }, text)
}

/**
 * Formats milliseconds.
 * @param {number | null} ms
 */
export function duration(ms) {
  if (ms === null) return 'in progress'
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`
  return `${ms >= 100 ? ms.toFixed(0) : ms >= 1 ? ms.toFixed(1) : ms.toFixed(2)} ms`
}

/**
 * Colors a bar by its kind and plugin.
 * @param {HTMLElement} bar
 * @param {string} kind
 * @param {string | null} plugin
 */
export function color(bar, kind, plugin) {
  bar.classList.add(`kind-${kind}`)
  if (plugin === null) return
  let hue = 7
  for (const letter of plugin) hue = (hue * 31 + /** @type {number} */ (letter.codePointAt(0))) % 360
  bar.style.setProperty('--hue', String(hue))
  bar.classList.add('of-plugin')
}

/** Names of the kinds of steps. @type {Readonly<Record<string, string>>} */
export const KINDS = {
  all: 'All',
  request: 'Nested request',
  hook: 'Hook',
  tap: 'Tap',
  permission: 'Permission check',
  handler: 'Handler',
  transaction: 'Transaction',
  sql: 'SQL',
  outgoing: 'Outgoing request',
}

/**
 * Moves the focus among buttons by the arrow keys, Home and End. The Tab key reaches only one of the buttons.
 * @param {HTMLElement} around
 * @param {string} selector
 */
export function moveByArrows(around, selector) {
  /** @returns {HTMLElement[]} */
  const all = () => [...around.querySelectorAll(selector)].filter((one) => one instanceof HTMLElement)
  around.addEventListener('keydown', (event) => {
    const at = all().findIndex((one) => one === event.target)
    if (at < 0) return
    const targets = /** @type {Record<string, number>} */ ({
      ArrowDown: at + 1,
      ArrowRight: at + 1,
      ArrowUp: at - 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: all().length - 1,
    })
    const to = targets[event.key]
    if (to === undefined) return
    event.preventDefault()
    const next = all()[Math.min(Math.max(to, 0), all().length - 1)]
    if (next === undefined) return
    reach(next)
    next.focus()
  })
  around.addEventListener('focusin', (event) => {
    if (event.target instanceof HTMLElement && event.target.matches(selector)) reach(event.target)
  })
  /** @param {HTMLElement} one */
  const reach = (one) => {
    for (const other of all()) other.tabIndex = other === one ? 0 : -1
  }
  return () => {
    const buttons = all()
    const reached = buttons.find((one) => one.tabIndex === 0 && one.hasAttribute('tabindex')) ?? buttons[0]
    if (reached !== undefined) reach(reached)
  }
}
