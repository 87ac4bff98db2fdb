import type { Renderer } from '../renderer.ts'

/** The renderers by the names of their blocks. */
export const siteRenderers: Readonly<Record<string, Renderer>> = {}
