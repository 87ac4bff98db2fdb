import { isObject } from '../../../kernel/index.ts'
import { addRule, safeDeclarations } from './page-rules.ts'

type Values = Readonly<Record<string, unknown>>

const FLEX_POSITIONS: Readonly<Record<string, string>> = {
  left: 'flex-start',
  top: 'flex-start',
  center: 'center',
  right: 'flex-end',
  bottom: 'flex-end',
  'space-between': 'space-between',
  stretch: 'stretch',
}

/**
 * Adds the rules for the layout of one block: those that its layout classes alone cannot express.
 * @param selector of the container
 * @param kind of the layout
 * @param layout the attribute `layout`, or the default of the block type
 * @param spacing the attribute `style.spacing`
 * @param gapSize default gap of a grid
 */
export function addLayoutRules(
  selector: string,
  kind: 'flex' | 'flow' | 'constrained' | 'grid',
  layout: Values,
  { blockGap, padding }: Values,
  { mark, gapSize }: { mark: string; gapSize: string },
): void {
  const safe = (values: Values) => safeDeclarations(values, mark)
  if (kind === 'flex') addRule(selector, [...flexOf(layout), ...safe(gapOf(blockGap))])
  else if (kind === 'grid') addRule(selector, [...safe(gridOf(layout, blockGap, gapSize)), ...safe(gapOf(blockGap))])
  else {
    const gap = isObject(blockGap) ? blockGap['top'] : blockGap
    if (gap !== undefined && gap !== null) {
      addRule(`${selector}>*`, ['margin-block:0'])
      addRule(`${selector}>*+*`, safe({ 'margin-block-start': gap }))
    }
    if (kind === 'constrained') constrain(selector, layout, padding, safe)
  }
}

function constrain(selector: string, layout: Values, padding: unknown, safe: (values: Values) => string[]): void {
  const { contentSize, wideSize, justifyContent } = layout
  const narrow = `${selector}>:where(:not(.alignleft):not(.alignright):not(.alignfull))`
  const margins =
    justifyContent === 'left'
      ? ['margin-inline:0 auto']
      : justifyContent === 'right'
        ? ['margin-inline:auto 0']
        : ['margin-inline:auto']
  const size = typeof contentSize === 'string' ? contentSize : wideSize
  const sized = typeof size === 'string' ? safe({ 'max-width': size }) : []
  if (sized.length > 0 || typeof justifyContent === 'string') addRule(narrow, [...sized, ...margins])
  addRule(`${selector}>.alignwide`, safe({ 'max-width': wideSize ?? contentSize }))
  if (sized.length > 0) addRule(`${selector} .alignfull`, ['max-width:none'])
  if (!isObject(padding)) return
  for (const side of ['left', 'right'] as const) {
    const [declaration] = safe({ [`padding-${side}`]: padding[side] })
    // A unitless zero cannot be part of a calculation.
    const value = declaration?.slice(declaration.indexOf(':') + 1)
    if (value !== undefined && value !== '0') addRule(`${selector}>.alignfull`, [`margin-${side}:calc(${value} * -1)`])
  }
}

function flexOf({ orientation, flexWrap, justifyContent, verticalAlignment }: Values): string[] {
  const justified = typeof justifyContent === 'string' ? FLEX_POSITIONS[justifyContent] : undefined
  const aligned = typeof verticalAlignment === 'string' ? FLEX_POSITIONS[verticalAlignment] : undefined
  const wrap = flexWrap === 'nowrap' ? ['flex-wrap:nowrap'] : []
  if (orientation === 'vertical') {
    return [
      ...wrap,
      'flex-direction:column',
      `align-items:${justified ?? 'flex-start'}`,
      ...(aligned === undefined ? [] : [`justify-content:${aligned}`]),
    ]
  }
  return [
    ...wrap,
    ...(justified === undefined ? [] : [`justify-content:${justified}`]),
    ...(aligned === undefined ? [] : [`align-items:${aligned}`]),
  ]
}

function gridOf({ columnCount, minimumColumnWidth }: Values, blockGap: unknown, gapSize: string): Values {
  const count = Math.min(Math.floor(Number(columnCount)) || 0, 50)
  const least = typeof minimumColumnWidth === 'string' && minimumColumnWidth !== '' ? minimumColumnWidth : null
  if (count > 0 && least === null) return { 'grid-template-columns': `repeat(${count}, minmax(0, 1fr))` }
  const gap = typeof blockGap === 'string' ? blockGap : gapSize
  const width =
    count > 0 && !gap.startsWith('var:')
      ? `max(min(${least}, 100%), (100% - (${gap} * ${count - 1})) * ${1 / count})`
      : `min(${least ?? '12rem'}, 100%)`
  return { 'grid-template-columns': `repeat(auto-fill, minmax(${width}, 1fr))` }
}

function gapOf(blockGap: unknown): Values {
  if (!isObject(blockGap)) return { gap: blockGap }
  return { 'row-gap': blockGap['top'], 'column-gap': blockGap['left'] }
}
