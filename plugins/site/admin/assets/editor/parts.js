// Buttons, icons and menus of the rich editor.

const icons = new URL('../icons.svg', import.meta.url).href

/** @param {string} name name of an icon in the sprite */
export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('class', 'icon')
  svg.setAttribute('aria-hidden', 'true')
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use')
  use.setAttribute('href', `${icons}#${name}`)
  svg.append(use)
  return svg
}

/**
 * Creates an element.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | boolean | number>} attributes `true` for an attribute without a value
 * @param {...(Node | string)} content
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, attributes = {}, ...content) {
  const created = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes))
    if (value !== false) created.setAttribute(name, value === true ? '' : String(value))
  created.append(...content)
  return created
}

/**
 * Creates a button with an icon. Its label is its tooltip.
 * @param {string} name of the icon
 * @param {string} label
 * @param {() => void} act
 * @param {string} [shortcut] shown in the tooltip
 */
export function iconButton(name, label, act, shortcut = '') {
  const title = shortcut === '' ? label : `${label} (${shortcut})`
  const button = element('button', { type: 'button', class: 'tool', 'aria-label': label, title }, icon(name))
  // A click must not move the focus out of the text.
  button.addEventListener('mousedown', (event) => event.preventDefault())
  button.addEventListener('click', act)
  return button
}

/**
 * Creates a button with a text.
 * @param {string} text
 * @param {() => void} act
 * @param {string} [className]
 */
export function textButton(text, act, className = '') {
  const button = element('button', { type: 'button', class: className }, text)
  button.addEventListener('click', act)
  return button
}

let fieldCount = 0

/**
 * Creates a field with a label.
 * @param {string} text label
 * @param {HTMLElement} input
 */
export function labeled(text, input) {
  fieldCount += 1
  input.id ||= `editor-field-${fieldCount}`
  const isTick = input instanceof HTMLInputElement && input.type === 'checkbox'
  const label = element('label', { for: input.id }, text)
  return element('div', { class: isTick ? 'field check' : 'field' }, ...(isTick ? [input, ' ', label] : [label, input]))
}

/**
 * Creates a select.
 * @param {readonly { value: string, label: string }[]} choices
 * @param {string} value
 * @param {(value: string) => void} change
 */
export function choiceInput(choices, value, change) {
  const select = element('select')
  const all = choices.some((one) => one.value === value) ? choices : [{ value, label: value }, ...choices]
  for (const one of all) select.append(new Option(one.label, one.value, false, one.value === value))
  select.addEventListener('change', () => change(select.value))
  return select
}

/**
 * Makes arrow keys move between the buttons of a toolbar.
 * @param {HTMLElement} toolbar
 */
export function arrowKeys(toolbar) {
  toolbar.addEventListener('keydown', (event) => {
    const buttons = [...toolbar.querySelectorAll('button')].filter((one) => !one.hidden && one.offsetParent !== null)
    const at = buttons.findIndex((one) => one === document.activeElement)
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (at < 0 || step === 0) return
    event.preventDefault()
    buttons[(at + step + buttons.length) % buttons.length]?.focus()
  })
}

/**
 * Places a floating element above or below a rectangle of the window, inside of a positioned parent.
 * @param {HTMLElement} floating
 * @param {{ top: number, bottom: number, left: number }} target
 * @param {'above' | 'below'} side
 */
export function place(floating, target, side) {
  const parent = floating.offsetParent ?? document.body
  const frame = parent.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = floating
  const minLeft = 8 - frame.left
  const left = Math.max(
    minLeft,
    Math.min(target.left - frame.left, document.documentElement.clientWidth - frame.left - width - 8),
  )
  const isRoomAbove = target.top - height - 8 > 60
  const isRoomBelow = target.bottom + height + 8 < window.innerHeight
  const above = side === 'above' ? isRoomAbove || !isRoomBelow : !isRoomBelow && isRoomAbove
  const top = above ? target.top - height - 8 : target.bottom + 8
  floating.style.left = `${left}px`
  floating.style.top = `${top - frame.top + parent.scrollTop}px`
}

/**
 * Shows a modal dialog and removes it after it was closed.
 * @param {string} title
 * @param {(close: () => void) => (Node | string)[]} build returns the content
 */
export function openDialog(title, build) {
  const heading = element('h2', { id: 'editor-dialog-title' }, title)
  const dialog = element('dialog', { class: 'editor-dialog', 'aria-labelledby': 'editor-dialog-title' }, heading)
  dialog.append(...build(() => dialog.close()))
  const closed = new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue)
    })
  })
  document.body.append(dialog)
  dialog.showModal()
  return closed
}
