import type { Awaitable, PluginContext, RequestCache } from '../../../kernel/index.ts'
import type { RenderedPost } from '../rendering/index.ts'
import { laidOut } from './layout.ts'
import { htmlOf, parseBlocks, type Block } from './parse.ts'
import { arrangedHtml, withArrangement } from './arrangement.ts'
import { renderOfType, renderParts, unchanged, type RenderContext } from './render.ts'
import { BlockTypes, type BlockType } from './types/registry.ts'

/** The most posts that one content may include, counting again those that are included more than once. */
const MAX_INCLUDED = 200
/** The most characters of all of them. */
const MAX_INCLUDED_CHARACTERS = 2_000_000
/** The most characters that all contents of a response may include. */
const MAX_INCLUDED_OF_RESPONSE = 16_000_000

/** The most blocks of one content that renderers make. */
const MAX_BLOCKS = 20_000
/** The most characters of HTML that they make, that of blocks inside others counted again. */
const MAX_HTML = 20_000_000
/** The most milliseconds that the blocks of one content may take. */
const MAX_MILLISECONDS = 10_000

/** Block types, and the blocks of content. */
export class Blocks extends BlockTypes {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    super(plugin.since)
    this.#plugin = plugin
  }

  /** Whether content has blocks. */
  isIn(content: string): boolean {
    return content.includes(`<!-- ${this.#plugin.branding.blockMark}:`)
  }

  /** The blocks of content, in linear time whatever it is; HTML between them is in blocks without a name. */
  parse(content: string): Block[] {
    return parseBlocks(content, this.#plugin.branding.blockMark)
  }

  /** Content with its blocks rendered. */
  render(content: string, post: RenderedPost | null, scope: RequestCache): Promise<string> {
    const context = this.#contextOf(post, scope, this.#plugin.services.rendering.typography)
    return renderParts(context.parse(content), context)
  }

  /** The same, at once where no block of the content has a render callback. */
  show(content: string, post: RenderedPost | null, scope: RequestCache): Awaitable<string> {
    return this.#isDynamic(content) ? this.render(content, post, scope) : htmlOf(this.#parser()(content))
  }

  /** One block with what it includes; throws what its callback throws. */
  renderOne(
    type: BlockType,
    attributes: Record<string, unknown>,
    post: RenderedPost | null,
    scope: RequestCache,
  ): Promise<string> {
    const block: Block = { name: type.name, attributes, inner: [] }
    return renderOfType(type, block, this.#contextOf(post, scope, unchanged))
  }

  /** Whether content may have a block with a render callback. */
  #isDynamic(content: string): boolean {
    const { blockMark } = this.#plugin.branding
    return this.all().some(({ name, render_callback: callback, render }) => {
      if (callback === null && render === null) return false
      const short = name.startsWith('core/') ? name.slice('core/'.length) : name
      return content.includes(`${blockMark}:${short}`) || content.includes(`${blockMark}:${name}`)
    })
  }

  /** Parses the contents of one rendering; their blocks have the classes of their layout. */
  #parser(): (content: string) => Block[] {
    const { branding, since } = this.#plugin
    if (since('6.5')) return (content) => withArrangement(this.parse(content), this, branding.blockMark)
    const counter = { last: 0 }
    return (content) => laidOut(this.parse(content), branding.blockMark, counter)
  }

  #contextOf(post: RenderedPost | null, scope: RequestCache, finish: (html: string) => string): RenderContext {
    const { blockMark: mark } = this.#plugin.branding
    return {
      post,
      scope,
      types: this,
      log: this.#plugin.log,
      parse: this.#parser(),
      finish,
      arrange: this.since('6.5') ? (html, type, attributes) => arrangedHtml(html, type, attributes, mark) : unchanged,
      mark,
      around: new Set(post === null ? [] : [post.id]),
      budget: {
        included: MAX_INCLUDED,
        characters: MAX_INCLUDED_CHARACTERS,
        blocks: MAX_BLOCKS,
        html: MAX_HTML,
        until: performance.now() + MAX_MILLISECONDS,
      },
      response: scope.get('blocks: included', () => ({ characters: MAX_INCLUDED_OF_RESPONSE })),
    }
  }
}
