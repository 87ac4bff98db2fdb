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

/** Where a block is rendered. */
export interface BlockPlace {
  readonly block: Block
  /** The post that it is in; null where it is rendered by itself. */
  readonly post: RenderedPost | null
  /** The cache of the request. */
  readonly scope: RequestCache
  /** What the blocks around it provide and its type uses, by name. */
  readonly context: Readonly<Record<string, unknown>>
  /**
   * Renders the content of another post here; `''` where this block is inside that post, or too many have been included
   * already. The caller checks that the post may be read.
   */
  readonly include: (id: number, content: string) => Promise<string>
}

/**
 * Renders a block.
 * @param attributes with the defaults of the type; those that do not match its schema have their default
 * @param content the content of the block, rendered
 */
export type RenderCallback = (
  attributes: Readonly<Record<string, unknown>>,
  content: string,
  place: BlockPlace,
) => Awaitable<string>

/** A block as its renderer gets it. */
export interface BlockInstance {
  readonly name: string
  readonly type: BlockType
  /** With the defaults of the type; those that do not match its schema have their default. */
  readonly attributes: Readonly<Record<string, unknown>>
  /** What the blocks around it provide, by name. */
  readonly context: Readonly<Record<string, unknown>>
  /** The blocks directly inside it, as they are written. */
  readonly innerBlocks: readonly Block[]
  /** Its own HTML, without that of the blocks inside it. */
  readonly innerHTML: string
  /** HTML and blocks in their order. */
  readonly inner: readonly (string | Block)[]
  /** Prefix of the classes of blocks. */
  readonly mark: string
}

/** One rendering of a content, for the renderers of its blocks. */
export interface BlockRendering {
  /** The post whose content is rendered; null where a block is rendered by itself. */
  readonly post: RenderedPost | null
  /** The cache of the request: what all blocks of a response read of the same kind comes from the same statements. */
  readonly scope: RequestCache
  /**
   * Renders the inside of the block, HTML and blocks.
   * @param context for these blocks, beside what the blocks around and the block itself provide
   */
  readonly renderInner: (block: BlockInstance, context?: Readonly<Record<string, unknown>>) => Promise<string>
  /** Renders a block as if it stood inside this one. */
  readonly render: (block: Block, context?: Readonly<Record<string, unknown>>) => Promise<string>
  /**
   * To be asked before the inside of a block is rendered more than once: whether a content may have so many blocks more,
   * besides those inside.
   */
  readonly spend: (blocks: number) => boolean
  /**
   * Renders other content here; `''` where it holds itself, or too much has been included
   * already. The caller checks that it may be read.
   * @param key what it is: `pattern site/hero`; the ID of a post for its content
   * @param post what the blocks in it are about, where that is another one
   */
  readonly include: (key: string | number, content: string, post?: RenderedPost) => Promise<string>
}

/** What comes from elsewhere for one block. */
export interface BoundBlock {
  /** In place of its own attributes. */
  readonly values: Readonly<Record<string, unknown>>
  /** Writes the values into HTML that is stored for the block. */
  readonly write: (html: string) => string
}

/** Finds the values of the attributes of a block that come from elsewhere, as its `metadata.bindings` say. */
export type BlockBinder = (block: BlockInstance, rendering: BlockRendering) => Promise<BoundBlock>

/** Renders a block with what is inside it, which is rendered when it asks for it, and as often. */
export type BlockRenderer = (block: BlockInstance, rendering: BlockRendering) => Awaitable<string>

/** The schema of an attribute, with what the editor reads beside it. */
export interface BlockAttribute extends Omit<ArgumentSchema, 'type'> {
  type?: ArgumentSchema['type'] | 'rich-text'
  /** Where in the HTML of the block the editor finds it, and how. */
  source?: string
  selector?: string
  attribute?: string
  multiline?: string
  query?: Record<string, BlockAttribute>
  meta?: string
  role?: string
}

/** What a block type is registered with. */
export interface BlockTypeSpec {
  title?: string
  description?: string
  category?: string | null
  icon?: string | null
  keywords?: readonly string[]
  /** Block types that it may be directly inside. */
  parent?: readonly string[] | null
  /** Block types that it may be anywhere inside. */
  ancestor?: readonly string[] | null
  /** Block types that may be directly inside it. */
  allowed_blocks?: readonly string[] | null
  attributes?: Readonly<Record<string, BlockAttribute>>
  /** Context for the blocks inside it: names, and the attributes with their values. */
  provides_context?: Readonly<Record<string, string>>
  /** Names of the context that it uses of the blocks around it. */
  uses_context?: readonly string[]
  supports?: Readonly<Record<string, unknown>>
  /** CSS selectors of its parts, for styles of themes. */
  selectors?: Readonly<Record<string, unknown>>
  /** Where it is put by itself: block types, and `before`, `after`, `first_child` or `last_child`. */
  block_hooks?: Readonly<Record<string, string>>
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
  view_style_handles?: readonly string[]
  view_script_module_ids?: readonly string[]
  /** Renders it. Without one, a block is the HTML that is stored in it. */
  render_callback?: RenderCallback | null
  /** Renders it, in place of `render_callback`: for blocks that decide when and how often their inside is rendered. */
  render?: BlockRenderer | null
  /** Whether lists say that the server renders it; by itself where it has a renderer. */
  is_dynamic?: boolean
  /** The tags of what its HTML depends on besides the arguments and what services read; or a function that returns them. */
  dependsOn?: DependsOn
  /** Whether responses that show it may be stored; true by default. */
  cache?: boolean
  /** Whether it may take the place of another plugin's block of this name; otherwise the log warns. */
  override?: boolean
}

