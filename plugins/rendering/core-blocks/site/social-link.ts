import { escapeHtml } from '../../../library/markup/index.ts'
import { classValue, textOf, urlValue } from '../attributes.ts'
import { wrapperAttributes, type Renderer } from '../renderer.ts'
import { iconOf, nameOf } from './social-icons.ts'

/** Colors allowed in styles. */
const COLOR = /^(?:#[\da-f]{3,8}|[a-z]{3,20}|(?:rgb|hsl)a?\([\d\s.,%/a-z]{1,60}\)|var\(--[\w-]{1,80}\))$/i

/** Renders a link to a profile on another site, as an icon. */
export const renderSocialLink: Renderer = (block, rendering) => {
  const { attributes, context } = block
  const address = textOf(attributes, 'url').trim()
  if (address === '') return ''
  const service = classValue(textOf(attributes, 'service')) || 'chain'
  const isMail = /^[^\s@/:]+@[^\s@/:]+$/.test(address)
  const url = urlValue(
    isMail ? `mailto:${address}` : /^(?:[a-z][a-z\d+.-]*:|[/#?])/i.test(address) ? address : `https://${address}`,
  )
  if (url === '') return ''
  const { mark } = rendering
  const blockClass = rendering.classOf(block)
  const label = rendering.plainText(textOf(attributes, 'label')) || nameOf(service)
  const isNew = context['openInNewTab'] === true
  const rel = [...new Set(`${isNew ? 'noopener nofollow ' : ''}${textOf(attributes, 'rel')}`.trim().split(/\s+/))].join(
    ' ',
  )
  const more = `${rel === '' ? '' : ` rel="${escapeHtml(rel)}"`}${isNew ? ' target="_blank"' : ''}`
  const hidden = context['showLabels'] === true ? '' : ' screen-reader-text'
  const color = classValue(textOf(context, 'iconColor'))
  const background = classValue(textOf(context, 'iconBackgroundColor'))
  const classes = [
    `${mark}-social-link ${mark}-social-link-${service}`,
    color === '' ? '' : `has-${color}-color`,
    background === '' ? '' : `has-${background}-background-color`,
  ].join(' ')
  const style = [
    colorStyle('color', textOf(context, 'iconColorValue')),
    colorStyle('background-color', textOf(context, 'iconBackgroundColorValue')),
  ].join('')
  return (
    `<li ${wrapperAttributes(block, { class: classes, style })}><a${more} href="${url}" class="${blockClass}-anchor">` +
    `${iconOf(service)}<span class="${blockClass}-label${hidden}">${label}</span></a></li>`
  )
}

function colorStyle(property: string, value: string): string {
  return COLOR.test(value) ? `${property}:${value};` : ''
}
