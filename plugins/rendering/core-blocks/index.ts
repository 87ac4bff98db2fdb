import { definePlugin } from '../../../kernel/index.ts'
import type { BlockTypeSpec } from '../blocks/index.ts'
import types from './block-types.json' with { type: 'json' }
import { rendererOf, type Renderer } from './renderer.ts'
import { siteRenderers } from './site/index.ts'
import { widgetRenderers } from './widgets/index.ts'

/** The renderers of blocks, by their names without `core/`. */
const RENDERERS: Readonly<Record<string, Renderer>> = { ...widgetRenderers, ...siteRenderers }

/** The types of the core blocks, and the HTML of those that show data of the site. */
export default definePlugin({
  name: 'core-blocks',
  since: '6.5',
  needs: ['blocks', 'html', 'posts', 'terms', 'comments', 'users', 'permalinks'],
  uses: ['outgoing'],
  apply(plugin) {
    const { blocks } = plugin.services
    for (const [name, type] of Object.entries(types as unknown as Record<string, BlockTypeSpec>)) {
      const renderer = RENDERERS[name]
      blocks.register(`core/${name}`, { ...type, render: renderer ? rendererOf(plugin, renderer) : null })
    }
  },
})
