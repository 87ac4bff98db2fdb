import { checkRegistration, refusePromiseText, shapeMistake, type Shapes } from '../../../library/advice/index.ts'
import {
  currentOwner,
  OwnedMap,
  type ArgumentSchema,
  type Awaitable,
  type DependsOn,
  type RequestCache,
} from '../../../../kernel/index.ts'
import { declared } from '../../../library/caching/index.ts'
import { defaultMistake, schemasMistake, validateValue, sanitizeValue } from '../../../requests/arguments/index.ts'
import type { RenderedPost } from '../../content-rendering/index.ts'
import { errors } from '../errors.ts'
import type { Block } from '../parse.ts'

/** The place a block is rendered in. */
export interface BlockPlace {
  readonly block: Block
  /** The post that contains the block; null if the block is rendered alone. */
  readonly post: RenderedPost | null
  /** Cache of the request. */
  readonly scope: RequestCache
  /** Context values that surrounding blocks provide and the block type uses, by name. */
  readonly context: Readonly<Record<string, unknown>>
  /**
   * Renders the content of another post here. Returns `''` if the block is inside that post, or the limits for included
   * content are exhausted. The caller must check that the user can read the post.
   */
  readonly include: (id: number, content: string) => Promise<string>
}

/**
 * Renders a block.
 * @param attributes with the defaults of the type; values that do not match their schema are replaced by the default
 * @param content the rendered content of the block
 */
export type RenderCallback = (
  attributes: Readonly<Record<string, unknown>>,
  content: string,
  place: BlockPlace,
) => Awaitable<string>

/** A block as passed to its renderer. */
export interface BlockInstance {
  readonly name: string
  readonly type: BlockType
  /** With the defaults of the type; values that do not match their schema are replaced by the default. */
  readonly attributes: Readonly<Record<string, unknown>>
  /** Context values that surrounding blocks provide, by name. */
  readonly context: Readonly<Record<string, unknown>>
  /** The direct inner blocks, unrendered. */
  readonly innerBlocks: readonly Block[]
  /** The HTML of the block itself, without inner blocks. */
  readonly innerHTML: string
  /** HTML and inner blocks, in document order. */
  readonly inner: readonly (string | Block)[]
  /** Prefix of block class names. */
  readonly mark: string
}

/** One rendering of a post or template, as passed to the renderers of its blocks. */
export interface BlockRendering {
  /** The post whose content is rendered; null if a block is rendered alone. */
  readonly post: RenderedPost | null
  /** Whether the block is rendered alone, as editors preview it, and not as a part of content. */
  readonly isPreview: boolean
  /** Cache of the request. Equal reads of all blocks in a response are batched into the same statements. */
  readonly scope: RequestCache
  /**
   * Renders the HTML and blocks inside the block.
   * @param context values for these blocks, in addition to the context of surrounding blocks and of the block itself
   */
  readonly renderInner: (block: BlockInstance, context?: Readonly<Record<string, unknown>>) => Promise<string>
  /** Renders another block as if it were inside this one. */
  readonly render: (block: Block, context?: Readonly<Record<string, unknown>>) => Promise<string>
  /**
   * Counts blocks against the limit of the post. Call it before the inside of a block is rendered more than once.
   * @param blocks number of blocks in addition to the ones inside the block
   * @returns false if the limit is exceeded
   */
  readonly spend: (blocks: number) => boolean
  /**
   * Renders other content here. Returns `''` if the content includes itself, or the limits for included content are
   * exhausted. The caller must check that the user can read it.
   * @param key identifies the content: `pattern site/hero`, or the ID of a post for its content
   * @param post the post that blocks in the content refer to, if it differs from the current one
   */
  readonly include: (key: string | number, content: string, post?: RenderedPost) => Promise<string>
}

/** Bound values of one block. */
export interface BoundBlock {
  /** Attribute values that replace the ones of the block. */
  readonly values: Readonly<Record<string, unknown>>
  /** Writes the values into the stored HTML of the block. */
  readonly write: (html: string) => string
}

/** Resolves the attributes that `metadata.bindings` of a block binds to other data. */
export type BlockBinder = (block: BlockInstance, rendering: BlockRendering) => Promise<BoundBlock>

