import { OwnedList, type Awaitable, type PluginContext, type RequestCache } from '../../../kernel/index.ts'
import { collectDependencies } from '../../library/caching/index.ts'
import { DERIVED_ID, uniqueIds, type RenderedPost } from '../content-rendering/index.ts'
import { withLegacyLayout } from './layout.ts'
import { htmlOf, parseBlocks, type Block } from './parse.ts'
import {
  arrangedHtml,
  NEEDS_THEME,
  NO_THEME,
  themePartsOf,
  withArrangement,
  type Arrangement,
  type ThemeParts,
} from './arrangement.ts'
import { isRendered, renderOfType, renderParts, unchanged, type RenderContext } from './render.ts'
import { pageStylesOf, type PageStyles } from './page-rules.ts'
import { BlockTypes, type BlockBinder, type BlockType } from './types/registry.ts'

/** Maximum number of posts that one post can include; repeated inclusions count each time. */
const MAX_INCLUDED = 200
/** Maximum total characters of these posts. */
const MAX_INCLUDED_CHARACTERS = 2_000_000
/** Maximum characters that all posts in a response can include. */
const MAX_INCLUDED_OF_RESPONSE = 16_000_000

/** Maximum number of blocks with renderers in one post. */
const MAX_BLOCKS = 10_000
/** Maximum characters of HTML that renderers produce for one post; the HTML of nested blocks counts at each level. */
const MAX_HTML = 5_000_000
/** Time limits for rendering the blocks of one post, and of all posts in a response. */
const MAX_MILLISECONDS = 2000
const MAX_MILLISECONDS_OF_RESPONSE = 5000

/** Registers block types, and parses and renders the blocks of content. */
export class Blocks extends BlockTypes {
  readonly #plugin: PluginContext
  readonly #binders = new OwnedList<BlockBinder>('block binder')

  constructor(plugin: PluginContext) {
    super(plugin.since)
    this.#plugin = plugin
  }

  /**
   * Registers the binder that resolves the attributes listed in `metadata.bindings` of a block. The last one registered
   * is used.
   */
  bindWith(binder: BlockBinder): void {
    this.#binders.add(binder)
  }

  /** Whether the content contains blocks. */
  isIn(content: string): boolean {
    return content.includes(`<!-- ${this.#plugin.branding.blockMark}:`)
  }

  /** Parses content into blocks in linear time, for any input. HTML between blocks becomes blocks without a name. */
  parse(content: string): Block[] {
    return parseBlocks(content, this.#plugin.branding.blockMark)
  }

  /** Renders the blocks of content. Skips rendering if no block has a renderer or bindings. */
  async show(content: string, post: RenderedPost | null, scope: RequestCache): Promise<string> {
    const theme = await this.#themeFor(content, scope)
    const context = this.#contextOf(post, scope, this.#plugin.services.contentRendering.typography, theme)
    const blocks = context.parse(content)
    return this.#areRendered(blocks) ? uniqueIds(await renderParts(blocks, context), DERIVED_ID) : htmlOf(blocks)
  }

  /** Renders the content of a page template, and returns the styles that the blocks on the page need as well. */
  async showPage(content: string, scope: RequestCache): Promise<{ html: string; styles: PageStyles }> {
    return collectDependencies(async ({ tags }) => {
      const html = await this.show(content, null, scope)
      return { html, styles: pageStylesOf(tags) }
    })
  }

  /** Renders one block, including the content it includes. Rejects with the error of its callback. */
  async renderOne(
    type: BlockType,
    attributes: Record<string, unknown>,
    post: RenderedPost | null,
    scope: RequestCache,
  ): Promise<string> {
    const block: Block = { name: type.name, attributes, inner: [] }
    const context = this.#contextOf(post, scope, unchanged, await this.#theme(scope))
    return renderOfType(type, block, { ...context, isPreview: true })
  }

  /** Whether one of the blocks, or a block inside them, has a renderer or bindings. */
  #areRendered(blocks: readonly Block[]): boolean {
    return blocks.some(({ name, attributes, inner }) => {
      const type = name === null ? undefined : this.get(name)
      if (type !== undefined && (type.render_callback !== null || isRendered(type, attributes))) return true
      if (this.#binders.size > 0 && attributes['metadata'] !== undefined) return true
      return this.#areRendered(inner.filter((part) => typeof part !== 'string'))
    })
  }

  /** Returns the parts of the theme. Reads them only if classes of the content depend on them. */
  #themeFor(content: string, scope: RequestCache): Awaitable<ThemeParts> {
    return this.since('6.5') && NEEDS_THEME.test(content) ? this.#theme(scope) : NO_THEME
  }

  #theme(scope: RequestCache): Awaitable<ThemeParts> {
    const { has, services } = this.#plugin
    if (!has('global-styles')) return NO_THEME
    return scope.getLater('blocks: theme', async () => themePartsOf(await services.globalStyles.merged()))
  }

  /** Returns the parser for one rendering; it adds layout classes to the blocks. */
  #parser(arrangement: Omit<Arrangement, 'numbers'>): (content: string) => Block[] {
    // Each content has its own numbers, because contents that are included at the same time are parsed in any order.
    if (this.since('6.5'))
      return (content) => withArrangement(this.parse(content), this, { ...arrangement, numbers: { last: 0 } })
    return (content) => withLegacyLayout(this.parse(content), arrangement.mark, { last: 0 })
  }

  #contextOf(
    post: RenderedPost | null,
    scope: RequestCache,
    finish: (html: string) => string,
    theme: ThemeParts,
  ): RenderContext {
    const { blockMark: mark } = this.#plugin.branding
    const arrangement = { mark, theme, themeGapWins: this.since('7.1'), rules: { count: 0 } }
    const now = performance.now()
    const response = scope.get('blocks: response', () => ({
      characters: MAX_INCLUDED_OF_RESPONSE,
      until: now + MAX_MILLISECONDS_OF_RESPONSE,
    }))
    return {
      post,
      isPreview: false,
      scope,
      types: this,
      log: this.#plugin.log,
      parse: this.#parser(arrangement),
      finish,
      arrange: this.since('6.5')
        ? (html, type, attributes) => arrangedHtml(html, type, attributes, { ...arrangement, numbers: { last: 0 } })
        : unchanged,
      mark,
      binder: [...this.#binders].at(-1) ?? null,
      ancestors: new Set(post === null ? [] : [post.id]),
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
