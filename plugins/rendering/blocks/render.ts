import type { Logger } from 'pino'
import type { Awaitable, RequestCache } from '../../../kernel/index.ts'
import { mapInSlices } from '../../library/long-work/index.ts'
import { doNotCachePart, cacheBriefly, omitFailedPart } from '../../library/caching/index.ts'
import type { RenderedPost } from '../content-rendering/index.ts'
import type { Block } from './parse.ts'
import { isHidden } from './arranged-supports.ts'
import {
  isStored,
  preparedAttributes,
  type BlockBinder,
  type BlockInstance,
  type BlockRendering,
  type BlockType,
  type BlockTypes,
  type BoundBlock,
} from './types/registry.ts'

/** State of rendering one post or template, including the content it includes. */
export interface RenderContext {
  readonly post: RenderedPost | null
  /** Whether one block is rendered alone, as editors preview it. */
  readonly isPreview: boolean
  readonly scope: RequestCache
  readonly types: BlockTypes
  readonly log: Logger
  /** Parses content into its blocks. */
  readonly parse: (content: string) => Block[]
  /** Applied to the HTML of each callback, except inside a block with a renderer. */
  readonly finish: (html: string) => string
  /** Adds the layout classes of the block to its HTML. */
  readonly arrange: (html: string, type: BlockType, attributes: Context) => string
  /** Prefix of class names. */
  readonly mark: string
  /** Resolves block bindings; null if no binder is registered. */
  readonly binder: BlockBinder | null
  /** Keys of the content around the block, which cannot be included again. */
  readonly ancestors: ReadonlySet<number | string>
  /**
   * Remaining limits: number of inclusions and their characters, number of blocks with renderers, characters of HTML
   * they produce, and the deadline (a `performance.now()` time). Blocks beyond a limit become empty strings.
   */
  readonly budget: { included: number; characters: number; blocks: number; html: number; until: number }
  /** Characters that all posts in the response can still include. */
  readonly response: { characters: number }
}

/** Maximum nesting depth of inclusions. */
const MAX_INCLUSION_DEPTH = 20

type Context = Readonly<Record<string, unknown>>
const NOTHING: Context = {}

/** Renders parts concurrently in slices, so that their queries can be batched. */
export async function renderParts(
  parts: readonly (string | Block)[],
  rendering: RenderContext,
  provided: Context = NOTHING,
): Promise<string> {
  const render = (part: string | Block) => (typeof part === 'string' ? part : renderBlock(part, rendering, provided))
  return (await mapInSlices(parts, render)).join('')
}

/** Renders a block. If its callback fails, logs the error and returns an empty string. */
async function renderBlock(block: Block, rendering: RenderContext, provided: Context): Promise<string> {
  const type = block.name === null ? undefined : rendering.types.get(block.name)
  if (type === undefined) return renderParts(block.inner, rendering, provided)
  if (isHidden(type, block)) return ''
  try {
    return await renderOfType(type, block, rendering, provided)
  } catch (error) {
    omitFailedPart(rendering.log, error, { block: block.name, post: rendering.post?.id }, 'rendering a block failed')
    return ''
  }
}

/** Renders a block whose type is known. Rejects with the error of its callback. */
export async function renderOfType(
  type: BlockType,
  block: Block,
  rendering: RenderContext,
  provided: Context = NOTHING,
): Promise<string> {
  const attributes = preparedAttributes(type, block.attributes)
  const provides = Object.entries(type.provides_context)
  const inside =
    provides.length === 0
      ? provided
      : { ...provided, ...Object.fromEntries(provides.map(([name, attribute]) => [name, attributes[attribute]])) }
  if (isRendered(type, attributes)) return rendered(type, block, attributes, rendering, provided, inside)
  const content = await renderParts(block.inner, rendering, inside)
  if (isBound(block) && rendering.binder !== null) {
    const instance = new Instance(type, block, attributes, rendering, provided)
    const { write } = await rendering.binder(instance, placeOf(rendering, inside))
    return rendering.finish(write(content))
  }
  if (type.render_callback === null) return content
  const context = Object.fromEntries(
    type.uses_context.flatMap((name) => (Object.hasOwn(provided, name) ? [[name, provided[name]]] : [])),
  )
  const { post, scope } = rendering
  const include = (id: number, text: string) => included(id, text, rendering, provided)
  return rendering.finish(await type.render_callback(attributes, content, { block, post, scope, context, include }))
}

