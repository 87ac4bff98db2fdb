import { button, color, duration, element, KINDS, moveByArrows, visible } from './elements.js'

/** @typedef {import('./types.d.ts').Profile} Profile */
/** @typedef {import('./types.d.ts').ProfileNode} ProfileNode */

/** Share of the chart's width below which a bar is not drawn. */
const MIN_BAR_SHARE = 0.002
const ROW = 1.6

/** A flame chart of the time of many requests. */
export class FlameChart {
  /** @param {() => void} load fetches the chart */
  constructor(load) {
    /** @type {Profile | null} */
    this.profile = null
    /** @type {ProfileNode | null} the node that fills the chart */
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
      element('h2', { id: 'flame-title' }, 'Time by step'),
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
              ...['Plugin', 'Self time', 'Total time', 'Calls', 'SQL', 'Statements'].map((name) =>
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
        'Self time is the time of the plugin’s taps, handlers and permission checks, without the hooks, statements and ' +
          'requests within them. Concurrent steps count in full and are drawn side by side.',
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
        ? 'No requests yet. Send some, then refresh.'
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

  /** Highlights the bars of a plugin; '' for none. @param {string} plugin */
  markPlugin(plugin) {
    this.plugin = plugin
    this.draw()
  }

  /** Makes a node fill the chart; null for the root. @param {ProfileNode | null} node */
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
     * @param {number} from share of the width
     * @param {number} width
     * @param {number} row
     */
    const place = (node, from, width, row) => {
      if (width < MIN_BAR_SHARE) return
      rows = Math.max(rows, row + 1)
      bars.push(this.bar(node, from, width, row, bars.length === 0))
      const parts = node.parts.toSorted((one, other) => other.total - one.total)
      const sum = parts.reduce((total, part) => total + part.total, 0)
      // Concurrent steps can take longer in total than their parent.
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
    const showText = () => (this.about.textContent = text)
    const bar = button(labelOf(node), () => this.zoom(node === this.profile?.all ? null : node), {
      'aria-label': text,
      tabindex: isFirst ? '0' : '-1',
      title: text,
    })
    bar.addEventListener('focus', showText)
    bar.addEventListener('mouseenter', showText)
    bar.style.left = `${from * 100}%`
    bar.style.width = `${width * 100}%`
    bar.style.top = `${row * ROW}rem`
    color(bar, node.kind, node.plugin)
    if (this.plugin !== '' && node.plugin !== this.plugin) bar.classList.add('dim')
    return bar
  }
}

/** @param {string} plugin */
function swatch(plugin) {
  const span = element('span', { class: 'swatch', 'aria-hidden': 'true' })
  color(span, 'tap', plugin)
  return span
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
  const label =
    kind === 'all' ? 'All requests' : kind === 'transaction' ? 'Transaction' : `${KINDS[kind] ?? kind} ${labelOf(node)}`
  return `${label}: ${duration(total)}, of which ${duration(self)} self time; ${times}`
}
