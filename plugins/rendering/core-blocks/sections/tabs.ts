import { hash } from 'node:crypto'
import { mapInSlices } from '../../../library/long-work/index.ts'
import { escapeHtml } from '../../../library/markup/index.ts'
import { plainText } from '../../html/index.ts'
import { numberOf, textOf } from '../attributes.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import { attributesIn, changedTag, findTag, replacePieces, tagWithClass } from '../stored-html.ts'

/** Context of the blocks in tabs: all tabs, and the number of the tab that a panel belongs to. */
const TABS = 'core/tabs-list'
const NUMBER = 'core-blocks/tab'

interface Tab {
  readonly id: string
  /** Plain text. */
  readonly label: string
  /** Whether readers see its panel first. */
  readonly isActive: boolean
}

/**
 * Renders stored tabs as links to panels: a style rule shows the panel that the URL names, else the active one. Without
 * styles, all panels are visible.
 */
export const renderTabs: Renderer = (block, rendering) =>
  rendering.renderInner(block, { [TABS]: tabsOf(block, rendering) })

function tabsOf(block: CoreBlock, { post }: Rendering): Tab[] {
  const panels = block.innerBlocks
    .filter(({ name }) => name === 'core/tab-panels')
    .flatMap(({ inner }) => inner.filter((part) => typeof part !== 'string'))
    .filter(({ name }) => name === 'core/tab-panel')
  const list = block.innerBlocks.find(({ name }) => name === 'core/tab-list')
  const labels = labelsIn((list?.inner ?? []).filter((part) => typeof part === 'string').join(''))
  const active = Math.min(Math.max(Math.trunc(numberOf(block.attributes, 'activeTabIndex', 0)), 0), panels.length - 1)
  const texts = panels.map(({ attributes }, at) => textOf(attributes, 'label') || (labels[at] ?? ''))
  const name = hash('sha256', JSON.stringify([post?.id ?? 0, texts, labels])).slice(0, 8)
  return panels.map(({ inner, attributes }, at) => {
    const [html] = inner
    const panel = typeof html === 'string' ? findTag(html, () => true) : null
    const anchor = panel === null ? undefined : attributesIn(panel.tag).get('id')
    return {
      id: anchor || textOf(attributes, 'anchor') || `tab-${name}-${at + 1}`,
      label: texts[at]!,
      isActive: at === active,
    }
  })
}

/** Returns the labels of the buttons in a stored list of tabs, as plain text. */
function labelsIn(html: string): string[] {
  return html
    .split(/<button[\s>]/i)
    .slice(1)
    .map((rest) => plainText(`<i ${rest.split(/<\/button/i, 1)[0]!}`).trim())
}

/** Renders the list of tabs: the stored buttons as links. */
export const renderTabList: Renderer = async (block, rendering) => {
  const html = await rendering.renderInner(block)
  const tabs = block.context[TABS] as readonly Tab[] | undefined
  if (tabs === undefined) return html
  const link = (at: number) => {
    const tab = tabs[at]
    const name = `${rendering.classOf(block)}__tab${tab?.isActive === true ? ' is-active' : ''}`
    return { class: name, ...(tab !== undefined && { href: `#${encodeURIComponent(tab.id.toWellFormed())}` }) }
  }
  let at = -1
  const links = replacePieces(html, ({ kind, name, text }) => {
    if (kind === 'open' && attributesIn(text).get('role') === 'tablist') return changedTag(text, { role: null })
    if (name !== 'button') return null
    if (kind === 'close') return '</a>'
    const { class: classes, ...more } = link((at += 1))
    return tagWithClass(
      changedTag(text, { type: null, role: null, tabindex: null, 'aria-selected': null, ...more }, 'a'),
      classes,
    )
  })
  if (at >= 0) return links
  const written = tabs.map(({ label }, number) => {
    const { class: classes, href = '' } = link(number)
    return `<a href="${escapeHtml(href)}" class="${classes}">${escapeHtml(label)}</a>`
  })
  return `<div ${wrapperAttributes(block)}>${written.join('')}</div>`
}

/** Renders the panels of tabs, and numbers them. */
export const renderTabPanels: Renderer = async (block, rendering) => {
  if (block.context[TABS] === undefined) return rendering.renderInner(block)
  const panels = block.innerBlocks.filter(({ name }) => name === 'core/tab-panel')
  const numbers = new Map(panels.map((panel, at) => [panel, at]))
  const parts = await mapInSlices(block.inner, (part) =>
    typeof part === 'string' ? part : rendering.render(part, { [NUMBER]: numbers.get(part) }),
  )
  return parts.join('')
}

/** Renders the panel of a tab: a section that a link opens. */
export const renderTabPanel: Renderer = async (block, rendering) => {
  const html = await rendering.renderInner(block)
  const { [TABS]: tabs, [NUMBER]: number } = block.context as { [TABS]?: readonly Tab[]; [NUMBER]?: number }
  const tab = tabs?.[number ?? -1]
  const panel = findTag(html, () => true)
  if (tab === undefined || panel === null) return html
  const section = changedTag(panel.tag, {
    role: null,
    tabindex: null,
    'aria-labelledby': null,
    id: tab.id,
    ...(tab.label !== '' && { 'aria-label': tab.label }),
  })
  return `${panel.before}${tab.isActive ? tagWithClass(section, 'is-active') : section}${panel.after}`
}
