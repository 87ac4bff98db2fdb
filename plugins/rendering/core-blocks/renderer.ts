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

export { borderClasses, wrapperAttributes } from '../blocks/index.ts'

/** A block as its renderer gets it. */
export type CoreBlock = BlockInstance

/** What a renderer works with: the services of the site, and one rendering of a content. */
export interface Rendering extends BlockRendering {
  readonly plugin: PluginContext
  /** Prefix of the classes of blocks. */
  readonly mark: string
  /** A parameter of the query of the request; `''` without one. */
  readonly parameter: (name: string) => string
  /** The content of a post as HTML, its blocks rendered about it; `''` inside itself. The caller checks who may read it. */
  readonly contentOf: (post: RenderedPost) => Promise<string>
  /** Reads what several blocks of a response ask for in the same way once for all of them. */
  readonly once: <T>(asked: readonly unknown[], read: () => Promise<T>) => Awaitable<T>
  /** The class of a block: `MARK-block-site-title`. */
  readonly classOf: (block: CoreBlock) => string
  /** The CSS of a part of its style, for an element of its own. */
  readonly styleOf: (block: CoreBlock, part: StylePart) => string
  /** Text of an attribute as HTML: emphasis, links and the like stay, what could do harm goes. */
  readonly richText: (text: string) => string
  /** The same without any element, escaped. */
  readonly plainText: (html: string) => string
}

/** Renders a block of the core. */
export type Renderer = (block: CoreBlock, rendering: Rendering) => Awaitable<string>

/** A renderer as the registry of block types takes it. */
export function rendererOf(plugin: PluginContext, renderer: Renderer): BlockRenderer {
  const renderingOf = renderingsOf(plugin)
  return (block, place) => renderer(block, renderingOf(place))
}

/** Makes of a rendering one with the services of the site. */
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
      once: (asked, read) => place.scope.getLater(`core-blocks: ${JSON.stringify(asked)}`, read),
      classOf: kindClass,
      styleOf,
      richText,
      plainText,
    }
  }
}

/** Content without blocks gets the paragraphs that writers left to the server. */
function blocksOf({ services }: PluginContext, content: string): string {
  return services.blocks.isIn(content) ? content : services.contentRendering.paragraphs(content)
}
