import { button, element, visible } from './elements.js'
import { FlameChart } from './flame.js'
import { RequestList } from './requests.js'
import { Waterfall } from './steps.js'

/** @typedef {import('./types.d.ts').News} News */

/** Milliseconds between two looks. */
const PAUSE = 1000

const base = /** @type {string} */ (document.body.dataset['base'])
const home = /** @type {string} */ (document.body.dataset['home'])

let isPaused = false
/** The request for news in flight. @type {Promise<void> | null} */
let looking = null
let latest = 0
let processId = ''
/** @type {string} */
let options = ''

const waterfall = new Waterfall()
const list = new RequestList((number) => void open(number))
const flame = new FlameChart(() => void loadFlame())

const status = element('p', { role: 'status', class: 'live' })
const where = element('p', { class: 'where' })
const trouble = element('p', { role: 'alert', hidden: true })
const pause = button(
  'Pause',
  () => {
    isPaused = !isPaused
    pause.setAttribute('aria-pressed', String(isPaused))
    tell()
    if (!isPaused) void look()
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
  tell()
}

/**
 * @param {string} path below the page
 * @param {RequestInit} [init]
 */
async function ask(path, init) {
  const response = await fetch(`${base}/${path}`, { credentials: 'same-origin', ...init })
  const body = await response.json()
  if (response.ok) return body
  throw new Error(body.message ?? `The server says ${response.status}.`)
}

/**
 * Asks for new requests. A call during another one shares its response: two of them would add the same requests twice.
 */
function look() {
  looking ??= askForNews().finally(() => (looking = null))
  return looking
}

async function askForNews() {
  try {
    /** @type {News} */
    const news = await ask(`requests?after=${latest}`)
    if (news.process.id !== processId && processId !== '') {
      // Another process has its own requests, and its own numbers.
      latest = 0
      list.clear()
      list.mark(null)
      waterfall.show(null)
      processId = news.process.id
      return await askForNews()
    }
    processId = news.process.id
    latest = news.requests.at(-1)?.number ?? latest
    list.add(news.requests, news.first)
    describeProcess(news)
    offer()
    tell()
    trouble.hidden = true
  } catch (error) {
    complain(error)
  }
}

/** Tells what went wrong, and the way out: who is not logged in any more comes to the login. @param {unknown} error */
function complain(error) {
  const message = error instanceof Error ? error.message : String(error)
  if (!trouble.hidden && trouble.firstChild?.textContent === message) return
  trouble.hidden = false
  trouble.replaceChildren(visible(message), ' ', element('a', { href: base }, 'Load this page again'))
}

/** Says whose requests these are. @param {News} news */
function describeProcess({ process: { pid, worker, workers }, kept, most }) {
  const own =
    workers === 1
      ? `Process ${pid} serves this site alone.`
      : `Only requests of worker ${worker} of ${workers} (process ${pid}) are shown: each process keeps its own. Serve with one worker to see all of them.`
  const room = `${kept.requests} of at most ${most.requests} requests are kept, with ${kept.steps} steps.`
  where.textContent = `${own} ${room}`
  where.classList.toggle('partial', workers > 1)
}

/** Offers the routes and plugins that there are. */
function offer() {
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
  // What is chosen stays, whether or not there is such a request.
  const listed = chosen === '' || names.includes(chosen) ? names : [...names, chosen]
  select.replaceChildren(
    element('option', { value: '' }, all),
    ...listed.map((name) => element('option', { value: name }, name)),
  )
  select.value = chosen
}

function tell() {
  const sum = list.requests.length
  const count = list.shown === sum ? `${sum}` : `${list.shown} of ${sum}`
  const said = `${isPaused ? 'Paused' : 'Live'}: ${count} ${sum === 1 ? 'request' : 'requests'}`
  if (status.textContent !== said) status.textContent = said
}

/** @param {number} number */
async function open(number) {
  list.mark(number)
  try {
    const { request } = await ask(`requests/${number}`)
    if (list.chosen === number) waterfall.show(request, true)
  } catch (error) {
    waterfall.fail(error instanceof Error ? error.message : String(error))
  }
}

async function loadFlame() {
  const { place } = list.filter
  try {
    flame.show(await ask(place === '' ? 'flame' : `flame?route=${encodeURIComponent(place)}`))
  } catch (error) {
    flame.summary.textContent = error instanceof Error ? error.message : String(error)
  }
}

async function clearAll() {
  try {
    await ask('clear', { method: 'POST' })
    list.clear()
    list.mark(null)
    waterfall.show(null)
    offer()
    tell()
    if (!views.flame.hidden) await loadFlame()
  } catch (error) {
    complain(error)
  }
}

async function keepLooking() {
  if (!isPaused && !document.hidden) await look()
  setTimeout(() => void keepLooking(), PAUSE)
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
    trouble,
    views.requests,
    views.flame,
  ),
  element('footer', {}, where),
)
offer()
showView('requests')
tell()
void keepLooking()
