import {
  forbidden,
  RestResponse,
  type Arguments,
  type Links,
  type PluginContext,
  type RestError,
  type RestRequest,
} from '../../../kernel/index.ts'
import { RegistryController, SCHEMA_DRAFT, shownField, type ItemSchema, type Selection } from '../../resources/index.ts'
import type { FontCollections, RegisteredCollection } from './collections.ts'
import { errors } from './errors.ts'
import { mayEditTheme } from './fonts-controller.ts'

/** Routes of font collections. */
export class FontCollectionsController extends RegistryController<RegisteredCollection> {
  protected override readonly key = {
    name: 'slug',
    description: 'Slug of the collection.',
    shownPattern: '[\\/\\w-]+',
  }
  readonly #collections: FontCollections

  constructor(plugin: PluginContext, collections: FontCollections) {
    super(plugin, plugin.branding.namespace('v2'), 'font-collections', 'font_collection')
    this.#collections = collections
  }

  protected override listArguments(): Arguments {
    const { context, page, per_page: size } = this.collectionParams()
    return { context: { ...context!, default: 'view' }, page: page!, per_page: size! }
  }

  protected override mayList(request: RestRequest): true | RestError {
    return mayEditTheme(this.plugin, request) || forbidden(request, errors.rest_cannot_read)
  }

  protected override mayRead(request: RestRequest): true | RestError {
    return this.mayList(request)
  }

  protected override find(request: RestRequest): RegisteredCollection {
    const collection = this.#collections.get(String(request.get('slug')))
    if (collection === undefined) throw errors.rest_font_collection_not_found()
    return collection
  }

  protected override listed(request: RestRequest): RegisteredCollection[] {
    const [page, size] = [request.get('page') as number, request.get('per_page') as number]
    return this.#collections.all().slice((page - 1) * size, page * size)
  }

  /** @throws rest_post_invalid_page_number */
  protected override async list(request: RestRequest): Promise<RestResponse> {
    const [page, perPage] = [request.get('page') as number, request.get('per_page') as number]
    const total = this.#collections.all().length
    if (total > 0 && page > Math.ceil(total / perPage)) throw errors.rest_post_invalid_page_number()
    const response = new RestResponse(await this.prepareList(this.listed(request), request))
    return this.paginate(response, request, { total, perPage, page })
  }

  protected override toData(collection: RegisteredCollection, selection: Selection): Record<string, unknown> {
    return selection.pick({ ...collection })
  }

  protected override toLinks({ slug }: RegisteredCollection): Links {
    return { self: { href: this.href(slug) }, collection: { href: this.href() } }
  }

  protected override itemSchema(): ItemSchema {
    const contexts = ['view', 'edit', 'embed']
    const field = (description: string, type: 'string' | 'array') => ({ description, type, context: contexts })
    return {
      $schema: SCHEMA_DRAFT,
      title: 'font-collection',
      type: 'object',
      properties: {
        slug: shownField('Slug of the collection.', 'string', contexts),
        name: field('Name of the collection.', 'string'),
        description: field('Description of the collection.', 'string'),
        font_families: field('Its font families, with their faces.', 'array'),
        categories: field('Categories of its families.', 'array'),
      },
    }
  }
}