/** Renders a block. It decides when, and how often, the inner blocks are rendered. */
export type BlockRenderer = (block: BlockInstance, rendering: BlockRendering) => Awaitable<string>

/** Schema of a block attribute, with the fields that the editor uses to find its value. */
export interface BlockAttribute extends Omit<ArgumentSchema, 'type'> {
  type?: ArgumentSchema['type'] | 'rich-text'
  /** How the editor finds the value in the HTML of the block. */
  source?: string
  selector?: string
  attribute?: string
  multiline?: string
  query?: Record<string, BlockAttribute>
  meta?: string
  role?: string
}

/** Definition of a block type, as passed to `register`. */
export interface BlockTypeSpec {
  title?: string
  description?: string
  category?: string | null
  icon?: string | null
  keywords?: readonly string[]
  /** Block types that can contain it directly. */
  parent?: readonly string[] | null
  /** Block types that can contain it at any depth. */
  ancestor?: readonly string[] | null
  /** Block types that it can contain directly. */
  allowed_blocks?: readonly string[] | null
  attributes?: Readonly<Record<string, BlockAttribute>>
  /** Context for inner blocks: context names, and the attributes that supply the values. */
  provides_context?: Readonly<Record<string, string>>
  /** Names of the context values that it uses. */
  uses_context?: readonly string[]
  supports?: Readonly<Record<string, unknown>>
  /** CSS selectors of its parts, for the styles of themes. */
  selectors?: Readonly<Record<string, unknown>>
  /**
   * Blocks next to which it is inserted automatically: block type, and `before`, `after`, `first_child` or
   * `last_child`.
   */
  block_hooks?: Readonly<Record<string, string>>
  styles?: readonly Readonly<Record<string, unknown>>[]
  variations?: readonly Readonly<Record<string, unknown>>[]
  /** Returns variations that depend on the site, such as one for each taxonomy. They are listed after `variations`. */
  variation_callback?: ((scope: RequestCache) => Awaitable<readonly Readonly<Record<string, unknown>>[]>) | null
  textdomain?: string | null
  example?: Readonly<Record<string, unknown>> | null
  api_version?: number
  editor_script_handles?: readonly string[]
  script_handles?: readonly string[]
  view_script_handles?: readonly string[]
  editor_style_handles?: readonly string[]
  style_handles?: readonly string[]
  view_style_handles?: readonly string[]
  view_script_module_ids?: readonly string[]
  /** Converts attributes that older editors stored, before they are validated. */
  migrate?: ((attributes: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>) | null
  /** Renders the block. Without a callback, the stored HTML is used. */
  render_callback?: RenderCallback | null
  /** Replaces `render_callback` for blocks that decide when, and how often, their inner blocks are rendered. */
  render?: BlockRenderer | null
  /**
   * For types whose HTML is stored: whether a block with these attributes is rendered. All others are sent as they are
   * stored. `render` returns the stored HTML with changes; `renderInner` returns it with bound values and layout classes.
   */
  rendersIf?: ((attributes: Readonly<Record<string, unknown>>) => boolean) | null
  /** Whether the REST API lists the type as rendered by the server; defaults to true if it has a renderer. */
  is_dynamic?: boolean
  /**
   * Cache tags of data that its HTML depends on, other than the arguments and reads through services; or a function
   * that returns them.
   */
  dependsOn?: DependsOn
  /** Whether responses that contain the block can be cached; true by default. */
  cache?: boolean
  /** Revision of the REST API that introduced it, such as `6.5`: earlier revisions neither list nor preview it. */
  since?: string
  /** Whether it can replace a block of the same name from another plugin without a warning in the log. */
  override?: boolean
}

/** A registered block type, with all defaults. */
export interface BlockType extends Required<Omit<BlockTypeSpec, 'dependsOn' | 'cache' | 'override'>> {
  readonly name: string
}

/** Whether blocks of a type are stored as HTML, even if a renderer changes it. */
export function isStored({ render, rendersIf }: Pick<BlockType, 'render' | 'rendersIf'>): boolean {
  return render === null || rendersIf !== null
}

/** Wraps a callback so that unresolved promises in its HTML are refused. Trusted plugins are not checked. */
function htmlOf(callback: RenderCallback, label: string): RenderCallback {
  const { name, trusted } = currentOwner()
  if (trusted) return callback
  return async (attributes, content, place) =>
    refusePromiseText(await callback(attributes, content, place), [attributes, content], name, label)
}

const NAME = /^[a-z][a-z0-9-]*\/[a-z][a-z0-9-]*$/

/** The registry of block types. Types are removed together with the plugin that registered them. */
export class BlockTypes {
  readonly #types = new OwnedMap<BlockType>('block type')
  /** Whether the emulated REST API version is at least the given one. */
  protected readonly since: (version: string) => boolean

