// Moves the items of a menu with buttons and drag and drop, and updates the fields with their positions.
import { announce } from './announce.js'
import { wordsOf } from './words.js'

const list = document.querySelector('#menu-items')
if (list instanceof HTMLOListElement) improve(list)

/** @param {HTMLOListElement} list */
function improve(list) {
  const words = wordsOf(list)
  for (const fields of list.querySelectorAll('[data-without-script]'))
    if (fields instanceof HTMLElement) fields.hidden = true
  for (const part of list.querySelectorAll('[data-move], [data-handle]'))
    if (part instanceof HTMLElement) part.hidden = false

  list.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('[data-move]') : null
    const item = button?.closest('[data-item]')
    if (!(button instanceof HTMLButtonElement) || !(item instanceof HTMLLIElement)) return
    const moved = move(item, button.dataset['move'] ?? '')
    // Moving an element removes its focus.
    button.focus()
    if (moved) store(item)
    else announce(words('stays', { title: titleOf(item) }))
  })

  /** @type {HTMLLIElement | null} */
  let dragged = null
  for (const handle of list.querySelectorAll('[data-handle]')) {
    if (!(handle instanceof HTMLElement)) continue
    handle.draggable = true
    handle.addEventListener('dragstart', (event) => {
      const item = handle.closest('[data-item]')
      if (!(item instanceof HTMLLIElement) || event.dataTransfer === null) return
      dragged = item
      event.dataTransfer.effectAllowed = 'move'
      event.dataTransfer.setData('text/plain', titleOf(item))
      event.dataTransfer.setDragImage(item, 0, 0)
    })
    handle.addEventListener('dragend', () => {
      dragged = null
      clear(list)
    })
  }
  list.addEventListener('dragover', (event) => {
    const place = dragged === null ? null : placeOf(event, dragged)
    clear(list)
    if (place === null) return
    event.preventDefault()
    place.item.firstElementChild?.classList.add(`drop-${place.position}`)
  })
  list.addEventListener('drop', (event) => {
    const place = dragged === null ? null : placeOf(event, dragged)
    clear(list)
    if (place === null || dragged === null) return
    event.preventDefault()
    if (place.position === 'below') listOf(place.item).prepend(dragged)
    else if (place.position === 'before') place.item.before(dragged)
    else place.item.after(dragged)
    store(dragged)
  })

  /** Updates the position fields of all items, and announces the new position. @param {HTMLLIElement} moved */
  function store(moved) {
    for (const [index, item] of [...list.querySelectorAll('[data-item]')].entries()) {
      if (!(item instanceof HTMLLIElement)) continue
      const above = aboveOf(item)
      set(`menu_order-${item.dataset['item']}`, String(index + 1))
      set(`parent-${item.dataset['item']}`, above?.dataset['item'] ?? '0')
    }
    list.dispatchEvent(new Event('input', { bubbles: true }))
    const siblings = [...(moved.parentElement?.children ?? [])]
    const above = aboveOf(moved)
    const placement = { title: titleOf(moved), place: siblings.indexOf(moved) + 1, count: siblings.length }
    announce(above === null ? words('moved', placement) : words('movedBelow', { ...placement, parent: titleOf(above) }))
  }
}

/**
 * @param {HTMLLIElement} item
 * @param {string} direction
 * @returns {boolean} false if the item cannot move that way
 */
function move(item, direction) {
  const { previousElementSibling: before, nextElementSibling: after } = item
  const above = aboveOf(item)
  if (direction === 'up' && before !== null) before.before(item)
  else if (direction === 'down' && after !== null) after.after(item)
  else if (direction === 'in' && before instanceof HTMLLIElement) listOf(before).append(item)
  else if (direction === 'out' && above !== null) above.after(item)
  else return false
  return true
}

/**
 * Returns the drop position: before or after an item, or as its child if the pointer is far to the right.
 * @param {DragEvent} event
 * @param {HTMLLIElement} dragged
 */
function placeOf(event, dragged) {
  const item = event.target instanceof Element ? event.target.closest('[data-item]') : null
  if (!(item instanceof HTMLLIElement) || dragged.contains(item)) return null
  const row = item.firstElementChild?.getBoundingClientRect()
  if (row === undefined) return null
  if (event.clientY < row.top + row.height / 2) return { item, position: 'before' }
  return { item, position: event.clientX > row.left + CHILD_INDENT_PX ? 'below' : 'after' }
}

/** Pixels from the left edge of an item from which a drop makes the dragged item a child. */
const CHILD_INDENT_PX = 60

/** @param {HTMLElement} list */
function clear(list) {
  for (const row of list.querySelectorAll('.menu-item')) row.classList.remove('drop-before', 'drop-after', 'drop-below')
}

/**
 * Returns the list of the child items; creates it if it is missing.
 * @param {HTMLLIElement} item
 */
function listOf(item) {
  const found = item.querySelector(':scope > ol')
  if (found instanceof HTMLOListElement) return found
  const created = document.createElement('ol')
  item.append(created)
  return created
}

/** @param {HTMLLIElement} item */
function aboveOf(item) {
  const above = item.parentElement?.closest('[data-item]')
  return above instanceof HTMLLIElement ? above : null
}

/** @param {HTMLLIElement} item */
function titleOf(item) {
  return item.dataset['title'] ?? ''
}

/**
 * @param {string} name
 * @param {string} value
 */
function set(name, value) {
  const field = document.querySelector(`[name="${name}"]`)
  if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = value
}
