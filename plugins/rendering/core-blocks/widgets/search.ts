import { escapeHtml } from '../../../library/markup/index.ts'
import { classValue, declarationsIn, numberOf, objectOf, textOf } from '../attributes.ts'
import { pageAround } from '../page-context.ts'
import {
  borderClasses,
  colorClasses,
  wrapperAttributes,
  type CoreBlock,
  type Renderer,
  type Rendering,
} from '../renderer.ts'
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
  const isInside = position === 'button-inside'
  const icon = attributes['buttonUseIcon'] === true
  // The other search forms of a page get other numbers when all of it is rendered.
  const id = `${blockClass}__input-1`
  const { t } = await rendering.texts()
  const label = rendering.richText(textOf(attributes, 'label')) || t('Search')
  const isLabelShown = attributes['showLabel'] !== false && attributes['label'] !== '' && position !== 'button-only'
  const border = bordersOf(block, rendering)
  const around = isInside ? border.filter(isRadius) : border
  const typography = declarationsIn(rendering.styleOf(block, 'typography'))
  const fontClasses = presetClasses(attributes, ['fontSize', 'fontFamily'])
  const inputClasses = [`${blockClass}__input`, ...(isInside ? [] : borderClasses(block)), ...fontClasses]
  const input =
    `<input class="${inputClasses.join(' ')}" id="${id}" placeholder="${escapeHtml(textOf(attributes, 'placeholder'))}" ` +
    `value="${escapeHtml(pageAround(rendering)?.search ?? '')}" ` +
    `type="search" name="s" required ${styleAttribute([...around, ...typography])}/>`
  const text = rendering.richText(textOf(attributes, 'buttonText')) || t('Search')
  const buttonClasses = [
    `${blockClass}__button`,
    ...colorClasses(block),
    ...fontClasses,
    ...(isInside ? [] : borderClasses(block)),
    ...(icon ? ['has-icon'] : []),
    `${rendering.mark}-element-button`,
  ]
  const buttonStyle = [...around, ...declarationsIn(rendering.styleOf(block, 'color')), ...typography]
  const button =
    position === 'no-button'
      ? ''
      : `<button aria-label="${escapeHtml(plainText(text))}" class="${buttonClasses.join(' ')}" ` +
        `type="submit" ${styleAttribute(buttonStyle)}>${icon ? ICON : text}</button>`
  const labelClasses = [`${blockClass}__label`, ...(isLabelShown ? fontClasses : ['screen-reader-text'])]
  const inside = [`${blockClass}__inside-wrapper`, ...(isInside ? borderClasses(block) : [])]
  const wrapper = wrapperAttributes(block, { class: formClasses(blockClass, position, icon) })
  const site = escapeHtml(await rendering.plugin.services.permalinks.home(rendering.scope))
  const isElement = attributes['tagName'] === 'search'
  // Distinguishes this form from others of the page. Only themes set it.
  const landmark = textOf(attributes, 'ariaLabel')
  const named = landmark === '' ? '' : ` aria-label="${escapeHtml(landmark)}"`
  const form = isElement
    ? `<search ${wrapper}${named}><form method="get" action="${site}">`
    : `<form role="search" method="get" action="${site}" ${wrapper}${named} >`
  return (
    `${form}<label class="${labelClasses.join(' ')}" for="${id}" ${styleAttribute(typography)}>${label}</label>` +
    `<div class="${inside.join(' ')}" ${styleAttribute([...widthOf(attributes, position), ...(isInside ? border.map(rounded) : [])])}>` +
    `${input}${parameters(block)}${button}</div></form>${isElement ? '</search>' : ''}`
  )
}

function formClasses(blockClass: string, position: string, hasIcon: boolean): string {
  return [
    `${blockClass}__${position}`,
    ...(position === 'button-only' ? [`${blockClass}__searchfield-hidden`] : []),
    ...(position === 'no-button' ? [] : [`${blockClass}__${hasIcon ? 'icon' : 'text'}-button`]),
  ].join(' ')
}

/** Returns a `style` attribute after a space, as in WordPress; `''` without declarations. */
function styleAttribute(declarations: readonly string[]): string {
  return declarations.length === 0 ? '' : ` style="${escapeHtml(declarations.join('; '))}"`
}

const BORDER_PARTS = ['width', 'color', 'style', 'radius']

/** Returns the declarations of the border: widths, colors, styles and then radii. */
function bordersOf(block: CoreBlock, { styleOf }: Rendering): string[] {
  const rank = (declaration: string) => BORDER_PARTS.findIndex((part) => declaration.includes(`${part}:`))
  return declarationsIn(styleOf(block, 'border')).toSorted((one, other) => rank(one) - rank(other))
}

const isRadius = (declaration: string) => declaration.includes('radius:')

/** Widens a radius by the space between the border and the elements inside it. */
function rounded(declaration: string): string {
  if (!isRadius(declaration)) return declaration
  const value = declaration.indexOf(': ') + 2
  return `${declaration.slice(0, value)}calc(${declaration.slice(value)} + 4px)`
}

function presetClasses(attributes: CoreBlock['attributes'], names: readonly ('fontSize' | 'fontFamily')[]): string[] {
  return names.flatMap((name) => {
    const slug = classValue(textOf(attributes, name))
    return slug === '' ? [] : [`has-${slug}-${name === 'fontSize' ? 'font-size' : 'font-family'}`]
  })
}

function widthOf(attributes: CoreBlock['attributes'], position: string): string[] {
  const width = Math.trunc(numberOf(attributes, 'width', 0))
  const unit = textOf(attributes, 'widthUnit')
  return width > 0 && UNITS.has(unit) && position !== 'button-only' ? [`width: ${width}${unit}`] : []
}

/** Renders the additional parameters as hidden fields. */
function parameters({ attributes }: CoreBlock): string {
  return Object.entries(objectOf(attributes, 'query'))
    .slice(0, MAX_PARAMETERS)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(String(value))}" />`)
    .join('')
}
