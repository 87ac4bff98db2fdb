// Search fields for selects and checkboxes that contain only the first items, such as terms and parents.
import { announce } from './announce.js'
import { request } from './api.js'

/** @param {HTMLFormElement} form @param {(name: string) => string} words */
export function searchChoices(form, words) {
  for (const list of form.querySelectorAll('[data-filter-list]')) if (list instanceof HTMLElement) searchTicks(list)
  for (const one of form.querySelectorAll('[data-search]')) if (one instanceof HTMLElement) searchChoice(one)
  for (const input of form.querySelectorAll('input[data-suggest]'))
    if (input instanceof HTMLInputElement) suggest(input)

  /** @param {string} label @param {(text: string) => void | Promise<void>} found */
  function searchField(label, found) {
    const input = document.createElement('input')
    input.type = 'search'
    input.setAttribute('aria-label', label)
    input.placeholder = words('search')
    let waiting = 0
    input.addEventListener('input', (event) => {
      // The search text is not part of the form.
      event.stopPropagation()
      clearTimeout(waiting)
      waiting = window.setTimeout(() => void found(input.value.trim()), 250)
    })
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') event.preventDefault()
    })
    return input
  }

  /** Filters checkboxes, and adds more from the REST API. @param {HTMLElement} list */
  function searchTicks(list) {
    const choices = list.querySelector('.choices')
    const legend = list.querySelector('legend')
    if (choices === null || legend === null) return
    const name = list.querySelector('input[type="hidden"]')?.getAttribute('name') ?? ''
    const input = searchField(`${words('search')}: ${legend.textContent}`, (text) => void find(text))
    legend.after(input)
    /** @param {string} text */
    const find = async (text) => {
      const route = list.dataset['route']
      if (text !== '' && route !== undefined) {
        const { data } = await request(`${route}?search=${encodeURIComponent(text)}&per_page=20&_fields=id,name`)
        for (const term of data) {
          const boxId = `found-${name}-${term.id}`
          if (choices.querySelector(`input[value="${term.id}"]`) !== null) continue
          const item = document.createElement('li')
          const box = Object.assign(document.createElement('input'), {
            type: 'checkbox',
            name,
            value: term.id,
            id: boxId,
          })
          const label = Object.assign(document.createElement('label'), { htmlFor: boxId, textContent: term.name })
          item.append(box, ' ', label)
          choices.append(item)
        }
      }
      for (const item of choices.querySelectorAll('li'))
        item.hidden = !(item.textContent ?? '').toLowerCase().includes(text.toLowerCase())
    }
  }

  /** Adds search results to a select. @param {HTMLElement} place */
  function searchChoice(place) {
    const select = place.querySelector('select')
    const label = place.querySelector('label')
    if (select === null || label === null) return
    const input = searchField(`${words('search')}: ${label.textContent}`, async (text) => {
      const { data } = await request(`${place.dataset['search']}&search=${encodeURIComponent(text)}&per_page=50`)
      const pinned = [...select.options].filter((option) => option.selected || option.value === '0')
      const found = data
        .filter((/** @type {{ id: number }} */ one) => !pinned.some(({ value }) => value === String(one.id)))
        .map(
          (/** @type {{ id: number, name?: string, title?: { raw: string } }} */ one) =>
            new Option(one.name ?? one.title?.raw ?? '', String(one.id)),
        )
      select.replaceChildren(...pinned, ...found)
      announce(found.length === 0 ? words('none') : String(found.length))
    })
    label.after(input)
  }

  /** Suggests names of terms that begin with the last name. @param {HTMLInputElement} input */
  function suggest(input) {
    const list = document.createElement('datalist')
    list.id = `${input.id}-names`
    input.after(list)
    input.setAttribute('list', list.id)
    let waiting = 0
    input.addEventListener('input', () => {
      clearTimeout(waiting)
      waiting = window.setTimeout(() => void find(), 250)
    })
    const find = async () => {
      const at = input.value.lastIndexOf(',') + 1
      const typed = input.value.slice(at).trim()
      if (typed === '') return
      const { data } = await request(
        `${input.dataset['suggest']}?search=${encodeURIComponent(typed)}&per_page=10&_fields=name`,
      )
      const before = at === 0 ? '' : `${input.value.slice(0, at)} `
      list.replaceChildren(...data.map((/** @type {{ name: string }} */ { name }) => new Option('', before + name)))
    }
  }
}
