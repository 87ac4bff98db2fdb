import { commentRenderers } from './comments/index.ts'
import { mediaRenderers } from './media/index.ts'
import { navigationRenderers } from './navigation/index.ts'
import { postRenderers } from './post/index.ts'
import { queryRenderers } from './query/index.ts'
import type { Renderer } from './renderer.ts'
import { sectionRenderers } from './sections/index.ts'
import { siteRenderers } from './site/index.ts'
import { themeRenderers } from './theme/index.ts'
import { widgetRenderers } from './widgets/index.ts'

/** Renderers of the core blocks, by name without `core/`. */
export const RENDERERS: Readonly<Record<string, Renderer | undefined>> = {
  ...widgetRenderers,
  ...siteRenderers,
  ...postRenderers,
  ...queryRenderers,
  ...commentRenderers,
  ...navigationRenderers,
  ...themeRenderers,
  ...mediaRenderers,
  ...sectionRenderers,
}
