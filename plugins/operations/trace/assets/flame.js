import { button, colour, duration, element, KINDS, moveByArrows, visible } from './elements.js'

/** @typedef {import('./types.d.ts').Profile} Profile */
/** @typedef {import('./types.d.ts').ProfileNode} ProfileNode */

/** Parts of the chart's width that are too narrow to be drawn. */
const NARROW = 0.002
const ROW = 1.6

/** Where the time of many requests went. */
export class FlameChart {
  /** @param {() => void} load asks for the chart */
  constructor(load) {
    /** @type {Profile | null} */
    this.profile = null
    /** @type {ProfileNode | null} the part that fills the chart */
    this.zoomed = null
    this.plugin = ''
    this.summary = element('p', { role: 'status' })
    this.chart = element('div', { class: 'flame', role: 'group', 'aria-label': 'Flame chart' })
    this.about = element('p', { class: 'about', 'aria-live': 'polite' })
    this.back = button('Show all', () => this.zoom(null), { hidden: true })
    this.plugins = element('tbody')
    this.element = element(
      'section',
      { 'aria-labelledby': 'flame-title', class: 'profile' },
      element('h2', { id: 'flame-title' }, 'Where time goes'),
      element(
        'p',
        { class: 'choice' },
        this.summary,
        button('Refresh', () => load()),
        this.back,
      ),
      this.chart,
      this.about,
      element(
        'div',
        { class: 'wide' },
        element(
          'table',
          { class: 'by-plugin' },
          element('caption', {}, 'By plugin'),
          element(
            'thead',
            {},
            element(
              'tr',
              {},
              ...['Plugin', 'Own time', 'With all within', 'Calls', 'SQL', 'Statements'].map((name) =>
                element('th', { scope: 'col' }, name),
              ),
            ),
          ),
          this.plugins,
        ),
      ),
      element(
        'p',
        { class: 'hint' },
        'Own time is that of the plugin’s taps, handlers and permission checks, without hooks, statements and requests ' +
          'within them. What waits at the same time counts in full for each, and is drawn side by side.',
      ),
    )
    moveByArrows(this.chart, 'button')
  }

  /** @param {Profile} profile */
  show(profile) {
    const { requests, all, plugins } = profile
    this.profile = profile
    const each = requests === 0 ? 0 : all.total / requests
    this.summary.textContent =
      requests === 0
        ? 'No requests are kept: make some, then refresh.'
        : `${requests} ${requests === 1 ? 'request' : 'requests'}, ${duration(all.total)} in all, ${duration(each)} each.`
    this.plugins.replaceChildren(
      ...plugins.map((one) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row' }, swatch(one.plugin), one.plugin),
          ...[duration(one.self), duration(one.total), one.count, duration(one.sql), one.statements].map((text) =>
            element('td', { class: 'number' }, String(text)),
          ),
        ),
      ),
    )
    this.zoom(null)
  }

  /** Marks the bars of a plugin; '' for none. @param {string} plugin */
  markPlugin(plugin) {
    this.plugin = plugin
    this.draw()
  }

  /** Lets a part fill the chart. @param {ProfileNode | null} node */
  zoom(node) {
    this.zoomed = node
    this.back.hidden = node === null
    this.draw()
    const first = this.chart.querySelector('button')
    if (first !== null && node !== null) first.focus()
  }

  draw() {
    this.about.textContent = ''
    if (this.profile === null) return
    const top = this.zoomed ?? this.profile.all
    /** @type {HTMLElement[]} */
    const bars = []
    let rows = 0
    /**
     * @param {ProfileNode} node
     * @param {number} from part of the width
     * @param {number} width
     * @param {number} row
     */
    const place = (node, from, width, row) => {
      if (width < NARROW) return
      rows = Math.max(rows, row + 1)
      bars.push(this.bar(node, from, width, row, bars.length === 0))
      const parts = node.parts.toSorted((one, other) => other.total - one.total)
      const sum = parts.reduce((total, part) => total + part.total, 0)
      // Parts that waited at the same time may be longer together than what they are part of.
      const scale = width / Math.max(node.total, sum, 0.000_001)
      let at = from
      for (const part of parts) {
        place(part, at, part.total * scale, row + 1)
        at += part.total * scale
      }
    }
    if (top.total > 0) place(top, 0, 1, 0)
    this.chart.style.height = `${rows * ROW}rem`
    this.chart.replaceChildren(...bars)
  }

  /**
   * @param {ProfileNode} node
   * @param {number} from
   * @param {number} width
   * @param {number} row
   * @param {boolean} isFirst
   */
  bar(node, from, width, row, isFirst) {
    const text = visible(describe(node))
    const tell = () => (this.about.textContent = text)
    const bar = button(labelOf(node), () => this.zoom(node === this.profile?.all ? null : node), {
      'aria-label': text,
      tabindex: isFirst ? '0' : '-1',
      title: text,
    })
    bar.addEventListener('focus', tell)
    bar.addEventListener('mouseenter', tell)
    bar.style.left = `${from * 100}%`
    bar.style.width = `${width * 100}%`
    bar.style.top = `${row * ROW}rem`
    colour(bar, node.kind, node.plugin)
    if (this.plugin !== '' && node.plugin !== this.plugin) bar.classList.add('dim')
    return bar
  }
}

/** @param {string} plugin */
function swatch(plugin) {
  const made = element('span', { class: 'swatch', 'aria-hidden': 'true' })
  colour(made, 'tap', plugin)
  return made
}

/** @param {ProfileNode} node */
function labelOf({ kind, name, plugin }) {
  if (kind === 'transaction') return `transaction ${name}`
  return plugin === null || plugin === name ? name : `${plugin}: ${name}`
}

/** @param {ProfileNode} node */
function describe(node) {
  const { kind, count, total, self } = node
  const times = count === 1 ? 'once' : `${count} times`
  const what =
    kind === 'all' ? 'All requests' : kind === 'transaction' ? 'Transaction' : `${KINDS[kind] ?? kind} ${labelOf(node)}`
  return `${what}: ${duration(total)}, of which ${duration(self)} its own; ${times}`
}
