import type { Logger } from 'pino'
import { currentWork, doNotKeep, mapInSlices, type RequestCache } from '../../../kernel/index.ts'
import type { RenderedPost } from '../rendering/index.ts'
import type { Block } from './parse.ts'
import {
  preparedAttributes,
  type BlockInstance,
  type BlockRendering,
  type BlockType,
  type BlockTypes,
} from './types/registry.ts'

/** One rendering of a content, with all that it includes. */
export interface RenderContext {
  readonly post: RenderedPost | null
  readonly scope: RequestCache
  readonly types: BlockTypes
  readonly log: Logger
  /** Parses content into its blocks. */
  readonly parse: (content: string) => Block[]
  /** Applied to the HTML of every callback that is not inside another renderer. */
  readonly finish: (html: string) => string
  /** Adds the classes of the layout of a block to its HTML. */
  readonly arrange: (html: string, type: BlockType, attributes: Context) => string
  /** Prefix of classes. */
  readonly mark: string
  /** What is being included around a block: none of it is included in it again. */
  readonly around: ReadonlySet<number | string>
  /**
   * How much may still be included, and characters of it; how many blocks may be rendered by renderers, how many characters
   * of HTML they may make, and until when.
   */
  readonly budget: { included: number; characters: number; blocks: number; html: number; until: number }
  /** How many characters all contents of the response may still include. */
  readonly response: { characters: number }
}

/** How deep contents may be included in each other. */
const MAX_AROUND = 20

type Context = Readonly<Record<string, unknown>>
const NOTHING: Context = {}

/** Renders blocks; many of one content at once, so that what they read comes from the same statements. */
export async function renderParts(
  parts: readonly (string | Block)[],
  rendering: RenderContext,
  provided: Context = NOTHING,
): Promise<string> {
  const render = (part: string | Block) => (typeof part === 'string' ? part : renderBlock(part, rendering, provided))
  return (await mapInSlices(parts, render)).join('')
}

/** Renders a block. One whose callback fails is left out, and the error is logged. */
async function renderBlock(block: Block, rendering: RenderContext, provided: Context): Promise<string> {
  const type = block.name === null ? undefined : rendering.types.get(block.name)
  if (type === undefined) return renderParts(block.inner, rendering, provided)
  try {
    return await renderOfType(type, block, rendering, provided)
  } catch (error) {
    currentWork()?.throwIfAborted()
    doNotKeep('a block failed')
    rendering.log.error({ err: error, block: block.name, post: rendering.post?.id }, 'a block failed')
    return ''
  }
}

/** Renders a block of a type; throws what its callback throws. */
export async function renderOfType(
  type: BlockType,
  block: Block,
  rendering: RenderContext,
  provided: Context = NOTHING,
): Promise<string> {
  const attributes = preparedAttributes(type, block.attributes)
  const own = Object.entries(type.provides_context)
  const inside =
    own.length === 0
      ? provided
      : { ...provided, ...Object.fromEntries(own.map(([name, attribute]) => [name, attributes[attribute]])) }
  if (type.render !== null) return rendered(type, block, attributes, rendering, provided, inside)
  const content = await renderParts(block.inner, rendering, inside)
  if (type.render_callback === null) return content
  const context = Object.fromEntries(
    type.uses_context.flatMap((name) => (Object.hasOwn(provided, name) ? [[name, provided[name]]] : [])),
  )
  const { post, scope } = rendering
  const include = (id: number, text: string) => included(id, text, rendering, provided)
  return rendering.finish(await type.render_callback(attributes, content, { block, post, scope, context, include }))
}

/** Renders a block by the renderer of its type, within the bounds of what one content may cost. */
async function rendered(
  type: BlockType,
  block: Block,
  attributes: Context,
  rendering: RenderContext,
  provided: Context,
  inside: Context,
): Promise<string> {
  const { budget, finish, post, scope, mark } = rendering
  budget.blocks -= 1
  if (budget.blocks < 0 || budget.html < 0) return ''
  if (performance.now() > budget.until) {
    doNotKeep('rendering took too long')
    return ''
  }
  const { name } = type
  const { inner } = block
  const nested: RenderContext = { ...rendering, finish: unchanged }
  const instance: BlockInstance = {
    name,
    type,
    attributes,
    context: provided,
    inner,
    mark,
    get innerBlocks() {
      return inner.filter((part) => typeof part !== 'string')
    },
    get innerHTML() {
      return inner.filter((part) => typeof part === 'string').join('')
    },
  }
  const place: BlockRendering = {
    post,
    scope,
    renderInner: (of, context) => renderParts(of.inner, nested, { ...inside, ...context }),
    render: (one, context) => renderParts([one], nested, { ...inside, ...context }),
    spend: (blocks) => {
      budget.blocks -= blocks
      return budget.blocks >= 0
    },
    include: (key, text, about) =>
      included(key, text, about === undefined ? nested : { ...nested, post: about }, inside),
  }
  const html = rendering.arrange(await type.render!(instance, place), type, attributes)
  budget.html -= html.length
  return finish(html)
}

async function included(
  key: number | string,
  content: string,
  rendering: RenderContext,
  provided: Context,
): Promise<string> {
  const { around, budget, response } = rendering
  if (around.has(key) || around.size > MAX_AROUND || budget.included <= 0) return ''
  if (content.length > budget.characters) return ''
  if (content.length > response.characters) {
    doNotKeep('the response has too much else in it')
    return ''
  }
  budget.included -= 1
  budget.characters -= content.length
  response.characters -= content.length
  return renderParts(rendering.parse(content), { ...rendering, around: new Set([...around, key]) }, provided)
}

/** HTML as it is. */
export const unchanged = (html: string): string => html
