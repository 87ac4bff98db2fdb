import { button, duration, element, moveByArrows } from './elements.js'

/** @typedef {import('./types.d.ts').RequestSummary} RequestSummary */

/** The list of requests, latest first. */
export class RequestList {
  /** @param {(number: number) => void} choose called with the number of the selected request */
  constructor(choose) {
    this.choose = choose
    /** @type {RequestSummary[]} oldest first */
    this.requests = []
    this.shown = 0
    /** @type {number | null} */
    this.chosen = null
    this.filter = { place: '', plugin: '', text: '' }
    this.rows = element('tbody')
    this.empty = element('p', { class: 'hint' })
    this.element = element(
      'section',
      { 'aria-labelledby': 'requests-title', class: 'requests' },
      element('h2', { id: 'requests-title' }, 'Requests'),
      element(
        'div',
        { class: 'scroll' },
        element(
          'table',
          {},
          element(
            'thead',
            {},
            element(
              'tr',
              {},
              ...['Request', 'Status', 'Time', 'SQL', 'User'].map((name) => element('th', { scope: 'col' }, name)),
            ),
          ),
          this.rows,
        ),
        this.empty,
      ),
    )
    this.refreshReach = moveByArrows(this.rows, 'button')
    this.draw()
  }

  /**
   * Adds requests.
   * @param {readonly RequestSummary[]} requests
   * @param {number | null} first number of the oldest stored request
   */
  add(requests, first) {
    const remaining = this.requests.filter(({ number }) => first !== null && number >= first)
    if (requests.length === 0 && remaining.length === this.requests.length) return
    this.requests = [...remaining, ...requests]
    this.draw()
  }

  clear() {
    this.requests = []
    this.draw()
  }

  /** @param {Partial<RequestList['filter']>} change */
  filterBy(change) {
    Object.assign(this.filter, change)
    this.draw()
  }

  /** @param {number | null} number */
  mark(number) {
    this.chosen = number
    for (const row of this.rows.querySelectorAll('button')) {
      row.setAttribute('aria-pressed', String(Number(row.dataset['number']) === number))
    }
  }

  /** @param {RequestSummary} request */
  matches({ method, url, route, path, user, status, error, place, plugins }) {
    const { place: selected, plugin, text } = this.filter
    if (selected !== '' && place !== selected) return false
    if (plugin !== '' && !plugins.includes(plugin)) return false
    if (text === '') return true
    const all = [method, url, route, path, user?.login, status, error].join(' ').toLowerCase()
    return text
      .toLowerCase()
      .split(/\s+/)
      .every((word) => all.includes(word))
  }

  draw() {
    const { activeElement } = document
    const focused =
      activeElement instanceof HTMLElement && this.rows.contains(activeElement)
        ? activeElement.dataset['number']
        : undefined
    const shown = this.requests.filter((request) => this.matches(request)).toReversed()
    this.shown = shown.length
    this.rows.replaceChildren(...shown.map((request) => this.row(request)))
    this.empty.hidden = shown.length > 0
    this.empty.textContent =
      this.requests.length === 0 ? 'No requests yet. New requests appear here.' : 'No request matches the filter.'
    this.mark(this.chosen)
    this.refreshReach()
    const again = this.rows.querySelector(`[data-number="${focused ?? ''}"]`)
    if (again instanceof HTMLElement) again.focus()
  }

  /** @param {RequestSummary} request */
  row({ number, method, url, status, ms, statements, user, fromCache, error }) {
    const bad = status === null || status >= 500 ? 'bad' : status >= 400 ? 'poor' : 'good'
    const userName = user === null || user.id === 0 ? 'visitor' : (user.login ?? `user ${user.id}`)
    const open = button('', () => this.choose(number), { 'data-number': String(number), class: 'open' })
    const label = [element('span', { class: 'method' }, method), ' ', element('span', { class: 'url' }, url)]
    open.append(element('span', { class: 'lines' }, ...label))
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, open, error !== null && element('span', { class: 'wrong lines' }, error)),
      element('td', {}, element('span', { class: `status ${bad}` }, status === null ? 'none' : String(status))),
      element('td', { class: 'number' }, duration(ms)),
      element('td', { class: 'number' }, fromCache ? 'cached' : String(statements)),
      element('td', { class: 'who' }, userName),
    )
  }
}
