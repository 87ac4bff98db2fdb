import type { RequestCache } from '../../../kernel/index.ts'
import type { RenderedPost } from '../rendering/index.ts'
import type { Block } from './parse.ts'
import type { BlockType, BlockTypeSpec } from './registry.ts'

/** Types of blocks, and the blocks of content. */
export interface Blocks {
  /** Registers a type, or replaces the one of the same name: `register('shop/price', { attributes, render_callback })`. */
  register(name: string, spec: BlockTypeSpec): void
  get(name: string): BlockType | undefined
  all(): BlockType[]
  /** The blocks of content, in linear time whatever it holds; HTML between them stands in blocks without a name. */
  parse(content: string): Block[]
  /** Content with its blocks rendered. */
  render(content: string, post: RenderedPost | null, scope: RequestCache): Promise<string>
  /** One block with what it includes; throws what its callback throws. */
  renderOne(
    type: BlockType,
    attributes: Record<string, unknown>,
    post: RenderedPost | null,
    scope: RequestCache,
  ): Promise<string>
}
