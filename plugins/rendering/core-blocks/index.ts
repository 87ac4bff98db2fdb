import { definePlugin } from '../../../kernel/index.ts'
import type { BlockTypeSpec } from '../blocks/index.ts'
import { binderOf } from './bindings.ts'
export {
  COMMENT_FIELDS,
  showOnPage,
  type CommentField,
  type CommentForm,
  type CommentProblem,
  type CommentsPage,
  type PageArchive,
  type PageContext,
} from './page-context.ts'
export { acceptCommentForms, COMMENT_TRAP } from './comments/visitor-form.ts'
export type { QueryPage } from './query/query-page.ts'
export { trailOf, trailOfTerm, type TrailItem } from './post/trail.ts'
export { contentParts } from './post/content-parts.ts'
export { withSticky } from './query/sticky.ts'
export { formatDate, localTime } from './dates.ts'
export { SOCIAL_SERVICES, type SocialService } from './site/social-icons.ts'

import types from './block-types.json' with { type: 'json' }
import { MIGRATIONS } from './migrations.ts'
import { RENDERED, RENDERED_IF, rendererNamed } from './rendered.ts'
import { rendererOf } from './renderer.ts'
import { inRevision, revisionOf } from './revisions.ts'
import { VARIATIONS } from './variations.ts'

/** Legacy comments block of themes without comment blocks; listed after the blocks of all plugins. */
const COMMENTS_BLOCK = 'post-comments'

/** Registers the core block types, and renders the ones that show data of the site. */
export default definePlugin({
  name: 'core-blocks',
  since: '5.0',
  needs: [
    'blocks',
    'html',
    'posts',
    'terms',
    'comments',
    'media',
    'users',
    'permalinks',
    'content-rendering',
    'settings',
    'translations',
    'meta',
    'taxonomies',
    'content-types',
    'roles',
  ],
  uses: ['cookie-auth', 'feed-reader', 'themes', 'templates', 'block-patterns', 'navigation', 'icons'],
  apply(plugin) {
    const { branding, hooks, services, since } = plugin
    services.blocks.bindWith(binderOf(plugin))
    const { [COMMENTS_BLOCK]: last, ...others } = types as unknown as Record<string, BlockTypeSpec>
    const register = (name: string, type: BlockTypeSpec) => {
      const render = RENDERED.has(name) ? rendererOf(plugin, rendererNamed(name)) : null
      const vary = VARIATIONS[name]
      services.blocks.register(`core/${name}`, {
        ...inRevision(name, type, since),
        since: revisionOf(name),
        ...handlesOf(name, branding.blockMark),
        migrate: MIGRATIONS[name] ?? null,
        variation_callback: vary ? (scope) => vary(plugin, scope) : null,
        render,
        rendersIf: RENDERED_IF[name] ?? null,
      })
    }
    for (const [name, type] of Object.entries(others)) register(name, type)
    hooks.rest_api_init.tap('core-blocks', () => {
      if (services.blocks.get(`core/${COMMENTS_BLOCK}`) === undefined) register(COMMENTS_BLOCK, last!)
    })
  },
})

/** Blocks that also load the styles of the buttons inside them. */
const WITH_BUTTONS = new Set(['post-comments-form', COMMENTS_BLOCK])

/** Returns the handles of the styles of a core block, by which themes and editors refer to them. */
function handlesOf(name: string, mark: string): Pick<BlockTypeSpec, 'editor_style_handles' | 'style_handles'> {
  const handle = `${mark}-block-${name}`
  return {
    editor_style_handles: name === COMMENTS_BLOCK ? [] : [`${handle}-editor`],
    style_handles: [handle, ...(WITH_BUTTONS.has(name) ? [`${mark}-block-buttons`, `${mark}-block-button`] : [])],
  }
}
