import type { Renderer } from '../renderer.ts'
import { renderReusableBlock } from './block.ts'
import { renderPattern, renderTemplatePart } from './parts.ts'

/** Renderers of blocks that include content stored elsewhere, by name. */
export const themeRenderers: Readonly<Record<string, Renderer>> = {
  block: renderReusableBlock,
  pattern: renderPattern,
  'template-part': renderTemplatePart,
}
