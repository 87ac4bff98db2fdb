import { numberOf, textIn, textOf } from '../attributes.ts'
import { wrapperAttributes, type Renderer } from '../renderer.ts'

/**
 * A menu: the blocks inside it, or else the stored menu that it names. It is shown
 * whole, without what opens and closes it on small screens: that needs the scripts of a theme.
 */
export const renderNavigation: Renderer = async (block, rendering) => {
  const { attributes } = block
  const { services, branding } = rendering.plugin
  const label = textOf(attributes, 'ariaLabel')
  let items = await rendering.renderInner(block)
  let name = label
  if (items.trim() === '') {
    const menu = await services.posts.get(numberOf(attributes, 'ref', 0), rendering.scope)
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
