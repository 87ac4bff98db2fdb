import type { Logger } from 'pino'
import { currentWork, doNotKeep, mapInSlices, type RequestCache } from '../../../kernel/index.ts'
import type { RenderedPost } from '../rendering/index.ts'
import type { Block } from './parse.ts'
import { preparedAttributes, type BlockType, type BlockTypes } from './types/registry.ts'

/** One rendering of a content, with all that it includes. */
export interface RenderContext {
  readonly post: RenderedPost | null
  readonly scope: RequestCache
  readonly types: BlockTypes
  readonly log: Logger
  /** Parses content into its blocks. */
  readonly parse: (content: string) => Block[]
  /** Applied to the HTML of every callback. */
  readonly finish: (html: string) => string
  /** IDs of the posts whose content is being rendered around a block: none of them is included in it again. */
  readonly around: ReadonlySet<number>
  /** How many posts may still be included, and characters of their content. */
  readonly budget: { included: number; characters: number }
  /** How many characters all contents of the response may still include. */
  readonly response: { characters: number }
}

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
  const content = await renderParts(block.inner, rendering, inside)
  if (type.render_callback === null) return content
  const context = Object.fromEntries(
    type.uses_context.flatMap((name) => (Object.hasOwn(provided, name) ? [[name, provided[name]]] : [])),
  )
  const { post, scope } = rendering
  const include = (id: number, text: string) => included(id, text, rendering)
  return rendering.finish(await type.render_callback(attributes, content, { block, post, scope, context, include }))
}

async function included(id: number, content: string, rendering: RenderContext): Promise<string> {
  const { around, budget, response } = rendering
  if (around.has(id) || budget.included <= 0) return ''
  if (content.length > budget.characters) return ''
  if (content.length > response.characters) {
    doNotKeep('the response has too much else in it')
    return ''
  }
  budget.included -= 1
  budget.characters -= content.length
  response.characters -= content.length
  return renderParts(rendering.parse(content), { ...rendering, around: new Set([...around, id]) })
}
