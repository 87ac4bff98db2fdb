import { escapeHtml } from '../../../library/markup/index.ts'
import { numberOf, textOf, urlValue } from '../attributes.ts'
import { pageAround } from '../page-context.ts'
import { linkOf, publicPost } from '../post/current-post.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import type { Texts } from '../texts.ts'
import { plainText } from '../../html/index.ts'
import { homeUrl } from '../site/home-url.ts'

/** Returns the class of every navigation item. */
export const itemClass = ({ mark }: Rendering) => `${mark}-block-navigation-item`

/** Renders a navigation link; empty if it links to a post that is not public. */
export const renderNavigationLink: Renderer = async (block, rendering) => {
  const link = await linkIn(block, rendering)
  if (link === null) return ''
  const inner = await rendering.renderInner(block)
  const navigationClass = `${rendering.mark}-block-navigation`
  const below = inner.trim() === '' ? '' : `<ul class="${navigationClass}__submenu-container">${inner}</ul>`
  return `<li ${wrapperAttributes(block, { class: `${itemClass(rendering)}${below === '' ? '' : ' has-child'}` })}>${link}${below}</li>`
}

/** Renders a navigation link with a submenu. */
export const renderNavigationSubmenu: Renderer = async (block, rendering) => {
  const { attributes, context } = block
  const onClick = context['openSubmenusOnClick'] === true || context['submenuVisibility'] === 'click'
  const link = await linkIn(block, rendering)
  if (link === null) return ''
  const inner = await rendering.renderInner(block)
  const navigationClass = `${rendering.mark}-block-navigation`
  if (inner.trim() === '') return `<li ${wrapperAttributes(block, { class: itemClass(rendering) })}>${link}</li>`
  const label = plainText(textOf(attributes, 'label'))
  const openMode = onClick ? 'open-on-click' : 'open-on-hover-click'
  const list = `<ul class="${navigationClass}__submenu-container ${navigationClass}-submenu">${inner}</ul>`
  const wrapper = wrapperAttributes(block, { class: `${itemClass(rendering)} has-child ${openMode}` })
  return `<li ${wrapper}>${link}${toggle(label, context, rendering, await rendering.texts())}${list}</li>`
}

/** Renders a link to the front page. */
export const renderHomeLink: Renderer = async (block, rendering) => {
  const { attributes } = block
  const { mark } = rendering
  const label = rendering.richText(textOf(attributes, 'label')) || (await rendering.texts()).t('Home')
  const item = itemClass(rendering)
  const target = attributes['opensInNewTab'] === true ? 'target="_blank"' : ''
  const below = descriptionOf(attributes, rendering)
  return (
    `<li ${wrapperAttributes(block, { class: item })}><a class="${mark}-block-home-link__content ${item}__content" ` +
    `href="${urlValue(await homeUrl(rendering))}" rel="home" ${target}>${label}${below}</a></li>`
  )
}

/** Renders the button that opens a submenu. */
export function toggle(label: string, context: CoreBlock['context'], { mark }: Rendering, { t }: Texts): string {
  if (context['showSubmenuIcon'] === false) return ''
  const navigationClass = `${mark}-block-navigation`
  const icon =
    '<svg xmlns="http://www.w3.org/2000/svg" width="12" height="12" viewBox="0 0 12 12" fill="none" aria-hidden="true" ' +
    'focusable="false"><path d="M1.5 4L6 8l4.5-4" stroke="currentColor" stroke-width="1.5"></path></svg>'
  return (
    `<button aria-label="${t('{label} submenu', { label: escapeHtml(label) })}" class="${navigationClass}__submenu-icon ${navigationClass}-submenu__toggle" aria-expanded="false">` +
    `${icon}</button>`
  )
}

/** Renders the `a` element of an item; null if the label is empty or the linked post is not public. */
async function linkIn({ attributes }: CoreBlock, rendering: Rendering): Promise<string | null> {
  const label = rendering.richText(textOf(attributes, 'label'))
  if (label.trim() === '') return null
  const url = await urlOf(attributes, rendering)
  if (url === null) return null
  const item = itemClass(rendering)
  const more = [
    url === '' ? '' : ` href="${url}"`,
    attributes['opensInNewTab'] === true ? ' target="_blank"' : '',
    attribute('rel', textOf(attributes, 'rel')),
    attribute('title', textOf(attributes, 'title')),
  ].join('')
  const below = descriptionOf(attributes, rendering)
  return `<a class="${item}__content" ${more}><span class="${item}__label">${label}</span>${below}</a>`
}

/** Renders the description below the label of an item. */
function descriptionOf(attributes: CoreBlock['attributes'], rendering: Rendering): string {
  const description = rendering.richText(textOf(attributes, 'description'))
  return description === '' ? '' : `<span class="${itemClass(rendering)}__description">${description}</span>`
}

const attribute = (name: string, value: string) => (value === '' ? '' : ` ${name}="${escapeHtml(value)}"`)

/** Returns the URL of an item; null if it names a post that does not exist or is not public. */
async function urlOf(attributes: CoreBlock['attributes'], rendering: Rendering): Promise<string | null> {
  const url = textOf(attributes, 'url')
  // Root-relative URLs in templates are relative to the path of the site.
  const ofSite = pageAround(rendering) !== null && /^\/(?!\/)/.test(url)
  const written = urlValue(ofSite ? rendering.plugin.urls.site(url) : url)
  const id = numberOf(attributes, 'id', 0)
  const kind = textOf(attributes, 'kind')
  if (id === 0 || !(kind === 'post-type' || ['post', 'page'].includes(textOf(attributes, 'type')))) return written
  const post = await publicPost(id, rendering)
  if (post === undefined) return null
  return written === '' ? urlValue(await linkOf(post, rendering)) : written
}
