// Moves the items of a menu with buttons and drag and drop, and updates the fields with their positions.
import Sortable from 'sortablejs'
import { announce } from './announce.js'
import { wordsOf } from './words.js'

const ANIMATION_MS = 150
/** Pixels around an item without children within which a dragged item becomes its child. */
const EMPTY_LIST_REACH_PX = 10

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

  for (const items of [list, ...list.querySelectorAll('ol')]) {
    if (!(items instanceof HTMLElement)) continue
    Sortable.create(items, {
      group: 'menu',
      handle: '[data-handle]',
      animation: matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : ANIMATION_MS,
      // Follows the pointer on touch screens, too.
      forceFallback: true,
      fallbackOnBody: true,
      ghostClass: 'dropping',
      emptyInsertThreshold: EMPTY_LIST_REACH_PX,
      onStart: () => list.classList.add('sorting'),
      onEnd: ({ item }) => {
        list.classList.remove('sorting')
        if (item instanceof HTMLLIElement) store(item)
      },
    })
  }

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
