import { hash } from 'node:crypto'
import { classValue, numberOf, textOf } from '../attributes.ts'
import { pageAround } from '../page-context.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import { hasClose, iconOf, OVERLAY } from './overlay.ts'
import { plainText, safeStyle } from '../../html/index.ts'
import { escapeHtml } from '../../../library/markup/index.ts'

/**
 * Renders a navigation: its inner blocks, else the stored menu it references, else the fallback menu of the site. On
 * phones, a button opens it as a popover, which needs no scripts: browsers close it with Escape or a click outside, and
 * return the focus to the button.
 */
export const renderNavigation: Renderer = async (block, rendering) => {
  const { attributes } = block
  const label = textOf(attributes, 'ariaLabel')
  let items = await rendering.renderInner(block)
  let name = label
  if (items.trim() === '') {
    const menu = await menuOf(block, rendering)
    if (menu === null) return ''
    items = await rendering.include(menu.key, menu.content)
    name ||= menu.title
  }
  if (items.trim() === '') return ''
  const navigationClass = `${rendering.mark}-block-navigation`
  const overlay = textOf(attributes, 'overlayMenu') || 'mobile'
  const [classes, style] = colorsOf(attributes, OWN_COLORS)
  const wrapper = wrapperAttributes(block, {
    class: [...(overlay === 'never' ? [] : ['is-responsive']), ...classes].join(' '),
    style,
    ...(name !== '' && { 'aria-label': plainText(name) }),
  })
  // A page list already renders its own list.
  const list = /^\s*<ul\b/.test(items)
    ? items
    : `<ul class="${navigationClass}__container ${navigationClass}">${items}</ul>`
  return `<nav ${wrapper}>${overlay === 'never' ? list : await withOverlay(list, overlay === 'always', block, rendering)}</nav>`
}

/**
 * Wraps the list in a popover with the buttons that open and close it. If the block names a template part, the popover
 * shows the part, and the list is shown on wide screens only. @param isAlways also on wide screens
 */
async function withOverlay(list: string, isAlways: boolean, block: CoreBlock, rendering: Rendering): Promise<string> {
  const { attributes } = block
  const { t } = await rendering.texts()
  const base = `${rendering.mark}-block-navigation__responsive`
  const id = `modal-${hash('sha256', JSON.stringify([list, attributes])).slice(0, 12)}`
  const hasIcon = attributes['hasIcon'] !== false
  const button = (part: string, label: string, icon: string, more: string) =>
    `<button type="button" popovertarget="${id}"${more}${hasIcon ? ` aria-label="${label}"` : ''} ` +
    `class="${base}-container-${part}">${hasIcon ? iconOf(icon) : label}</button>`
  const open = button(
    `open${isAlways ? ' always-shown' : ''}`,
    hasIcon ? t('Open menu') : t('Menu'),
    textOf(attributes, 'icon'),
    ' aria-haspopup="true"',
  )
  const close = button('close', hasIcon ? t('Close menu') : t('Close'), 'close', ' popovertargetaction="hide"')
  const part = await overlayPart(block, id, rendering)
  const [colors, style] = colorsOf(attributes, OVERLAY_COLORS)
  const classes = [`${base}-container`, ...(isAlways || part !== '' ? ['hidden-by-default'] : []), ...colors]
  const content = part === '' || isAlways ? '' : `<div class="${rendering.mark}-block-navigation__inline">${list}</div>`
  return (
    `${open}<div popover id="${id}" class="${classes.join(' ')}"${style === '' ? '' : ` style="${escapeHtml(style)}"`}>` +
    `<div class="${base}-close"><div class="${base}-dialog">${hasClose(part, rendering) ? '' : close}` +
    `<div class="${base}-container-content">${part || list}</div></div></div></div>${content}`
  )
}

/** Renders the template part that a navigation opens in place of its list; `''` if it names none. */
async function overlayPart({ attributes }: CoreBlock, id: string, rendering: Rendering): Promise<string> {
  const slug = textOf(attributes, 'overlay')
  if (slug === '') return ''
  return rendering.render({ name: 'core/template-part', attributes: { slug }, inner: [] }, { [OVERLAY]: id })
}

/** The attributes of a color: a preset and a custom value. */
type ColorAttributes = readonly [preset: string, custom: string]

const OWN_COLORS = {
  text: ['textColor', 'customTextColor'],
  background: ['backgroundColor', 'customBackgroundColor'],
} as const
const OVERLAY_COLORS = {
  text: ['overlayTextColor', 'customOverlayTextColor'],
  background: ['overlayBackgroundColor', 'customOverlayBackgroundColor'],
} as const

/** Returns the classes and the style for the colors of the navigation or its overlay. */
function colorsOf(
  attributes: CoreBlock['attributes'],
  names: { readonly text: ColorAttributes; readonly background: ColorAttributes },
): [classes: string[], style: string] {
  const classes: string[] = []
  const styles: string[] = []
  for (const [[preset, custom], marker, property] of [
    [names.text, 'has-text-color', 'color'],
    [names.background, 'has-background', 'background-color'],
  ] as const) {
    const slug = classValue(textOf(attributes, preset))
    const color = textOf(attributes, custom)
    if (slug !== '') classes.push(marker, `has-${slug}-${property}`)
    else if (color !== '') {
      classes.push(marker)
      styles.push(`${property}:${color};`)
    }
  }
  return [classes, safeStyle(styles.join(''))]
}

/** A menu to render; `key` identifies its content. */
interface ShownMenu {
  readonly key: string
  readonly title: string
  readonly content: string
}

/** Returns the menu that a block shows, or null. */
async function menuOf(block: CoreBlock, rendering: Rendering): Promise<ShownMenu | null> {
  const { attributes } = block
  const { plugin, once, scope } = rendering
  const { branding, has, services } = plugin
  const named = numberOf(attributes, 'ref', 0)
  const fallsBack = named === 0 && has('navigation')
  if (fallsBack && pageAround(rendering) !== null) {
    const location = textOf(attributes, '__unstableLocation')
    const shown = await once(['menu at', location], () => services.navigation.shown(location, rendering.scope))
    return { key: `menu at ${location}`, title: shown.title, content: shown.content }
  }
  // The response shares one look-up.
  const id = fallsBack ? await once(['menu'], () => services.navigation.fallback({ create: false })) : named
  const menu = await services.posts.get(id ?? 0, scope)
  // Users who can read the surrounding post can also read a published menu without a password.
  const isShown = menu?.type === branding.typeName('navigation') && menu.status === 'publish' && menu.password === ''
  return isShown ? { key: `menu ${menu.id}`, title: menu.title, content: menu.content } : null
}
