import { OwnedList, type Awaitable, type PluginContext, type RequestCache } from '../../../kernel/index.ts'
import type { RenderedPost } from '../content-rendering/index.ts'
import { laidOut } from './layout.ts'
import { htmlOf, parseBlocks, type Block } from './parse.ts'
import { arrangedHtml, gapOf, HAS_LAYOUT, NO_GAP, withArrangement, type BlockGap } from './arrangement.ts'
import { renderOfType, renderParts, unchanged, type RenderContext } from './render.ts'
import { BlockTypes, type BlockBinder, type BlockType } from './types/registry.ts'

/** The most posts that one content may include, counting again those that are included more than once. */
const MAX_INCLUDED = 200
/** The most characters of all of them. */
const MAX_INCLUDED_CHARACTERS = 2_000_000
/** The most characters that all contents of a response may include. */
const MAX_INCLUDED_OF_RESPONSE = 16_000_000

/** The most blocks of one content that renderers make. */
const MAX_BLOCKS = 10_000
/** The most characters of HTML that they make, that of blocks inside others counted again. */
const MAX_HTML = 5_000_000
/** The most milliseconds that the blocks of one content may take, and those of all contents of a response. */
const MAX_MILLISECONDS = 2000
const MAX_MILLISECONDS_OF_RESPONSE = 5000

/** Block types, and the blocks of content. */
export class Blocks extends BlockTypes {
  readonly #plugin: PluginContext
  readonly #binders = new OwnedList<BlockBinder>('binder of blocks')

  constructor(plugin: PluginContext) {
    super(plugin.since)
    this.#plugin = plugin
  }

  /** Has the values of attributes found that `metadata.bindings` of a block takes from elsewhere; the last one does it. */
  bindWith(binder: BlockBinder): void {
    this.#binders.add(binder)
  }

  /** Whether content has blocks. */
  isIn(content: string): boolean {
    return content.includes(`<!-- ${this.#plugin.branding.blockMark}:`)
  }

  /** The blocks of content, in linear time whatever it is; HTML between them is in blocks without a name. */
  parse(content: string): Block[] {
    return parseBlocks(content, this.#plugin.branding.blockMark)
  }

  /** Content with its blocks rendered; at once where no renderer makes any of them. */
  async show(content: string, post: RenderedPost | null, scope: RequestCache): Promise<string> {
    const gap = await this.#gapFor(content, scope)
    const context = this.#contextOf(post, scope, this.#plugin.services.contentRendering.typography, gap)
    const blocks = context.parse(content)
    return this.#areRendered(blocks) ? renderParts(blocks, context) : htmlOf(blocks)
  }

  /** One block with what it includes; throws what its callback throws. */
  async renderOne(
    type: BlockType,
    attributes: Record<string, unknown>,
    post: RenderedPost | null,
    scope: RequestCache,
  ): Promise<string> {
    const block: Block = { name: type.name, attributes, inner: [] }
    return renderOfType(type, block, this.#contextOf(post, scope, unchanged, await this.#gap(scope)))
  }

  /** Whether some of these blocks, or those inside them, are made by renderers, or have values from elsewhere. */
  #areRendered(blocks: readonly Block[]): boolean {
    return blocks.some(({ name, attributes, inner }) => {
      const type = name === null ? undefined : this.get(name)
      if (type !== undefined && (type.render_callback !== null || type.render !== null)) return true
      if (this.#binders.size > 0 && attributes['metadata'] !== undefined) return true
      return this.#areRendered(inner.filter((part) => typeof part !== 'string'))
    })
  }

  /** The gap between blocks, as far as the classes of some of the content are told by it. */
  #gapFor(content: string, scope: RequestCache): Awaitable<BlockGap> {
    return this.since('6.5') && HAS_LAYOUT.test(content) ? this.#gap(scope) : NO_GAP
  }

  #gap(scope: RequestCache): Awaitable<BlockGap> {
    const { has, services } = this.#plugin
    if (!has('global-styles')) return NO_GAP
    return scope.getLater('blocks: gap', async () => gapOf(await services.globalStyles.merged()))
  }

  /** Parses the contents of one rendering; their blocks have the classes of their layout. */
  #parser(gap: BlockGap): (content: string) => Block[] {
    const { branding, since } = this.#plugin
    if (since('6.5')) return (content) => withArrangement(this.parse(content), this, { mark: branding.blockMark, gap })
    const counter = { last: 0 }
    return (content) => laidOut(this.parse(content), branding.blockMark, counter)
  }

  #contextOf(
    post: RenderedPost | null,
    scope: RequestCache,
    finish: (html: string) => string,
    gap: BlockGap,
  ): RenderContext {
    const { blockMark: mark } = this.#plugin.branding
    const now = performance.now()
    const response = scope.get('blocks: response', () => ({
      characters: MAX_INCLUDED_OF_RESPONSE,
      until: now + MAX_MILLISECONDS_OF_RESPONSE,
    }))
    return {
      post,
      scope,
      types: this,
      log: this.#plugin.log,
      parse: this.#parser(gap),
      finish,
      arrange: this.since('6.5')
        ? (html, type, attributes) => arrangedHtml(html, type, attributes, { mark, gap })
        : unchanged,
      mark,
      binder: [...this.#binders].at(-1) ?? null,
      around: new Set(post === null ? [] : [post.id]),
      budget: {
        included: MAX_INCLUDED,
        characters: MAX_INCLUDED_CHARACTERS,
        blocks: MAX_BLOCKS,
        html: MAX_HTML,
        until: Math.min(now + MAX_MILLISECONDS, response.until),
      },
      response,
    }
  }
}
