import type { Renderer } from '../renderer.ts'
import { renderPattern, renderTemplatePart } from './parts.ts'

/** The blocks that stand for content that is kept elsewhere, by name. */
export const themeRenderers: Readonly<Record<string, Renderer>> = {
  pattern: renderPattern,
  'template-part': renderTemplatePart,
}
