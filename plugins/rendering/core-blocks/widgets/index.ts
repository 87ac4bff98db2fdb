import type { Renderer } from '../renderer.ts'

/** The renderers by the names of their blocks. */
export const widgetRenderers: Readonly<Record<string, Renderer>> = {}