/** A block type, with all defaults. */
export interface BlockType extends Required<Omit<BlockTypeSpec, 'dependsOn' | 'cache' | 'override'>> {
  readonly name: string
}

/** A callback whose HTML has no promise in it. Those of defaults are not checked. */
function htmlOf(callback: RenderCallback, what: string): RenderCallback {
  const { name, trusted } = currentOwner()
  if (trusted) return callback
  return async (attributes, content, place) =>
    refusePromiseText(await callback(attributes, content, place), [attributes, content], name, what)
}

const NAME = /^[a-z][a-z0-9-]*\/[a-z][a-z0-9-]*$/

/** The block types. The types of a plugin are removed with it. */
export class BlockTypes {
  readonly #types = new OwnedMap<BlockType>('block type')
  /** Whether the REST API has what came with a version. */
  protected readonly since: (version: string) => boolean

  constructor(since: (version: string) => boolean) {
    this.since = since
  }

  /**
   * Registers a type, or replaces the one with the same name: `register('shop/price', { attributes, render_callback })`.
   * @throws BLOCK_TYPE_INVALID, BLOCK_TYPE_DEFINITION_INVALID
   */
  register(name: string, spec: BlockTypeSpec): void {
    if (!NAME.test(name)) throw errors.BLOCK_TYPE_INVALID(name)
    checkRegistration(
      () => blockTypeMistake(spec),
      (plugin, why) => errors.BLOCK_TYPE_DEFINITION_INVALID(plugin, name, why),
    )
    const { dependsOn, cache, override, ...rest } = spec
    const { supports = {}, attributes = {}, render_callback: callback, render } = rest
    const what = `the block ${name}`
    const checked = callback ? htmlOf(callback, what) : null
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
      is_dynamic: Boolean(callback) || Boolean(render),
      ...rest,
      render_callback: checked
        ? declared(checked, what, { dependsOn: dependsOn as DependsOn<Parameters<RenderCallback>>, cache })
        : null,
      render: render
        ? declared(render, what, { dependsOn: dependsOn as DependsOn<Parameters<BlockRenderer>>, cache })
        : null,
      supports,
      attributes: { ...attributes, ...supported(supports, attributes, this.since) },
    }
    this.#types.set(name, type, name, override)
  }

  /** The type of a name; undefined where none is registered. */
  get(name: string): BlockType | undefined {
    return this.#types.get(name)
  }

  /** In order of registration. */
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
  render_callback: ['function', 'null'],
  render: ['function', 'null'],
  is_dynamic: 'flag',
  dependsOn: ['text', 'list', 'function'],
  cache: 'flag',
  override: 'flag',
}

/** Words for them elsewhere. */
const MEANT = {
  callback: 'render_callback',
  apiversion: 'api_version',
  usescontext: 'uses_context',
  providescontext: 'provides_context',
}

/** What is wrong with what a block type is registered with; null where nothing is. */
function blockTypeMistake(spec: BlockTypeSpec): string | null {
  const wrong = shapeMistake(spec, SPEC, MEANT)
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

/** The attributes that a type has because of what it supports. */
function supported(
  supports: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, BlockAttribute>>,
  since: (version: string) => boolean,
): Record<string, ArgumentSchema> {
  const more: Record<string, ArgumentSchema> = {}
  if (isOn(supports['align'])) more['align'] = { type: 'string', enum: ['left', 'center', 'right', 'wide', 'full', ''] }
  if (supports['lock'] !== false || since('7.1')) more['lock'] = OBJECT
  if (supports['customClassName'] !== false) more['className'] = TEXT
  if (since('6.5')) Object.assign(more, supportedByStyles(supports), { metadata: OBJECT })
  if (since('7.1') && supports['customCSS'] !== false) more['style'] = OBJECT
  return Object.fromEntries(Object.entries(more).filter(([name]) => !Object.hasOwn(own, name)))
}

/** Groups of support that are kept in the attribute `style`. */
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

/** Whether a support is on: by itself, or for some of its parts. */
function isOn(support: unknown): boolean {
  return support !== undefined && support !== null && support !== false
}

/** The parts of a support, by name. */
function partsOf(support: unknown): Readonly<Record<string, unknown>> {
  return typeof support === 'object' && support !== null ? (support as Record<string, unknown>) : {}
}

/**
 * The attributes that a block is rendered with: those that match the schema of its type, its defaults, and undeclared ones
 * unchanged.
 */
export function preparedAttributes(
  { attributes: schemas }: BlockType,
  attributes: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
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