  constructor(since: (version: string) => boolean) {
    this.since = since
  }

  /**
   * Registers a block type, or replaces the one with the same name: `register('shop/price', { attributes,
   * render_callback })`.
   * @throws BLOCK_TYPE_INVALID, BLOCK_TYPE_DEFINITION_INVALID
   */
  register(name: string, spec: BlockTypeSpec): void {
    if (!NAME.test(name)) throw errors.BLOCK_TYPE_INVALID(name)
    checkRegistration(
      () => blockTypeMistake(spec),
      (plugin, reason) => errors.BLOCK_TYPE_DEFINITION_INVALID(plugin, name, reason),
    )
    const { dependsOn, cache, override, ...rest } = spec
    const { supports = {}, attributes = {}, render_callback: callback, render } = rest
    const label = `the block ${name}`
    const checked = callback ? htmlOf(callback, label) : null
    const type: BlockType = {
      name,
      title: '',
      description: '',
      category: null,
      icon: null,
      keywords: [],
      parent: null,
      ancestor: null,
      allowed_blocks: null,
      provides_context: {},
      uses_context: [],
      selectors: {},
      block_hooks: {},
      styles: [],
      variations: [],
      variation_callback: null,
      textdomain: null,
      example: null,
      api_version: 1,
      editor_script_handles: [],
      script_handles: [],
      view_script_handles: [],
      editor_style_handles: [],
      style_handles: [],
      view_style_handles: [],
      view_script_module_ids: [],
      migrate: null,
      rendersIf: null,
      since: '4.4',
      is_dynamic: Boolean(callback) || Boolean(render),
      ...rest,
      render_callback: checked
        ? declared(checked, label, { dependsOn: dependsOn as DependsOn<Parameters<RenderCallback>>, cache })
        : null,
      render: render
        ? declared(render, label, { dependsOn: dependsOn as DependsOn<Parameters<BlockRenderer>>, cache })
        : null,
      supports,
      attributes: { ...attributes, ...supported(supports, attributes, this.since) },
    }
    this.#types.set(name, type, name, override)
  }

  /** Returns the type with a name; undefined if it is not registered. */
  get(name: string): BlockType | undefined {
    return this.#types.get(name)
  }

  /** Returns the type with a name, if the served revision of the REST API has it. */
  getServed(name: string): BlockType | undefined {
    const type = this.get(name)
    return type !== undefined && this.since(type.since) ? type : undefined
  }

