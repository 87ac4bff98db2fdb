import { hash } from 'node:crypto'
import { escapeHtml } from '../../../library/markup/index.ts'
import { numberOf, urlValue } from '../attributes.ts'
import type { Renderer } from '../renderer.ts'
import { attributesIn, findTag, tagWithClass } from '../stored-html.ts'
import { publicFileUrl } from './public-file.ts'

const iconOf = (lines: string) =>
  '<svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true" focusable="false" fill="none" ' +
  `stroke="currentColor" stroke-width="1.5"><path d="${lines}"></path></svg>`

/**
 * Renders a stored image that readers can enlarge: a button opens the file as a popover, which needs no scripts. Images
 * with a link keep their link.
 */
export const renderImage: Renderer = async (block, rendering) => {
  const html = await rendering.renderInner(block)
  const figure = findTag(html, (name) => name === 'figure')
  const image = findTag(figure?.after ?? '', (name) => name === 'img' || name === 'a')
  if (figure === null || image === null || !/^<img/i.test(image.tag)) return html
  const attributes = attributesIn(image.tag)
  const file = await publicFileUrl(numberOf(block.attributes, 'id', 0), rendering)
  const url = urlValue(file || (attributes.get('src') ?? ''))
  if (url === '') return html
  const alt = escapeHtml(attributes.get('alt') ?? '')
  const { t } = await rendering.texts()
  // Equal images on a page share an ID: each button opens the first of them.
  const id = `lightbox-${hash('sha256', JSON.stringify([url, block.inner])).slice(0, 12)}`
  const { mark } = rendering
  const label = (text: string) => (alt === '' ? text : `${text}: ${alt}`)
  const container = tagWithClass(figure.tag, `${mark}-lightbox-container`)
  const trigger =
    `<button type="button" class="lightbox-trigger" popovertarget="${id}" aria-haspopup="dialog" ` +
    `aria-label="${label(t('Enlarge'))}">${iconOf('M9 4H4v5M15 4h5v5M9 20H4v-5M15 20h5v-5')}</button>`
  const close =
    `<button type="button" class="${mark}-lightbox-close-button" popovertarget="${id}" popovertargetaction="hide" ` +
    `aria-label="${t('Close')}">${iconOf('M6 6l12 12M18 6L6 18')}</button>`
  const overlay =
    `<div popover id="${id}" class="${mark}-lightbox-overlay" role="dialog" aria-label="${label(t('Enlarged image'))}">` +
    `${close}<img src="${url}" alt="${alt}" loading="lazy" decoding="async" /></div>`
  return `${figure.before}${container}${image.before}${image.tag}${trigger}${overlay}${image.after}`
}