/** Calls the renderer of the block type, within the limits of `budget`. */
async function rendered(
  type: BlockType,
  block: Block,
  attributes: Context,
  rendering: RenderContext,
  provided: Context,
  inside: Context,
): Promise<string> {
  const { binder, budget, finish } = rendering
  budget.blocks -= 1
  if (budget.blocks < 0 || budget.html < 0) return ''
  if (performance.now() > budget.until) {
    cacheBriefly()
    return ''
  }
  const place = placeOf({ ...rendering, finish: unchanged }, inside)
  const instance = new Instance(type, block, attributes, rendering, provided)
  const bound = isBound(block) && binder !== null ? await binder(instance, place) : null
  const result = type.render!(
    bound === null ? instance : new Instance(type, block, { ...attributes, ...bound.values }, rendering, provided),
    bound === null || !isStored(type) ? place : withValues(place, bound),
  )
  // Charged before the next `await` if possible, because blocks that are rendered concurrently share the budget.
  if (typeof result === 'string') budget.html -= result.length
  const html = isStored(type) ? await result : rendering.arrange(await result, type, attributes)
  if (typeof result !== 'string') budget.html -= html.length
  return finish(html)
}

/** Whether a block with these attributes is rendered; false for stored HTML. */
export function isRendered({ render, rendersIf }: BlockType, attributes: Context): boolean {
  return render !== null && (rendersIf === null || rendersIf(attributes))
}

/** Writes bound values into the stored HTML that a renderer gets. */
function withValues(place: BlockRendering, { write }: BoundBlock): BlockRendering {
  return { ...place, renderInner: async (block, context) => write(await place.renderInner(block, context)) }
}

const weights = new WeakMap<readonly (string | Block)[], number>()

/** Approximate number of characters that rendering the parts once yields: their HTML and their attributes. */
function weightOf(parts: readonly (string | Block)[]): number {
  let weight = weights.get(parts)
  if (weight === undefined) {
    weight = 0
    for (const part of parts) {
      weight += typeof part === 'string' ? part.length : JSON.stringify(part.attributes).length + weightOf(part.inner)
    }
    weights.set(parts, weight)
  }
  return weight
}

/** Whether the block has attributes bound to other data. */
function isBound({ attributes }: Block): boolean {
  const { metadata } = attributes as { metadata?: { bindings?: unknown } | null }
  return typeof metadata?.bindings === 'object' && metadata.bindings !== null
}

/**
 * A class, because V8 creates a hidden class for each object literal with getters, and there is one instance per block.
 */
class Instance implements BlockInstance {
  readonly name: string
  readonly type: BlockType
  readonly attributes: Context
  readonly context: Context
  readonly inner: Block['inner']
  readonly mark: string

  constructor(type: BlockType, { inner }: Block, attributes: Context, { mark }: RenderContext, provided: Context) {
    this.name = type.name
    this.type = type
    this.attributes = attributes
    this.context = provided
    this.inner = inner
    this.mark = mark
  }

  get innerBlocks(): Block[] {
    return this.inner.filter((part) => typeof part !== 'string')
  }

  get innerHTML(): string {
    return this.inner.filter((part) => typeof part === 'string').join('')
  }
}

/** @param inside context provided to the blocks in this place */
function placeOf(nested: RenderContext, inside: Context): BlockRendering {
  const { budget, isPreview, post, scope } = nested
  const inner = (parts: readonly (string | Block)[], context: Context | undefined): Awaitable<string> => {
    // Charged before rendering, because blocks that are rendered concurrently share the budget.
    budget.html -= weightOf(parts)
    return budget.html < 0 ? '' : renderParts(parts, nested, { ...inside, ...context })
  }
  return {
    post,
    isPreview,
    scope,
    renderInner: async (block, context) => inner(block.inner, context),
    render: async (one, context) => inner([one], context),
    spend: (blocks) => {
      budget.blocks -= blocks
      return budget.blocks >= 0
    },
    include: (key, text, about) =>
      included(key, text, about === undefined ? nested : { ...nested, post: about }, inside),
  }
}

async function included(
  key: number | string,
  content: string,
  rendering: RenderContext,
  provided: Context,
): Promise<string> {
  const { ancestors, budget, response } = rendering
  if (ancestors.has(key) || ancestors.size > MAX_INCLUSION_DEPTH || budget.included <= 0) return ''
  if (content.length > budget.characters) return ''
  if (content.length > response.characters) {
    doNotCachePart('the response has reached its limit of included content')
    return ''
  }
  budget.included -= 1
  budget.characters -= content.length
  response.characters -= content.length
  return renderParts(rendering.parse(content), { ...rendering, ancestors: new Set([...ancestors, key]) }, provided)
}

/** Returns the HTML unchanged. */
export const unchanged = (html: string): string => html
