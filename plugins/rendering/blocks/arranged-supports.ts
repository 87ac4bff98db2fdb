import { isObject } from '../../../kernel/index.ts'
import { addRule } from './page-rules.ts'
import type { Block } from './parse.ts'
import { styleOf } from './supports.ts'
import type { BlockType } from './types/registry.ts'

type Attributes = Readonly<Record<string, unknown>>
type Supporting = Pick<BlockType, 'supports'>

/** Widths of screens on which the editor can hide a block, as media queries. */
const SCREENS = {
  mobile: '(max-width:480px)',
  tablet: '(min-width:481px) and (max-width:782px)',
  desktop: '(min-width:783px)',
}

const LENGTH = /^\d{1,4}(?:\.\d{1,3})?(?:px|em|rem|vh|%)$/

/** Whether an editor has hidden a block from all readers, and its type supports that. */
export function isHidden(type: Supporting, { attributes }: Block): boolean {
  return visibilityOf(type, attributes) === false
}

/** Whether the attributes of a block hide it from all readers. */
export function isMarkedHidden({ attributes }: Block): boolean {
  return visibilityOf({ supports: {} }, attributes) === false
}

/** Adds the rules that hide a block on some screens. @returns their classes */
export function addHiddenRules(type: Supporting, attributes: Attributes, mark: string): string[] {
  const visibility = visibilityOf(type, attributes)
  const screens = isObject(visibility) && isObject(visibility['viewport']) ? visibility['viewport'] : {}
  return Object.entries(SCREENS).flatMap(([name, media]) => {
    if (screens[name] !== false) return []
    const hidden = `${mark}-block-hidden-${name}`
    addRule(`.${hidden}`, ['display:none!important'], media)
    return [hidden]
  })
}

function visibilityOf({ supports }: Supporting, { metadata }: Attributes): unknown {
  return isObject(metadata) && supports['visibility'] !== false ? metadata['blockVisibility'] : undefined
}

/** Adds the rule of a block that stays visible while its container scrolls. @param top distance from the window */
export function addStickyRule(selector: string, top: unknown): void {
  const distance = typeof top === 'string' && LENGTH.test(top) ? top : '0px'
  addRule(selector, [`top:${distance}`, 'position:sticky', 'z-index:10'])
}

/** Returns the declarations of a background image, which stored HTML lacks; `''` without one. */
export function backgroundOf(type: BlockType, attributes: Attributes, mark: string): string {
  const { style } = attributes
  const background = isObject(style) ? style['background'] : undefined
  if (!isObject(background) || !isObject(background['backgroundImage'])) return ''
  const block = { name: type.name, type, attributes, context: {}, innerBlocks: [], innerHTML: '', inner: [], mark }
  const declarations = styleOf(block, 'background')
  if (!declarations.includes('background-image')) return ''
  return declarations.includes('background-size') ? declarations : `${declarations}background-size:cover;`
}
