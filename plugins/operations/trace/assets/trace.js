import { button, element, visible } from './elements.js'
import { FlameChart } from './flame.js'
import { RequestList } from './requests.js'
import { Waterfall } from './steps.js'

/** @typedef {import('./types.d.ts').RequestUpdate} RequestUpdate */

/** Milliseconds between two requests for new traces. */
const POLL_INTERVAL_MS = 1000

const base = /** @type {string} */ (document.body.dataset['base'])
const home = /** @type {string} */ (document.body.dataset['home'])

let isPaused = false
/** The current fetch of new traces. @type {Promise<void> | null} */
let fetching = null
let latest = 0
let processId = ''
/** @type {string} */
let options = ''

const waterfall = new Waterfall()
const list = new RequestList((number) => void open(number))
const flame = new FlameChart(() => void loadFlame())

const status = element('p', { role: 'status', class: 'live' })
const processInfo = element('p', { class: 'where' })
const alert = element('p', { role: 'alert', hidden: true })
const pause = button(
  'Pause',
  () => {
    isPaused = !isPaused
    pause.setAttribute('aria-pressed', String(isPaused))
    showStatus()
    if (!isPaused) void refresh()
  },
  { 'aria-pressed': 'false' },
)
const clear = button('Clear', () => void clearAll())
const places = element('select', { id: 'filter-route', onchange: () => filter({ place: places.value }) })
const plugins = element('select', { id: 'filter-plugin', onchange: () => filter({ plugin: plugins.value }) })
const text = element('input', {
  type: 'search',
  id: 'filter-text',
  placeholder: 'URL, status, user …',
  oninput: () => filter({ text: text.value.trim() }),
})
const textFilter = element('span', {}, element('label', { for: 'filter-text' }, 'Text '), text)

const views = { requests: element('div', { class: 'panes' }, list.element, waterfall.element), flame: flame.element }
const tabs = {
  requests: button('Requests', () => showView('requests')),
  flame: button('Flame chart', () => showView('flame')),
}

/** @param {keyof typeof views} name */
function showView(name) {
  for (const key of /** @type {(keyof typeof views)[]} */ (Object.keys(views))) {
    views[key].hidden = key !== name
    tabs[key].setAttribute('aria-pressed', String(key === name))
  }
  textFilter.hidden = name === 'flame'
  if (name === 'flame') void loadFlame()
}

/** @param {Partial<RequestList['filter']>} change */
function filter(change) {
  list.filterBy(change)
  if (change.place !== undefined && !views.flame.hidden) void loadFlame()
  if (change.plugin !== undefined) {
    waterfall.markPlugin(change.plugin)
    flame.markPlugin(change.plugin)
  }
  showStatus()
}

/**
 * @param {string} path below the page
 * @param {RequestInit} [init]
 */
async function fetchJson(path, init) {
  const response = await fetch(`${base}/${path}`, { credentials: 'same-origin', ...init })
  const body = await response.json()
  if (response.ok) return body
  throw new Error(body.message ?? `The server responded ${response.status}.`)
}

/**
 * Fetches new requests. Concurrent calls share one fetch: two would add the same requests twice.
 */
function refresh() {
  fetching ??= fetchNew().finally(() => (fetching = null))
  return fetching
}

async function fetchNew() {
  try {
    /** @type {RequestUpdate} */
    const update = await fetchJson(`requests?after=${latest}`)
    if (update.process.id !== processId && processId !== '') {
      // Another process has different requests, with separate numbers.
      latest = 0
      list.clear()
      list.mark(null)
      waterfall.show(null)
      processId = update.process.id
      return await fetchNew()
    }
    processId = update.process.id
    latest = update.requests.at(-1)?.number ?? latest
    list.add(update.requests, update.first)
    describeProcess(update)
    updateFilters()
    showStatus()
    alert.hidden = true
  } catch (error) {
    showError(error)
  }
}

