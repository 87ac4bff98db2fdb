import type { Awaitable, PluginContext } from '../../../kernel/index.ts'
import { escapeHtmlOnce } from '../../library/markup/index.ts'
import {
  kindClass,
  styleOf,
  type BlockInstance,
  type BlockRenderer,
  type BlockRendering,
  type StylePart,
} from '../blocks/index.ts'
import type { RenderedPost } from '../content-rendering/index.ts'
import { blockTexts, type Texts } from './texts.ts'

export { borderClasses, colorClasses, wrapperAttributes } from '../blocks/index.ts'

/** A block as passed to its renderer. */
export type CoreBlock = BlockInstance

/** Services of the site and the current rendering, as passed to core block renderers. */
export interface Rendering extends BlockRendering {
  readonly plugin: PluginContext
  /** Prefix of block class names. */
  readonly mark: string
  /** Returns a query parameter of the request; `''` if it is missing. */
  readonly parameter: (name: string) => string
  /**
   * Renders the content of a post with the post as context; `''` inside that content. The caller must check read
   * access.
   */
  readonly contentOf: (post: RenderedPost) => Promise<string>
  /** Shares reads among the blocks of a response: equal keys read once. */
  readonly once: <T>(key: readonly unknown[], read: () => Promise<T>) => Awaitable<T>
  /** Returns the class of the block type: `MARK-block-site-title`. */
  readonly classOf: (block: CoreBlock) => string
  /** Returns the CSS of one style group, for an inner element. */
  readonly styleOf: (block: CoreBlock, part: StylePart) => string
  /** Returns the texts of blocks in the language of the site. */
  readonly texts: () => Promise<Texts>
  /** Filters the HTML of an attribute: keeps harmless elements such as links and emphasis. */
  readonly richText: (text: string) => string
  /** Escapes the text of an attribute, without any elements. */
  readonly plainText: (html: string) => string
}

/** Renders a core block. */
export type Renderer = (block: CoreBlock, rendering: Rendering) => Awaitable<string>

/** Adapts a core renderer to the registry of block types. */
export function rendererOf(plugin: PluginContext, renderer: Renderer): BlockRenderer {
  const renderingOf = renderingsOf(plugin)
  return (block, place) => renderer(block, renderingOf(place))
}

/** Returns a function that adds the services of the site to a rendering. */
export function renderingsOf(plugin: PluginContext): (place: BlockRendering) => Rendering {
  const { services, branding } = plugin
  const richText = (text: string) => services.html.filter(text, 'post')
  const plainText = (html: string) => escapeHtmlOnce(services.html.filter(html, 'strip').trim())
  return (place) => {
    return {
      ...place,
      plugin,
      mark: branding.blockMark,
      parameter: (name) => place.scope.parameter(name) ?? '',
      contentOf: (post) => place.include(`content ${post.id}`, blocksOf(plugin, post.content), post),
      once: (key, read) => place.scope.getLater(`core-blocks: ${JSON.stringify(key)}`, read),
      classOf: kindClass,
      styleOf,
      texts: () => blockTexts(plugin),
      richText,
      plainText,
    }
  }
}

/** Adds paragraphs to content without blocks. */
function blocksOf({ services }: PluginContext, content: string): string {
  return services.blocks.isIn(content) ? content : services.contentRendering.paragraphs(content)
}
