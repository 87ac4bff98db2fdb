import {
  Controller,
  SCHEMA_DRAFT,
  type ItemSchema,
  type PropertySchema,
  type Selection,
} from '../../resources/index.ts'
import {
  forbidden,
  RestResponse,
  type Links,
  type PluginContext,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { BlockPattern, BlockPatterns, PatternCategory } from './service.ts'

/** Lists all registered items, for users who can edit posts. */
abstract class PatternsList<T> extends Controller<T> {
  /** @param base last segment of the route */
  constructor(plugin: PluginContext, base: string, objectType: string) {
    super(plugin, plugin.branding.namespace('v2'), `block-patterns/${base}`, objectType)
  }

  protected abstract items(): Promise<T[]>

  override register(server: RestServer): void {
    server.registerRoute(this.namespace, `/${this.restBase}`, {
      0: {
        methods: 'GET',
        callback: async (request) => new RestResponse(await this.prepareList(await this.items(), request)),
        permission_callback: (request) => this.#mayRead(request),
        args: {},
        cache: true,
      },
      schema: () => this.publicSchema(),
    })
  }

  #mayRead(request: RestRequest) {
    return this.plugin.services.contentTypes.isWriter(request.user) || forbidden(request, errors.rest_cannot_view)
  }

  protected override toLinks(): Links {
    return {}
  }
}

/** Routes of block patterns. */
export class PatternsController extends PatternsList<BlockPattern> {
  readonly #patterns: BlockPatterns

  constructor(plugin: PluginContext, patterns: BlockPatterns) {
    super(plugin, 'patterns', 'block-pattern')
    this.#patterns = patterns
  }

  protected override items(): Promise<BlockPattern[]> {
    return this.#patterns.all()
  }

  protected override toData(pattern: BlockPattern, selection: Selection): Record<string, unknown> {
    return selection.read({
      name: () => pattern.name,
      title: () => pattern.title,
      content: () => pattern.content,
      description: () => pattern.description,
      viewport_width: () => pattern.viewportWidth,
      inserter: () => pattern.inserter,
      categories: () => pattern.categories,
      keywords: () => pattern.keywords,
      block_types: () => pattern.blockTypes,
      post_types: () => pattern.postTypes,
      template_types: () => pattern.templateTypes,
      source: () => pattern.source,
    })
  }

  protected override itemSchema(): ItemSchema {
    const { since } = this.plugin
    return schema('block-pattern', {
      name: text('Name of the pattern.'),
      title: text('Title of the pattern.'),
      content: text('Block markup.'),
      description: text('Description of the pattern.'),
      viewport_width: field('Width of the preview in pixels.', { type: 'number' }),
      inserter: field('Whether the inserter offers the pattern.', { type: 'boolean' }),
      categories: texts('Names of its categories.'),
      keywords: texts('Search keywords.'),
      block_types: texts('Block types the pattern is offered for.'),
      ...(since('6.1') && { post_types: texts('Content types the pattern is offered for.') }),
      ...(since('6.2') && { template_types: texts('Slugs of the templates the pattern is offered for.') }),
      ...(since('6.3') && { source: field('Source of the pattern.', { type: 'string', enum: SOURCES }) }),
    })
  }
}

/** Routes of block pattern categories. */
export class PatternCategoriesController extends PatternsList<PatternCategory> {
  readonly #patterns: BlockPatterns

  constructor(plugin: PluginContext, patterns: BlockPatterns) {
    super(plugin, 'categories', 'block-pattern-category')
    this.#patterns = patterns
  }

  protected override async items(): Promise<PatternCategory[]> {
    const words = await this.plugin.services.translations.site()
    return this.#patterns.categories().map(({ label, description, ...category }) => ({
      ...category,
      label: words.t(`pattern|${label}`),
      ...(description !== undefined && { description: words.t(`pattern|${description}`) }),
    }))
  }

  protected override toData(category: PatternCategory, selection: Selection): Record<string, unknown> {
    return selection.read({
      name: () => category.name,
      label: () => category.label,
      description: () => category.description,
    })
  }

  protected override itemSchema(): ItemSchema {
    return schema('block-pattern-category', {
      name: text('Name of the category.'),
      label: text('Label of the category.'),
      ...(this.plugin.since('6.2') && { description: text('Description of the category.') }),
    })
  }
}

const SOURCES = [
  'core',
  'plugin',
  'theme',
  'pattern-directory/core',
  'pattern-directory/theme',
  'pattern-directory/featured',
]

function schema(title: string, properties: Record<string, PropertySchema>): ItemSchema {
  return { $schema: SCHEMA_DRAFT, title, type: 'object', properties }
}

function field(description: string, rest: PropertySchema): PropertySchema {
  return { description, ...rest, readonly: true, context: ['view', 'edit', 'embed'] }
}

const text = (description: string) => field(description, { type: 'string' })
const texts = (description: string) => field(description, { type: 'array' })
