import {
  isObject,
  forbidden,
  RestError,
  RestResponse,
  type Arguments,
  type Link,
  type PluginContext,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import type { SchemaType } from '../../library/schemas/index.ts'
import {
  RegistryController,
  SCHEMA_DRAFT,
  shownField,
  type ItemSchema,
  type PropertySchema,
  type Selection,
} from '../../resources/index.ts'
import { methodOf, type Ability } from '../actions/index.ts'
import type { Abilities, AbilityCategory } from './ability.ts'
import { errors } from './errors.ts'

const NAME = '[a-zA-Z0-9-]+/[a-zA-Z0-9-]+'
/** Pattern of the name that index documents show. */
const SHOWN_NAME = '[a-zA-Z0-9\\-\\/]+'
/** Pattern of the name in a path, which also matches names that do not exist. */
const NAME_IN_PATH = '^[a-zA-Z0-9\\-\\/]+$'
/** Items per page by default. */
const PER_PAGE = 50

const EVERYWHERE = ['view', 'edit', 'embed']
const READERS = ['view', 'edit']
const ANYTHING: SchemaType[] = ['integer', 'number', 'boolean', 'string', 'array', 'object', 'null']

/** Schema of the hints about the effects of an ability; null if unknown. */
const ANNOTATIONS: PropertySchema = {
  description: 'Hints about the effects of the ability.',
  type: 'object',
  properties: {
    readonly: { description: 'Whether the ability changes nothing.', type: ['boolean', 'null'] },
    destructive: { description: 'Whether the ability may delete or overwrite data.', type: ['boolean', 'null'] },
    idempotent: { description: 'Whether running the ability again has no further effect.', type: ['boolean', 'null'] },
  },
  additionalProperties: true,
}

type Named<T> = T & { readonly name: string }

/** Lists abilities or their categories in pages, for logged-in users. */
abstract class AbilityRoutes<T extends { readonly name: string }> extends RegistryController<T> {
  protected readonly abilities: Abilities

  constructor(plugin: PluginContext, base: string, type: string, abilities: Abilities) {
    super(plugin, plugin.branding.namespace('v1', 'abilities'), base, type)
    this.abilities = abilities
  }

  protected mayList(request: RestRequest) {
    return this.plugin.services.capabilities.can(request.user, 'read') || forbidden(request, errors.rest_forbidden)
  }

  protected mayRead(request: RestRequest) {
    return this.mayList(request)
  }

  protected override listArguments(): Arguments {
    return {
      context: this.contextParam('view'),
      page: { description: 'Page of the list.', type: 'integer', default: 1, minimum: 1 },
      per_page: { description: 'Items of a page.', type: 'integer', default: PER_PAGE, minimum: 1, maximum: 100 },
    }
  }

  protected override async list(request: RestRequest): Promise<RestResponse> {
    const items = await this.listed(request)
    const [page, perPage] = [Number(request.get('page')), Number(request.get('per_page'))]
    const shown = items.slice((page - 1) * perPage, page * perPage)
    const response = new RestResponse(await this.prepareList(shown, request))
    return this.paginate(response, request, { total: items.length, perPage, page, stepwise: true })
  }
}

/** The routes `abilities`, `abilities/NAME`, and `abilities/NAME/run`, which runs an ability. */
export class AbilitiesController extends AbilityRoutes<Ability> {
  protected readonly key = {
    name: 'name',
    description: 'Name of the ability.',
    pattern: NAME,
    shownPattern: SHOWN_NAME,
  }

  constructor(plugin: PluginContext, abilities: Abilities) {
    super(plugin, 'abilities', 'ability', abilities)
  }

  override register(server: RestServer): void {
    super.register(server)
    server.registerRoute(this.namespace, `/${this.restBase}/(?P<name>${NAME})/run`, {
      args: { name: { description: this.key.description, type: 'string', pattern: NAME_IN_PATH } },
      0: {
        methods: 'GET, POST, PUT, PATCH, DELETE',
        args: {
          input: { description: 'Input of the ability.', type: ANYTHING, default: null },
        },
        // The data that an ability reads is unknown.
        cache: false,
        permission_callback: (request) => this.#mayRun(request),
        callback: (request) => this.#run(request),
      },
      schema: () => runSchema(),
      'x-shown-route': `${this.restBase}/(?P<name>${SHOWN_NAME}?)/run`,
    })
  }

  protected override listArguments(): Arguments {
    const filters: Arguments = {
      category: { description: 'Limits the list to one category.', type: 'string' },
      ...(this.plugin.since('7.1') && {
        namespace: { description: 'Limits the list to names with this prefix before the slash.', type: 'string' },
        meta: {
          description: 'Limits the list to abilities with these values in their meta.',
          type: 'object',
          properties: { annotations: ANNOTATIONS },
          additionalProperties: true,
        },
      }),
    }
    return { ...super.listArguments(), ...filters }
  }

  protected listed(request: RestRequest): Ability[] {
    const { category, namespace, meta } = Object.fromEntries(
      ['category', 'namespace', 'meta'].map((name) => [name, request.get(name)]),
    )
    return this.abilities
      .list()
      .filter((one) => isEmpty(category) || one.category === category)
      .filter(({ name }) => isEmpty(namespace) || (typeof namespace === 'string' && name.startsWith(`${namespace}/`)))
      .filter((one) => meta === undefined || contains(this.#metaOf(one), meta))
  }

  protected find(request: RestRequest): Ability {
    const name = request.get('name')
    const found = this.abilities.list().find((one) => one.name === name)
    if (found === undefined) throw errors.rest_ability_not_found()
    return found
  }

  #metaOf({ meta, public: isPublic }: Ability): Record<string, unknown> {
    return { ...meta, ...(this.plugin.since('7.1') && { public: isPublic }) }
  }

  /** Checks the method, the input and the permission, in this order. */
  async #mayRun(request: RestRequest): Promise<true | RestError> {
    const { name, meta } = this.find(request)
    const method = methodOf(meta.annotations)
    if (request.method !== method) return errors.rest_ability_invalid_method(name, method)
    const { user, scope } = request
    const may = await this.abilities.mayExecute(name, inputOf(request), { user, scope, via: 'rest' })
    if (may === true) return true
    if (may.code === 'action_forbidden') return forbidden(request, errors.rest_ability_cannot_execute)
    return this.#abilityError(name, may)
  }

  async #run(request: RestRequest): Promise<RestResponse> {
    const { name } = this.find(request)
    const { user, scope } = request
    const caller = { user, scope, via: 'rest' }
    try {
      const output = await this.abilities.execute(name, inputOf(request), caller)
      // The data that an ability reads is unknown, so the response cannot be cached.
      return new RestResponse(output, 200, { 'Cache-Control': 'private, no-store' })
    } catch (error) {
      throw error instanceof RestError ? this.#abilityError(name, error) : error
    }
  }

  /** Converts an error of an action to an error of abilities. */
  #abilityError(name: string, error: RestError): RestError {
    const isInput = error.code === 'rest_invalid_param' || error.code === 'rest_missing_callback_param'
    return isInput ? errors.ability_invalid_input(name, reasonOf(error)) : error
  }

  /** Clients expect the short name of the relation to a run, without `curies`. */
  override async prepareList(items: readonly Ability[], request: RestRequest): Promise<unknown[]> {
    const bodies = (await super.prepareList(items, request)) as { _links?: Record<string, unknown> }[]
    return bodies.map((body) => {
      if (body._links === undefined) return body
      const { curies: _, ...links } = body._links
      return { ...body, _links: links }
    })
  }

  override async prepare(item: Ability, request: RestRequest): Promise<RestResponse> {
    const [body] = await this.prepareList([item], request)
    return new RestResponse(body)
  }

  protected toData(ability: Ability, selection: Selection): Record<string, unknown> {
    return selection.read({
      name: () => ability.name,
      label: () => ability.label,
      description: () => ability.description,
      category: () => ability.category,
      input_schema: () => ability.input_schema,
      output_schema: () => ability.output_schema,
      meta: () => this.#metaOf(ability),
    })
  }

  protected toLinks({ name }: Ability): Record<string, Link> {
    return {
      self: { href: this.href(name) },
      collection: { href: this.href() },
      [this.plugin.branding.relation('action-run')]: { href: `${this.href(name)}/run` },
    }
  }

  protected itemSchema(): ItemSchema {
    const meta: PropertySchema = {
      ...shownField('Additional information about the ability.', 'object', READERS),
      properties: {
        annotations: ANNOTATIONS,
        ...(this.plugin.since('7.1') && {
          public: { description: 'Whether the ability may be offered to external programs.', type: 'boolean' },
        }),
      },
    }
    return {
      $schema: SCHEMA_DRAFT,
      title: 'ability',
      type: 'object',
      properties: {
        name: shownField('Name of the ability: plugin and operation.', 'string', EVERYWHERE),
        label: shownField('Short label, as on a button.', 'string', EVERYWHERE),
        description: shownField('Description of the ability.', 'string', READERS),
        category: shownField('Slug of the category.', 'string', EVERYWHERE),
        input_schema: shownField('JSON Schema of the input.', 'object', READERS),
        output_schema: shownField('JSON Schema of the output.', 'object', READERS),
        meta,
      },
    }
  }
}

