import { numberOf, textIn, textOf } from '../attributes.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'

/**
 * A menu: the blocks inside it, else the stored menu that it names, or that which the site falls back to. It is shown
 * whole, without what opens and closes it on small screens: that needs the scripts of a theme.
 */
export const renderNavigation: Renderer = async (block, rendering) => {
  const { attributes } = block
  const { services, branding } = rendering.plugin
  const label = textOf(attributes, 'ariaLabel')
  let items = await rendering.renderInner(block)
  let name = label
  if (items.trim() === '') {
    const menu = await services.posts.get(await menuOf(block, rendering), rendering.scope)
    // Whoever may read the post around it may read a published menu without a password.
    if (menu?.type !== branding.typeName('navigation') || menu.status !== 'publish' || menu.password !== '') return ''
    items = await rendering.include(`menu ${menu.id}`, menu.content)
    name ||= menu.title
  }
  if (items.trim() === '') return ''
  const own = `${rendering.mark}-block-navigation`
  const wrapper = wrapperAttributes(block, name === '' ? {} : { 'aria-label': textIn(name) })
  return `<nav ${wrapper}><ul class="${own}__container ${own}">${items}</ul></nav>`
}

/** ID of the stored menu that a block shows; 0 for none. */
async function menuOf({ attributes }: CoreBlock, { plugin, once }: Rendering): Promise<number> {
  const { has, services } = plugin
  const named = numberOf(attributes, 'ref', 0)
  if (named !== 0 || !has('navigation')) return named
  // Found once for all menus of a response.
  return (await once(['menu'], () => services.navigation.fallback({ create: false }))) ?? 0
}
