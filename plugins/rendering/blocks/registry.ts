import {
  OwnedMap,
  validateValue,
  sanitizeValue,
  type ArgumentSchema,
  type Awaitable,
  type RequestCache,
} from '../../../kernel/index.ts'
import type { RenderedPost } from '../rendering/index.ts'
import { errors } from './errors.ts'
import type { Block } from './parse.ts'

/** A block as it is rendered. */
export interface BlockPlace {
  readonly block: Block
  /** The post whose content it is in; null where it is rendered by itself. */
  readonly post: RenderedPost | null
  /** For what is read: once for all contents of a request. */
  readonly scope: RequestCache
  /** What the blocks around it provide and its type uses, by name. */
  readonly context: Readonly<Record<string, unknown>>
  /**
   * Renders the blocks of another post's content here; `''` where that post is being rendered around this place, or
   * too many have been included already. Whether it may be read is for the caller to know.
   */
  readonly include: (id: number, content: string) => Promise<string>
}

/**
 * Makes HTML of a block.
 * @param attributes with the defaults of the type; those that do not fit its schema have their default
 * @param content what the block holds, rendered
 */
export type RenderCallback = (
  attributes: Readonly<Record<string, unknown>>,
  content: string,
  place: BlockPlace,
) => Awaitable<string>

/** What a type of blocks is registered with. */
export interface BlockTypeSpec {
  title?: string
  description?: string
  category?: string | null
  icon?: string | null
  keywords?: readonly string[]
  /** Types of blocks that it may stand in directly. */
  parent?: readonly string[] | null
  /** Types of blocks that it may stand in somewhere. */
  ancestor?: readonly string[] | null
  attributes?: Readonly<Record<string, ArgumentSchema>>
  /** Which of its attributes the blocks in it may use: the name they know it by, and the attribute. */
  provides_context?: Readonly<Record<string, string>>
  /** What it uses of the blocks around it, by the names that they provide it under. */
  uses_context?: readonly string[]
  supports?: Readonly<Record<string, unknown>>
  styles?: readonly Readonly<Record<string, unknown>>[]
  variations?: readonly Readonly<Record<string, unknown>>[]
  textdomain?: string | null
  example?: Readonly<Record<string, unknown>> | null
  api_version?: number
  editor_script_handles?: readonly string[]
  script_handles?: readonly string[]
  view_script_handles?: readonly string[]
  editor_style_handles?: readonly string[]
  style_handles?: readonly string[]
  /** Makes its HTML. Without one, a block is the HTML that is stored in it. */
  render_callback?: RenderCallback | null
}

/** A type of blocks: what it was registered with and every default. */
export interface BlockType extends Required<BlockTypeSpec> {
  readonly name: string
}

const NAME = /^[a-z][a-z0-9-]*\/[a-z][a-z0-9-]*$/

/** The types of blocks. A plugin's types go with it. */
export class BlockTypes {
  readonly #types = new OwnedMap<BlockType>()

  /** @throws BLOCK_TYPE_INVALID */
  register(name: string, spec: BlockTypeSpec): void {
    if (!NAME.test(name)) throw errors.BLOCK_TYPE_INVALID(name)
    const { supports = {}, attributes = {} } = spec
    this.#types.set(name, {
      name,
      title: '',
      description: '',
      category: null,
      icon: null,
      keywords: [],
      parent: null,
      ancestor: null,
      provides_context: {},
      uses_context: [],
      styles: [],
      variations: [],
      textdomain: null,
      example: null,
      api_version: 1,
      editor_script_handles: [],
      script_handles: [],
      view_script_handles: [],
      editor_style_handles: [],
      style_handles: [],
      render_callback: null,
      ...spec,
      supports,
      attributes: { ...attributes, ...supported(supports, attributes) },
    })
  }

  get(name: string): BlockType | undefined {
    return this.#types.get(name)
  }

  all(): BlockType[] {
    return this.#types.values()
  }
}

/** The attributes that blocks have for what their type supports. */
function supported(
  supports: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, ArgumentSchema>>,
): Record<string, ArgumentSchema> {
  const more: Record<string, ArgumentSchema> = {}
  if (supports['align'] !== undefined && supports['align'] !== false) {
    more['align'] = { type: 'string', enum: ['left', 'center', 'right', 'wide', 'full', ''] }
  }
  if (supports['lock'] !== false) more['lock'] = { type: 'object' }
  if (supports['customClassName'] !== false) more['className'] = { type: 'string' }
  return Object.fromEntries(Object.entries(more).filter(([name]) => !Object.hasOwn(own, name)))
}

/**
 * The attributes that a block is rendered with: those that fit the schema of its type, its defaults, and those that it
 * does not declare as they are.
 */
export function preparedAttributes(
  { attributes: schemas }: BlockType,
  attributes: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const prepared = { ...attributes }
  for (const [name, schema] of Object.entries(schemas)) {
    if (Object.hasOwn(attributes, name)) {
      if (validateValue(attributes[name], schema, name) === true) {
        prepared[name] = sanitizeValue(attributes[name], schema, name)
        continue
      }
      delete prepared[name]
    }
    if (schema.default !== undefined) prepared[name] = structuredClone(schema.default)
  }
  return prepared
}