/** The routes `categories` and `categories/SLUG`. */
export class AbilityCategoriesController extends AbilityRoutes<Named<AbilityCategory>> {
  protected readonly key = { name: 'slug', description: 'Slug of the category.', pattern: '[a-z0-9-]+' }

  constructor(plugin: PluginContext, abilities: Abilities) {
    super(plugin, 'categories', 'ability-category', abilities)
  }

  protected listed(): Named<AbilityCategory>[] {
    return this.abilities.categories().map((category) => ({ ...category, name: category.slug }))
  }

  protected find(request: RestRequest): Named<AbilityCategory> {
    const found = this.listed().find(({ slug }) => slug === request.get('slug'))
    if (found === undefined) throw errors.rest_ability_category_not_found()
    return found
  }

  protected toData(category: AbilityCategory, selection: Selection): Record<string, unknown> {
    return selection.read({
      slug: () => category.slug,
      label: () => category.label,
      description: () => category.description,
      meta: () => category.meta,
    })
  }

  protected toLinks({ slug }: AbilityCategory): Record<string, Link> {
    const abilities = this.plugin.urls.rest(`/${this.namespace}/abilities`)
    return {
      self: { href: this.href(slug) },
      collection: { href: this.href() },
      abilities: { href: `${abilities}${abilities.includes('?') ? '&' : '?'}category=${slug}` },
    }
  }

