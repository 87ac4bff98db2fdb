// Filters cards while the user types. Without scripts, the form requests the filtered page.
import { announce } from './announce.js'

for (const form of document.querySelectorAll('form[data-filter-cards]')) {
  const field = form.querySelector('input[type="search"]')
  if (!(field instanceof HTMLInputElement) || !(form instanceof HTMLElement)) continue
  const cards = [...document.querySelectorAll('.cards > .card')].filter((card) => card instanceof HTMLElement)
  const empty = document.querySelector('[data-no-cards]')
  const show = () => {
    const search = field.value.trim().toLowerCase()
    for (const card of cards) card.hidden = !(card.textContent ?? '').toLowerCase().includes(search)
    const number = cards.filter((card) => !card.hidden).length
    if (empty instanceof HTMLElement) empty.hidden = number > 0
    announce((form.dataset['found'] ?? '').replace('{count}', String(number)))
  }
  field.addEventListener('input', show)
  form.addEventListener('submit', (event) => {
    // A page that the server has filtered lacks cards.
    if (new URL(location.href).searchParams.get('search')) return
    event.preventDefault()
    show()
  })
}
