import type { Renderer } from '../renderer.ts'
import { renderReusableBlock } from './block.ts'
import { renderPattern, renderTemplatePart } from './parts.ts'

/** The blocks that stand for content that is kept elsewhere, by name. */
export const themeRenderers: Readonly<Record<string, Renderer>> = {
  block: renderReusableBlock,
  pattern: renderPattern,
  'template-part': renderTemplatePart,
}