  protected itemSchema(): ItemSchema {
    return {
      $schema: SCHEMA_DRAFT,
      title: 'ability-category',
      type: 'object',
      properties: {
        slug: shownField('Slug of the category.', 'string', EVERYWHERE),
        label: shownField('Label of the category.', 'string', EVERYWHERE),
        description: shownField('Description of the category.', 'string', READERS),
        meta: shownField('Additional information about the category.', 'object', READERS),
      },
    }
  }
}

/** Schema of the result of a run. */
function runSchema(): ItemSchema {
  const result = shownField('Result of the ability.', ANYTHING, READERS)
  return { $schema: SCHEMA_DRAFT, title: 'ability-execution', type: 'object', properties: { result } }
}

/** The input of a request: from its body for POST, otherwise from the query. */
function inputOf(request: RestRequest): unknown {
  const { input } = request.method === 'POST' ? request.requestParams() : request.query
  return input
}

/** The faults of an input as one text. */
function reasonOf({ message, data: { params } }: RestError): string {
  return isObject(params) ? Object.values(params).join(' ') : message
}

/** Whether a value contains all entries of another value, at every depth. */
function contains(value: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return String(value) === String(expected)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(expected).every(
    ([name, part]) => Object.hasOwn(value, name) && contains((value as Record<string, unknown>)[name], part),
  )
}

/** Whether a filter of the list is absent or empty. */
function isEmpty(filter: unknown): boolean {
  return filter === undefined || filter === ''
}