  /** Returns all types in order of registration. */
  all(): BlockType[] {
    return this.#types.values()
  }
}

const SPEC: Shapes<BlockTypeSpec> = {
  title: 'text',
  description: 'text',
  category: ['text', 'null'],
  icon: ['text', 'null'],
  keywords: 'list',
  parent: ['list', 'null'],
  ancestor: ['list', 'null'],
  allowed_blocks: ['list', 'null'],
  attributes: 'object',
  provides_context: 'object',
  uses_context: 'list',
  supports: 'object',
  selectors: 'object',
  block_hooks: 'object',
  styles: 'list',
  variations: 'list',
  variation_callback: ['function', 'null'],
  textdomain: ['text', 'null'],
  example: ['object', 'null'],
  api_version: 'number',
  editor_script_handles: 'list',
  script_handles: 'list',
  view_script_handles: 'list',
  editor_style_handles: 'list',
  style_handles: 'list',
  view_style_handles: 'list',
  view_script_module_ids: 'list',
  migrate: ['function', 'null'],
  render_callback: ['function', 'null'],
  render: ['function', 'null'],
  rendersIf: ['function', 'null'],
  is_dynamic: 'flag',
  since: 'text',
  dependsOn: ['text', 'list', 'function'],
  cache: 'flag',
  override: 'flag',
}

/** Names of these options in other APIs, for hints in error messages. */
const CORRECT_NAMES = {
  callback: 'render_callback',
  apiversion: 'api_version',
  usescontext: 'uses_context',
  providescontext: 'provides_context',
}

/** Returns the first mistake in the definition of a block type; null if it is valid. */
function blockTypeMistake(spec: BlockTypeSpec): string | null {
  const wrong = shapeMistake(spec, SPEC, CORRECT_NAMES)
  if (wrong !== null) return `it ${wrong}`
  const { attributes = {} } = spec
  const mistake = schemasMistake(attributes, 'attribute', 'block')
  if (mistake !== null) return mistake
  for (const [name, schema] of Object.entries(attributes)) {
    const refused = defaultMistake(schema as ArgumentSchema)
    if (refused !== null) return `the attribute "${name}" ${refused}`
  }
  return null
}

const TEXT: ArgumentSchema = { type: 'string' }
const OBJECT: ArgumentSchema = { type: 'object' }

/** Returns the attributes that the supports of a type add. */
function supported(
  supports: Readonly<Record<string, unknown>>,
  declared: Readonly<Record<string, BlockAttribute>>,
  since: (version: string) => boolean,
): Record<string, ArgumentSchema> {
  const more: Record<string, ArgumentSchema> = {}
  if (isOn(supports['align'])) more['align'] = { type: 'string', enum: ['left', 'center', 'right', 'wide', 'full', ''] }
  if (supports['lock'] !== false || since('7.1')) more['lock'] = OBJECT
  if (supports['customClassName'] !== false) more['className'] = TEXT
  if (since('6.5')) Object.assign(more, supportedByStyles(supports), { metadata: OBJECT })
  if (since('7.1') && supports['customCSS'] !== false) more['style'] = OBJECT
  return Object.fromEntries(Object.entries(more).filter(([name]) => !Object.hasOwn(declared, name)))
}

/** Supports that store their values in the attribute `style`. */
const STYLED = [
  'color',
  'typography',
  'spacing',
  '__experimentalBorder',
  'border',
  'dimensions',
  'background',
  'shadow',
]

function supportedByStyles(supports: Readonly<Record<string, unknown>>): Record<string, ArgumentSchema> {
  const color = partsOf(supports['color'])
  const hasColor = isOn(supports['color'])
  const typography = partsOf(supports['typography'])
  const border = partsOf(supports['__experimentalBorder'] ?? supports['border'])
  const names: [name: string, has: boolean, schema?: ArgumentSchema][] = [
    ['backgroundColor', hasColor && color['background'] !== false],
    ['textColor', hasColor && color['text'] !== false],
    ['gradient', isOn(color['gradients'])],
    ['fontSize', isOn(typography['fontSize'])],
    ['fontFamily', isOn(typography['__experimentalFontFamily']) || isOn(typography['fontFamily'])],
    ['borderColor', isOn(border['color'])],
    ['anchor', isOn(supports['anchor'])],
    ['ariaLabel', isOn(supports['ariaLabel'])],
    ['layout', isOn(supports['layout']), OBJECT],
    ['style', STYLED.some((name) => isOn(supports[name])), OBJECT],
  ]
  return Object.fromEntries(names.flatMap(([name, has, schema = TEXT]) => (has ? [[name, schema]] : [])))
}

/** Whether a support is on, as a whole or in part. */
function isOn(support: unknown): boolean {
  return support !== undefined && support !== null && support !== false
}

/** Returns the parts of a support, by name. */
function partsOf(support: unknown): Readonly<Record<string, unknown>> {
  return typeof support === 'object' && support !== null ? (support as Record<string, unknown>) : {}
}

/**
 * Returns the attributes to render a block with: values that match their schema, defaults for the others, and
 * undeclared attributes unchanged.
 */
export function preparedAttributes(
  { attributes: schemas, migrate }: BlockType,
  stored: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const attributes = migrate === null ? stored : migrate(stored)
  const prepared = { ...attributes }
  for (const [name, attribute] of Object.entries(schemas)) {
    const schema = attribute as ArgumentSchema
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
