import { escapeHtml } from '../../../library/markup/index.ts'
import type { Post } from '../../../content/posts/index.ts'
import { classValue, numberOf, textOf, urlValue } from '../attributes.ts'
import { borderClasses, wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import { isOpen, linkOf, postOf, titleOf } from './current-post.ts'
import { FEATURED_SIZE, featuredImageOf } from './featured-data.ts'
import { plainText } from '../../html/index.ts'

/** Lengths and aspect ratios allowed in styles. */
const LENGTH = /^\d{1,5}(?:\.\d{1,3})?(?:px|%|em|rem|vw|vh|svw|svh|dvw|dvh)?$/
const PROPORTIONS = /^(?:auto|\d{1,5}(?:\.\d{1,3})?(?:\s*\/\s*\d{1,5}(?:\.\d{1,3})?)?)$/
const COLOR = /^(?:#[\da-f]{3,8}|[a-z]{3,20}|(?:rgb|hsl)a?\([\d\s.,%/a-z]{1,60}\))$/i
const GRADIENT = /^(?:linear|radial|conic)-gradient\([\w\s.,%#()-]{1,400}\)$/
const SCALES = new Set(['cover', 'contain', 'fill'])

/** Renders the featured image of a post. */
export const renderFeaturedImage: Renderer = async (block, rendering) => {
  const { attributes } = block
  const post = await postOf(block, rendering)
  const image = post === undefined ? '' : await imageOf(post, block, rendering)
  if (post === undefined || image === '') return ''
  const overlay = overlayOf(block, rendering)
  const height = lengthOf(attributes, 'height')
  let inside = `${image}${overlay}`
  if (attributes['isLink'] === true) {
    const rel = textOf(attributes, 'rel')
    const target = escapeHtml(textOf(attributes, 'linkTarget'))
    const link = urlValue(await linkOf(post, rendering))
    const more = `${rel === '' ? '' : `rel="${escapeHtml(rel)}"`} ${height === '' ? '' : `style="height:${height}"`}`
    inside = `<a href="${link}" target="${target}" ${more}>${image}${overlay}</a>`
  }
  const width = lengthOf(attributes, 'width')
  const proportions = proportionsOf(attributes)
  const style = [
    proportions === '' ? '' : `aspect-ratio:${proportions};`,
    width === '' ? '' : `width:${width};`,
    height === '' ? '' : `height:${height};`,
  ].join('')
  return `<figure ${wrapperAttributes(block, { style })}>${inside}</figure>`
}

async function imageOf(post: Post, block: CoreBlock, rendering: Rendering): Promise<string> {
  const { attributes } = block
  const { media } = rendering.plugin.services
  const featured = await featuredImageOf(post, rendering)
  const size = classValue(textOf(attributes, 'sizeSlug')) || FEATURED_SIZE
  const proportions = proportionsOf(attributes)
  const height = lengthOf(attributes, 'height')
  const scale = textOf(attributes, 'scale')
  const style = [
    proportions === '' ? (height === '' ? '' : `height:${height};`) : 'width:100%;height:100%;',
    SCALES.has(scale) ? `object-fit:${scale};` : '',
    rendering.styleOf(block, 'border'),
    rendering.styleOf(block, 'shadow'),
  ].join('')
  const shown = { class: [`${rendering.mark}-post-image`, ...borderClasses(block)].join(' '), style }
  if (featured === null) {
    const isFirst = attributes['useFirstImageFromPost'] === true && isOpen(post, rendering)
    return isFirst ? firstImage(post, shown, rendering) : ''
  }
  const { data } = featured
  if (attributes['isLink'] !== true) return media.featuredImage(data, size, shown)
  // The image is the only content of the link, so its alternative text must name the target.
  const { t } = await rendering.texts()
  const alt = plainText((await titleOf(post, rendering)) || t('Untitled post {id}', { id: post.id }))
  return media.featuredImage(data, size, { ...shown, alt })
}

/** Returns the first image in the content of a post, or `''`. */
function firstImage(post: Post, shown: { class: string; style: string }, rendering: Rendering): string {
  for (const { kind, name, text } of rendering.plugin.services.contentRendering.pieces(post.content)) {
    if (kind !== 'open' || name !== 'img') continue
    // Filtering also normalizes the attributes that the expressions below match.
    const image = rendering.richText(text)
    const [src = '', alt = ''] = ['src', 'alt'].map((one) => new RegExp(`\\s${one}="([^"]*)"`).exec(image)?.[1] ?? '')
    if (src === '') continue
    const styled = shown.style === '' ? '' : ` style="${escapeHtml(shown.style)}"`
    return `<img src="${src}" class="${shown.class}" alt="${alt}"${styled} decoding="async" loading="lazy" />`
  }
  return ''
}

function overlayOf(block: CoreBlock, rendering: Rendering): string {
  const { attributes } = block
  const dim = Math.round(numberOf(attributes, 'dimRatio', 0))
  if (dim <= 0) return ''
  const blockClass = rendering.classOf(block)
  const color = classValue(textOf(attributes, 'overlayColor'))
  const gradient = classValue(textOf(attributes, 'gradient'))
  const classes = [
    [
      `${blockClass}__overlay has-background-dim has-background-dim-${Math.min(dim, 100)}`,
      ...borderClasses(block),
    ].join(' '),
    color === '' ? '' : ` has-background has-${color}-background-color`,
    gradient === '' ? '' : ` has-background-gradient has-${gradient}-gradient-background`,
  ].join('')
  const background = textOf(attributes, 'customGradient')
  const custom = textOf(attributes, 'customOverlayColor')
  const style = [
    GRADIENT.test(background) ? `background:${background};` : '',
    COLOR.test(custom) ? `background-color:${custom};` : '',
    rendering.styleOf(block, 'border'),
    rendering.styleOf(block, 'shadow'),
  ].join('')
  const styled = style === '' ? '' : ` style="${escapeHtml(style)}"`
  return `<span class="${classes}"${styled} aria-hidden="true"></span>`
}

function lengthOf(attributes: Readonly<Record<string, unknown>>, name: string): string {
  const length = textOf(attributes, name)
  return LENGTH.test(length) ? length : ''
}

function proportionsOf(attributes: Readonly<Record<string, unknown>>): string {
  const proportions = textOf(attributes, 'aspectRatio')
  return PROPORTIONS.test(proportions) ? proportions : ''
}
