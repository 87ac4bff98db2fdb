import { escapeHtml, escapeHtmlOnce } from '../../../library/markup/index.ts'
import { headingTag, numberOf, textOf } from '../attributes.ts'
import { wrapperAttributes, type Renderer } from '../renderer.ts'
import { homeUrl } from './home-url.ts'

/** Renders the site title. */
export const renderSiteTitle: Renderer = async (block, rendering) => {
  const { attributes } = block
  const { services } = rendering.plugin
  const title = escapeHtmlOnce(String(await services.options.get('title', '')))
  if (title.trim() === '') return ''
  const target = escapeHtml(textOf(attributes, 'linkTarget') || '_self')
  const shown =
    attributes['isLink'] === false
      ? title
      : `<a href="${escapeHtml(await homeUrl(rendering))}" target="${target}" rel="home">${title}</a>`
  const tag = headingTag(attributes, 1)
  return `<${tag} ${wrapperAttributes(block)}>${shown}</${tag}>`
}

/** Renders the tagline of the site. */
export const renderSiteTagline: Renderer = async (block, rendering) => {
  const tagline = escapeHtmlOnce(String(await rendering.plugin.services.options.get('description', '')))
  if (tagline.trim() === '') return ''
  const tag = headingTag(block.attributes, 0)
  return `<${tag} ${wrapperAttributes(block)}>${tagline}</${tag}>`
}

/** Maximum width of a logo in pixels. */
const MAX_LOGO_WIDTH_PIXELS = 5000

/** Renders the site logo, or an empty string. */
export const renderSiteLogo: Renderer = async (block, rendering) => {
  const { attributes } = block
  const { plugin, scope } = rendering
  const { media, options, posts } = plugin.services
  const title = escapeHtml(String(await options.get('title', '')))
  const image = await posts.get(Number(await options.get('site_logo', 0)) || 0, scope)
  if (image?.type !== 'attachment') return ''
  const data = await media.data(image, scope)
  const full = data.sizes['full'] ?? { width: 0, height: 0 }
  const customWidth = Math.round(numberOf(attributes, 'width', 0))
  const width = Math.min(customWidth > 0 ? customWidth : full.width, MAX_LOGO_WIDTH_PIXELS)
  const height = full.width > 0 ? Math.round((full.height * width) / full.width) : 0
  const size = width > 0 && height > 0 ? `width="${width}" height="${height}" ` : ''
  const alt = data.alt === '' ? title : escapeHtml(data.alt)
  const logo = `<img ${size}src="${escapeHtml(data.url)}" class="custom-logo" alt="${alt}" decoding="async" />`
  const target = textOf(attributes, 'linkTarget') === '_blank' ? ' target="_blank"' : ''
  const shown =
    attributes['isLink'] === false
      ? logo
      : `<a href="${escapeHtml(await plugin.services.permalinks.home(scope))}" class="custom-logo-link"${target} rel="home">${logo}</a>`
  return `<div ${wrapperAttributes(block, { class: customWidth > 0 ? '' : 'is-default-size' })}>${shown}</div>`
}
