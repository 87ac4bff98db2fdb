import { escapeHtml } from '../../../library/markup/index.ts'
import { classValue, numberOf, objectOf, textOf } from '../attributes.ts'
import { pageAround } from '../page-context.ts'
import { wrapperAttributes, type CoreBlock, type Renderer } from '../renderer.ts'
import { plainText } from '../../html/index.ts'

const ICON =
  '<svg class="search-icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">' +
  '<path d="M10.5 4a6.5 6.5 0 1 0 3.9 11.7l4.2 4.2 1.3-1.3-4.2-4.2A6.5 6.5 0 0 0 10.5 4Zm0 1.8a4.7 4.7 0 1 1 0 9.4 4.7 4.7 0 0 1 0-9.4Z"></path></svg>'
const UNITS = new Set(['px', '%', 'em', 'rem', 'vw', 'vh'])
const POSITIONS = ['button-outside', 'button-inside', 'no-button', 'button-only']
/** Maximum additional parameters of a search. */
const MAX_PARAMETERS = 20

/** Renders a search form. */
export const renderSearch: Renderer = async (block, rendering) => {
  const { attributes } = block
  const blockClass = rendering.classOf(block)
  const chosen = textOf(attributes, 'buttonPosition')
  const position = POSITIONS.includes(chosen) ? chosen : POSITIONS[0]!
  const hasButton = position !== 'no-button'
  const icon = attributes['buttonUseIcon'] === true
  // The other search forms of a page get other numbers when all of it is rendered.
  const id = `${blockClass}__input-1`
  const { t } = await rendering.texts()
  const label = rendering.richText(textOf(attributes, 'label')) || t('Search')
  const hidden = attributes['showLabel'] === false || position === 'button-only' ? ' screen-reader-text' : ''
  const colors = colorClasses(block)
  const classes = [
    `${blockClass}__${position}`,
    ...(hasButton ? [`${blockClass}__${icon ? 'icon' : 'text'}-button`] : []),
    ...(position === 'button-only' ? [`${blockClass}__searchfield-hidden`] : []),
  ].join(' ')
  const border = rendering.styleOf(block, 'border')
  const inputStyle = position === 'button-inside' || border === '' ? '' : ` style="${escapeHtml(border)}"`
  const input =
    `<input class="${blockClass}__input" id="${id}" placeholder="${escapeHtml(textOf(attributes, 'placeholder'))}" value="${escapeHtml(pageAround(rendering)?.search ?? '')}" ` +
    `type="search" name="s" required${inputStyle} />`
  const text = rendering.richText(textOf(attributes, 'buttonText')) || t('Search')
  const aria = escapeHtml(plainText(text))
  const inline = rendering.styleOf(block, 'color') + (position === 'button-inside' ? '' : border)
  const button = hasButton
    ? `<button aria-label="${aria}" class="${[`${blockClass}__button`, ...colors, ...(icon ? ['has-icon'] : []), `${rendering.mark}-element-button`].join(' ')}" ` +
      `type="submit" ${inline === '' ? '' : `style="${escapeHtml(inline)}"`}>${icon ? ICON : text}</button>`
    : ''
  const style = [widthOf(attributes), position === 'button-inside' ? border : ''].filter((one) => one !== '').join('; ')
  const styled = style === '' ? ' ' : `  style="${escapeHtml(style)}"`
  const site = escapeHtml(rendering.plugin.urls.site('/'))
  return (
    `<form role="search" method="get" action="${site}" ${wrapperAttributes(block, { class: classes })} >` +
    `<label class="${blockClass}__label${hidden}" for="${id}" >${label}</label>` +
    `<div class="${blockClass}__inside-wrapper"${styled}>${input}${parameters(block)}${button}</div></form>`
  )
}

function widthOf(attributes: CoreBlock['attributes']): string {
  const width = numberOf(attributes, 'width', 0)
  const unit = textOf(attributes, 'widthUnit')
  return width > 0 && UNITS.has(unit) ? `width: ${width}${unit}` : ''
}

/** Renders the additional parameters as hidden fields. */
function parameters({ attributes }: CoreBlock): string {
  return Object.entries(objectOf(attributes, 'query'))
    .slice(0, MAX_PARAMETERS)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(String(value))}" />`)
    .join('')
}

/** Returns the color classes of the button. */
function colorClasses({ attributes }: CoreBlock): string[] {
  const color = objectOf(objectOf(attributes, 'style'), 'color')
  const [text, background, gradient] = ['textColor', 'backgroundColor', 'gradient'].map((name) =>
    classValue(textOf(attributes, name)),
  )
  const hasBackground = background !== '' || gradient !== '' || color['background'] || color['gradient']
  return [
    ...(text !== '' || color['text'] ? ['has-text-color'] : []),
    ...(text === '' ? [] : [`has-${text}-color`]),
    ...(hasBackground ? ['has-background'] : []),
    ...(background === '' ? [] : [`has-${background}-background-color`]),
    ...(gradient === '' ? [] : [`has-${gradient}-gradient-background`]),
  ]
}
