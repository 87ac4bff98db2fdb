import { button, color, duration, element, KINDS, moveByArrows, visible } from './elements.js'

/** @typedef {import('./types.d.ts').Request} Request */
/** @typedef {import('./types.d.ts').Step} Step */

/** Shorter steps without effect are hidden if the user wants that. In milliseconds. */
const MIN_STEP_MS = 0.1

/** The steps of one request as a waterfall. */
export class Waterfall {
  constructor() {
    /** @type {Request | null} */
    this.request = null
    this.plugin = ''
    this.brief = element('input', { type: 'checkbox', id: 'brief', onchange: () => this.draw() })
    this.brief.checked = true
    this.heading = element('h2', { id: 'steps-title', tabindex: '-1' }, 'Request')
    this.facts = element('dl', { class: 'facts' })
    this.body = element('div', { class: 'scroll' })
    this.element = element(
      'section',
      { 'aria-labelledby': 'steps-title', class: 'steps' },
      this.heading,
      this.facts,
      this.body,
    )
    this.draw()
  }

  /**
   * @param {Request | null} request
   * @param {boolean} [focus]
   */
  show(request, focus = false) {
    this.request = request
    this.draw()
    if (!focus) return
    this.heading.focus({ preventScroll: true })
    // On small screens the steps are below the list.
    const { top } = this.heading.getBoundingClientRect()
    if (top < 0 || top > innerHeight / 2) this.element.scrollIntoView()
  }

  /** @param {string} message */
  fail(message) {
    this.request = null
    this.draw()
    this.body.replaceChildren(element('p', { role: 'alert' }, message))
  }

  /** Highlights the steps of a plugin; '' for none. @param {string} plugin */
  markPlugin(plugin) {
    this.plugin = plugin
    this.draw()
  }

  draw() {
    const { request } = this
    this.heading.textContent = request === null ? 'Request' : visible(`${request.method} ${request.url}`)
    this.facts.replaceChildren(...(request === null ? [] : factsOf(request)))
    if (request === null) {
      this.body.replaceChildren(element('p', { class: 'hint' }, 'Select a request to see its steps.'))
      return
    }
    if (request.steps.length === 0) {
      const message = request.fromCache
        ? 'This response came from the cache. No hook ran.'
        : 'No tap ran for this request.'
      this.body.replaceChildren(element('p', { class: 'hint' }, message))
      return
    }
    const shown = shownSteps(request.steps, this.brief.checked)
    const hidden = request.steps.length - shown.size
    const rows = element('tbody')
    const depths = depthsOf(request.steps)
    const whole = Math.max(request.ms ?? 0, ...request.steps.map(({ start, ms }) => start + (ms ?? 0)), 0.001)
    for (const [at, step] of request.steps.entries()) {
      if (shown.has(at)) rows.append(...this.rowsOf(request, at, step, depths[at] ?? 0, whole))
    }
    const note = request.unlisted > 0 ? ` ${request.unlisted} further steps were not recorded.` : ''
    this.body.replaceChildren(
      element(
        'p',
        { class: 'choice' },
        this.brief,
        element('label', { for: 'brief' }, `Hide steps that took less than ${MIN_STEP_MS} ms and changed nothing`),
        element(
          'span',
          { class: 'hint' },
          ` ${hidden === 0 ? '' : `${hidden} of ${request.steps.length} steps hidden.`}${note}`,
        ),
      ),
      element(
        'table',
        { class: 'waterfall' },
        element(
          'thead',
          {},
          element(
            'tr',
            {},
            ...['Step', 'Plugin', 'Time', `From 0 to ${duration(whole)}`].map((name) =>
              element('th', { scope: 'col' }, name),
            ),
          ),
        ),
        rows,
      ),
    )
    moveByArrows(rows, 'button.step')()
  }

  /**
   * @param {Request} request
   * @param {number} at
   * @param {Step} step
   * @param {number} depth
   * @param {number} whole milliseconds of the request
   */
  rowsOf(request, at, step, depth, whole) {
    const { kind, name, plugin, start, ms, failed, changed = [], unlisted = 0 } = step
    const bar = element('span', { class: 'bar' })
    bar.style.left = `${(start / whole) * 100}%`
    bar.style.width = `${(Math.max(ms ?? whole - start, 0) / whole) * 100}%`
    color(bar, kind, plugin)
    const more = element('tr', { class: 'more', id: `step-${at}` })
    more.hidden = true
    const open = button(
      '',
      () => {
        more.hidden = !more.hidden
        open.setAttribute('aria-expanded', String(!more.hidden))
        if (!more.hidden && more.childElementCount === 0) {
          more.append(element('td', { colspan: '4' }, ...detailsOf(request.steps, step)))
        }
      },
      { class: 'step', 'aria-expanded': 'false', 'aria-controls': `step-${at}` },
    )
    const marks = [
      changed.length + unlisted > 0 && element('span', { class: 'mark' }, `${changed.length + unlisted} changed`),
      failed !== undefined && element('span', { class: 'mark wrong' }, 'failed'),
      step.rows !== undefined && element('span', { class: 'mark' }, rowsText(step.rows)),
      step.askers !== undefined && element('span', { class: 'mark' }, `shared by ${step.askers.length}`),
      step.status !== undefined && element('span', { class: 'mark' }, String(step.status)),
    ]
    open.append(element('span', { class: 'kind' }, KINDS[kind] ?? kind), ' ', element('span', { class: 'name' }, name))
    const cell = element('th', { scope: 'row' }, open, ...marks.flatMap((mark) => (mark === false ? [] : [' ', mark])))
    cell.style.setProperty('--depth', String(Math.min(depth, 12)))
    const row = element(
      'tr',
      { class: this.plugin !== '' && plugin !== this.plugin ? 'dim' : null },
      cell,
      element('td', {}, plugin ?? ''),
      element('td', { class: 'number' }, duration(ms)),
      element('td', { class: 'track' }, bar),
    )
    return [row, more]
  }
}