/** Shows an error with a link that reloads the page, which leads to the login if the session has expired. @param {unknown} error */
function showError(error) {
  const message = error instanceof Error ? error.message : String(error)
  if (!alert.hidden && alert.firstChild?.textContent === message) return
  alert.hidden = false
  alert.replaceChildren(visible(message), ' ', element('a', { href: base }, 'Reload this page'))
}

/** Shows which process the requests belong to. @param {RequestUpdate} update */
function describeProcess({ process: { pid, worker, workers }, kept, most }) {
  const own =
    workers === 1
      ? `Process ${pid} is the only process of this site.`
      : `Only requests of worker ${worker} of ${workers} (process ${pid}) are shown. Run a single worker to see all requests.`
  const room = `${kept.requests} of at most ${most.requests} requests are stored, with ${kept.steps} steps.`
  processInfo.textContent = `${own} ${room}`
  processInfo.classList.toggle('partial', workers > 1)
}

/** Updates the options of the filters. */
function updateFilters() {
  const allPlaces = [...new Set(list.requests.map(({ place }) => place))].toSorted()
  const allPlugins = [...new Set(list.requests.flatMap((request) => request.plugins))].toSorted()
  const now = JSON.stringify([allPlaces, allPlugins])
  if (now === options) return
  options = now
  fill(places, 'All routes', allPlaces, list.filter.place)
  fill(plugins, 'All plugins', allPlugins, list.filter.plugin)
}

/**
 * @param {HTMLSelectElement} select
 * @param {string} all
 * @param {readonly string[]} names
 * @param {string} chosen
 */
function fill(select, all, names, chosen) {
  // The selected option stays, even if no request matches it.
  const listed = chosen === '' || names.includes(chosen) ? names : [...names, chosen]
  select.replaceChildren(
    element('option', { value: '' }, all),
    ...listed.map((name) => element('option', { value: name }, name)),
  )
  select.value = chosen
}

function showStatus() {
  const sum = list.requests.length
  const count = list.shown === sum ? `${sum}` : `${list.shown} of ${sum}`
  const message = `${isPaused ? 'Paused' : 'Live'}: ${count} ${sum === 1 ? 'request' : 'requests'}`
  if (status.textContent !== message) status.textContent = message
}

/** @param {number} number */
async function open(number) {
  list.mark(number)
  try {
    const { request } = await fetchJson(`requests/${number}`)
    if (list.chosen === number) waterfall.show(request, true)
  } catch (error) {
    waterfall.fail(error instanceof Error ? error.message : String(error))
  }
}

async function loadFlame() {
  const { place } = list.filter
  try {
    flame.show(await fetchJson(place === '' ? 'flame' : `flame?route=${encodeURIComponent(place)}`))
  } catch (error) {
    flame.summary.textContent = error instanceof Error ? error.message : String(error)
  }
}

async function clearAll() {
  try {
    await fetchJson('clear', { method: 'POST' })
    list.clear()
    list.mark(null)
    waterfall.show(null)
    updateFilters()
    showStatus()
    if (!views.flame.hidden) await loadFlame()
  } catch (error) {
    showError(error)
  }
}

async function poll() {
  if (!isPaused && !document.hidden) await refresh()
  setTimeout(() => void poll(), POLL_INTERVAL_MS)
}

document.body.append(
  element(
    'header',
    {},
    element('h1', {}, 'Trace'),
    element('a', { href: home }, 'The site'),
    element('div', { class: 'tabs', role: 'group', 'aria-label': 'View' }, tabs.requests, tabs.flame),
    status,
    pause,
    clear,
  ),
  element(
    'main',
    {},
    element(
      'form',
      { class: 'filters', 'aria-label': 'Filter', onsubmit: (event) => event.preventDefault() },
      element('label', { for: 'filter-route' }, 'Route'),
      places,
      element('label', { for: 'filter-plugin' }, 'Plugin'),
      plugins,
      textFilter,
    ),
    alert,
    views.requests,
    views.flame,
  ),
  element('footer', {}, processInfo),
)
updateFilters()
showView('requests')
showStatus()
void poll()
