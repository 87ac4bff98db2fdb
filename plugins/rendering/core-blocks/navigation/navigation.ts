import { numberOf, textOf } from '../attributes.ts'
import { pageAround } from '../page-context.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import { plainText } from '../../html/index.ts'

/**
 * A menu: the blocks inside it, else the stored menu that it names, or that which the site falls back to. It is shown
 * whole, without what opens and closes it on small screens: that needs the scripts of a theme.
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
  const own = `${rendering.mark}-block-navigation`
  const wrapper = wrapperAttributes(block, name === '' ? {} : { 'aria-label': plainText(name) })
  // A list of pages is a list already.
  const list = /^\s*<ul\b/.test(items) ? items : `<ul class="${own}__container ${own}">${items}</ul>`
  return `<nav ${wrapper}>${list}</nav>`
}

/** A menu to be shown, with what tells it from other contents. */
interface ShownMenu {
  readonly key: string
  readonly title: string
  readonly content: string
}

/** The menu that a block shows; null for none. */
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
  // Found once for all menus of a response.
  const id = fallsBack ? await once(['menu'], () => services.navigation.fallback({ create: false })) : named
  const menu = await services.posts.get(id ?? 0, scope)
  // Whoever may read the post around it may read a published menu without a password.
  const isShown = menu?.type === branding.typeName('navigation') && menu.status === 'publish' && menu.password === ''
  return isShown ? { key: `menu ${menu.id}`, title: menu.title, content: menu.content } : null
}