/** @param {Request} request */
function factsOf({ id, at, route, path, status, ms, user, error, fromCache }) {
  /** @type {[string, string | null][]} */
  const facts = [
    ['Status', status === null ? 'none' : String(status)],
    ['Time', duration(ms)],
    ['Route', route],
    ['Page', path],
    ['User', user === null || user.id === 0 ? 'visitor' : `${user.login ?? 'user'} (ID ${user.id})`],
    ['Arrived', new Date(at).toLocaleTimeString()],
    ['Log ID', id === '' ? null : id],
    ['Response', fromCache ? 'from the cache' : null],
    ['Error', error],
  ]
  return facts.flatMap(([name, value]) =>
    value === null ? [] : [element('div', {}, element('dt', {}, name), element('dd', {}, value))],
  )
}

/**
 * The details of an expanded step.
 * @param {readonly Step[]} steps
 * @param {Step} step
 * @returns {Node[]}
 */
function detailsOf(steps, step) {
  const { kind, name, hook, failed, changed = [], unlisted = 0, parameters, rows, waited, askers, route } = step
  /** @type {Node[]} */
  const found = []
  if (failed !== undefined) found.push(element('p', { class: 'wrong' }, `Failed: ${failed}`))
  if (kind === 'sql') {
    found.push(element('pre', { tabindex: '0', 'aria-label': 'SQL' }, element('code', {}, name)))
    const bound = parameters === 0 ? 'no parameters' : `${parameters} parameters, whose values are not shown`
    const wait = waited === undefined || waited < 0.05 ? '' : `; waited ${duration(waited)} in the queue`
    found.push(element('p', {}, `${rows === undefined ? '' : `${rowsText(rows)}; `}${bound}${wait}.`))
  }
  if (askers !== undefined) {
    const names = askers.map((at) => (at < 0 ? 'the request' : nameOf(/** @type {Step} */ (steps[at]))))
    found.push(element('p', {}, `Loaded in one statement for ${names.join(', ')}.`))
  }
  if (hook !== undefined) found.push(element('p', {}, 'A tap of ', element('code', {}, hook), '.'))
  if (typeof route === 'string') found.push(element('p', {}, 'Route ', element('code', {}, route)))
  if (changed.length > 0) {
    found.push(
      element(
        'table',
        { class: 'changes' },
        element('caption', {}, 'Changes'),
        element(
          'thead',
          {},
          element('tr', {}, ...['Value', 'Before', 'After'].map((title) => element('th', { scope: 'col' }, title))),
        ),
        element(
          'tbody',
          {},
          ...changed.map(({ path, before, after }) =>
            element(
              'tr',
              {},
              element('th', { scope: 'row' }, path),
              element('td', {}, before === null ? 'nothing' : element('del', {}, before)),
              element('td', {}, after === null ? 'nothing' : element('ins', {}, after)),
            ),
          ),
        ),
      ),
    )
  }
  if (unlisted > 0) found.push(element('p', { class: 'hint' }, `${unlisted} further changes were not recorded.`))
  if (kind === 'tap' && changed.length + unlisted === 0 && failed === undefined) {
    found.push(element('p', { class: 'hint' }, 'No changes.'))
  }
  if (found.length === 0) found.push(element('p', { class: 'hint' }, 'See the nested steps.'))
  return found
}

/** @param {Step} step */
function nameOf({ kind, name, plugin, hook }) {
  if (kind !== 'tap') return `${(KINDS[kind] ?? kind).toLowerCase()} ${name}`
  return `${plugin}${plugin === name ? '' : `/${name}`} in ${hook}`
}

/** @param {number} rows */
function rowsText(rows) {
  return rows === 1 ? '1 row' : `${rows} rows`
}

/** The nesting depth of each step. @param {readonly Step[]} steps */
function depthsOf(steps) {
  /** @type {number[]} */
  const depths = []
  for (const { parent } of steps) depths.push(parent < 0 ? 0 : (depths[parent] ?? 0) + 1)
  return depths
}

/**
 * The indexes of the visible steps: those that took time or had an effect, and their ancestors.
 * @param {readonly Step[]} steps
 * @param {boolean} brief
 */
function shownSteps(steps, brief) {
  /** @type {Set<number>} */
  const shown = new Set()
  for (const [at, step] of steps.entries()) {
    const { kind, ms, failed, changed, unlisted } = step
    const acted = ['sql', 'request', 'handler', 'outgoing'].includes(kind) || failed !== undefined
    const counts = acted || changed !== undefined || unlisted !== undefined || ms === null || ms >= MIN_STEP_MS
    if (brief && !counts) continue
    for (let one = at; one >= 0 && !shown.has(one); one = /** @type {Step} */ (steps[one]).parent) shown.add(one)
  }
  return shown
}
