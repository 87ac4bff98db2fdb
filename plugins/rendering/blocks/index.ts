import {
  applySyncFilter,
  definePlugin,
  memoize,
  syncFilter,
  type HookSpecs,
  type RequestCache,
  type SyncFilter,
} from '../../../kernel/index.ts'
import type { RenderedPost } from '../rendering/index.ts'
import { EXCERPT_BLOCKS, EXCERPT_WRAPPERS, excerptHtml } from './excerpt.ts'
import { laidOut } from './layout.ts'
import { htmlOf, parseBlocks, type Block } from './parse.ts'
import { BlockTypes } from './registry.ts'
import { renderOfType, renderParts, type RenderContext } from './render.ts'
import type { Blocks } from './service.ts'
import { BlockRendererController } from './renderer-controller.ts'
import { BlockTypesController } from './types-controller.ts'

export type { Blocks } from './service.ts'
export type { Block } from './parse.ts'
export type { BlockPlace, BlockType, BlockTypeSpec, RenderCallback } from './registry.ts'

/** The hooks of blocks. */
interface BlockHooks {
  /** Filter: types of blocks whose text an excerpt may be made of. @since 0.1.0 */
  excerpt_allowed_blocks: SyncFilter<readonly string[]>
  /** Filter: types of blocks that an excerpt looks into for those. @since 0.1.0 */
  excerpt_allowed_wrapper_blocks: SyncFilter<readonly string[]>
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /** Types of blocks, and the blocks of content. */
    blocks: Blocks
  }
  interface Hooks extends BlockHooks {}
}

/** Characters of content, and of what was made of it, that are remembered. */
const REMEMBERED = 1_000_000
/** Contents that one content may include, counting again those that are included more than once. */
const INCLUDED = 200
/** Characters of all of them. */
const INCLUDED_CHARACTERS = 2_000_000
/** Characters that all contents of an answer may include. */
const INCLUDED_OF_ANSWER = 16_000_000

/** The blocks of content, the registry of their types, and the routes that list and render them. */
export default definePlugin({
  name: 'blocks',
  needs: ['rendering', 'posts', 'content-types', 'roles'],
  hooks: {
    excerpt_allowed_blocks: syncFilter('names'),
    excerpt_allowed_wrapper_blocks: syncFilter('names'),
  } satisfies HookSpecs<BlockHooks>,
  apply(plugin) {
    const { hooks, log, provide, services, branding } = plugin
    const { posts, rendering } = services
    const { blockMark } = branding
    const start = `<!-- ${blockMark}:`
    const types = new BlockTypes()
    const parse = (content: string) => parseBlocks(content, blockMark)
    /** Cuts the contents of one rendering into their blocks, which know how they are arranged. */
    const cutter = () => {
      const counter = { last: 0 }
      return (content: string) => laidOut(parse(content), blockMark, counter)
    }
    const withoutMarks = memoize((content) => htmlOf(cutter()(content)), REMEMBERED)

    /** Whether content may hold a block that is more than what is stored in it. */
    const isDynamic = (content: string) =>
      types.all().some(({ name, render_callback: callback }) => {
        if (callback === null) return false
        const short = name.startsWith('core/') ? name.slice('core/'.length) : name
        return content.includes(`${blockMark}:${short}`) || content.includes(`${blockMark}:${name}`)
      })
    const begin = (
      post: RenderedPost | null,
      scope: RequestCache,
      finish: (html: string) => string,
    ): RenderContext => ({
      post,
      scope,
      types,
      log,
      parse: cutter(),
      finish,
      around: new Set(post === null ? [] : [post.id]),
      budget: { included: INCLUDED, characters: INCLUDED_CHARACTERS },
      answer: scope.get('blocks: included', () => ({ characters: INCLUDED_OF_ANSWER })),
    })

    types.register('core/block', {
      title: 'Reusable block',
      description: 'Shows content that is kept once and used in many places.',
      category: 'reusable',
      attributes: { ref: { type: 'integer' } },
      supports: { customClassName: false, html: false, inserter: false },
      async render_callback({ ref }, _content, { include, scope }) {
        const post = typeof ref === 'number' ? await posts.get(ref, scope) : undefined
        const isBlock = post?.type === branding.typeName('block')
        // Whoever may read the post around it may read what everybody may read.
        return isBlock && post.status === 'publish' && post.password === '' ? include(post.id, post.content) : ''
      },
    })

    types.register('core/shortcode', {
      title: 'Shortcode',
      description: 'Shows what a shortcode makes.',
      category: 'widgets',
      attributes: { text: { type: 'string' } },
      supports: { className: false, customClassName: false, html: false },
      // Its text is as writers type it, the only one among blocks.
      render_callback: (_attributes, content) => rendering.paragraphs(content),
    })

    let excerpt = excerptMaker(EXCERPT_BLOCKS, EXCERPT_WRAPPERS, parse)
    const service: Blocks = {
      register: (name, spec) => types.register(name, spec),
      get: (name) => types.get(name),
      all: () => types.all(),
      parse,
      render(content, post, scope) {
        const rendition = begin(post, scope, rendering.typography)
        return renderParts(rendition.parse(content), rendition)
      },
      renderOne: (type, attributes, post, scope) =>
        renderOfType(
          type,
          { name: type.name, attributes, inner: [] },
          begin(post, scope, (html) => html),
        ),
    }
    provide('blocks', service)

    hooks.the_content.tapPromise({ name: 'blocks', stage: 10 }, async (content, post, scope) => {
      if (!content.includes(start)) return content
      return isDynamic(content) ? service.render(content, post, scope) : withoutMarks(content)
    })
    hooks.excerpt_content.tap('blocks', (content) => {
      if (!content.includes(start)) return content
      const allowed = applySyncFilter(hooks.excerpt_allowed_blocks, EXCERPT_BLOCKS)
      const wrappers = applySyncFilter(hooks.excerpt_allowed_wrapper_blocks, EXCERPT_WRAPPERS)
      if (allowed !== excerpt.allowed || wrappers !== excerpt.wrappers) {
        excerpt = excerptMaker(allowed, wrappers, parse)
      }
      return excerpt.of(content)
    })
    hooks.rest_api_init.tap('blocks', (server) => {
      new BlockTypesController(plugin, types).register(server)
      new BlockRendererController(plugin, service).register(server)
    })
  },
})

/** Makes what excerpts are made from, for one choice of types. */
function excerptMaker(
  allowed: readonly string[],
  wrappers: readonly string[],
  parse: (content: string) => Block[],
): { allowed: readonly string[]; wrappers: readonly string[]; of: (content: string) => string } {
  const [texts, around] = [new Set(allowed), new Set(wrappers)]
  return { allowed, wrappers, of: memoize((content) => excerptHtml(parse(content), texts, around), REMEMBERED) }
}
