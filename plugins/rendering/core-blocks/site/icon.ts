import { escapeHtml } from '../../../library/markup/index.ts'
import { numberOf, textOf } from '../attributes.ts'
import { borderClasses, colorClasses, wrapperAttributes, type CoreBlock, type Renderer } from '../renderer.ts'

/** Renders an icon of a registered collection. Screen readers read its label, if it has one. */
export const renderIcon: Renderer = (block, rendering) => {
  const { attributes } = block
  const { has, services } = rendering.plugin
  const icon = has('icons') ? services.icons.get(textOf(attributes, 'icon')) : undefined
  if (icon === undefined) return ''
  const label = textOf(attributes, 'ariaLabel')
  const style = [
    transformOf(attributes),
    ...(['color', 'border', 'spacing', 'dimensions'] as const).map((part) => rendering.styleOf(block, part)),
  ].join('')
  const more = [
    `class="${['icon', ...colorClasses(block), ...borderClasses(block)].join(' ')}"`,
    style === '' ? '' : `style="${escapeHtml(style)}"`,
    label === '' ? 'aria-hidden="true"' : `role="img" aria-label="${escapeHtml(label)}"`,
  ]
  const svg = icon.content.replace(/\s(?:class|style|role|aria-label|aria-hidden)="[^"]*"(?=[^<]*>)/g, '')
  return `<div ${wrapperAttributes(block)}>${svg.replace(/^<svg/, `<svg ${more.filter(Boolean).join(' ')}`)}</div>`
}

function transformOf(attributes: CoreBlock['attributes']): string {
  const [x, y] = ['flipHorizontal', 'flipVertical'].map((name) => (attributes[name] === true ? -1 : 1))
  const degrees = Math.round(numberOf(attributes, 'rotation', 0)) % 360
  const parts = [
    ...(degrees === 0 ? [] : [`rotate(${degrees}deg)`]),
    ...(x === y && x === 1 ? [] : [`scale(${x}, ${y})`]),
  ]
  return parts.length === 0 ? '' : `transform:${parts.join(' ')};`
}
