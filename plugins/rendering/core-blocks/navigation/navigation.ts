import { numberOf, textOf } from '../attributes.ts'
import { pageAround } from '../page-context.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import { plainText } from '../../html/index.ts'

/**
 * Renders a navigation: its inner blocks, else the stored menu it references, else the fallback menu of the site. Omits
 * the responsive overlay, which needs scripts of the theme.
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
  const wrapper = wrapperAttributes(block, name === '' ? {} : { 'aria-label': plainText(name) })
  // A page list already renders its own list.
  const list = /^\s*<ul\b/.test(items)
    ? items
    : `<ul class="${navigationClass}__container ${navigationClass}">${items}</ul>`
  return `<nav ${wrapper}>${list}</nav>`
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
    const shown = await once(['menu at', location], () => services.navigation.shown(location))
    return { key: `menu at ${location}`, title: shown.title, content: shown.content }
  }
  // The response shares one look-up.
  const id = fallsBack ? await once(['menu'], () => services.navigation.fallback({ create: false })) : named
  const menu = await services.posts.get(id ?? 0, scope)
  // Users who can read the surrounding post can also read a published menu without a password.
  const isShown = menu?.type === branding.typeName('navigation') && menu.status === 'publish' && menu.password === ''
  return isShown ? { key: `menu ${menu.id}`, title: menu.title, content: menu.content } : null
}
