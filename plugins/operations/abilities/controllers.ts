import {
  forbidden,
  RegistryController,
  RestResponse,
  SCHEMA_DRAFT,
  shownField,
  type Arguments,
  type ItemSchema,
  type Links,
  type PluginContext,
  type RestError,
  type RestRequest,
  type RestServer,
  type Selection,
} from '../../../kernel/index.ts'
import { methodOf, type Ability, type AbilityCategory } from './ability.ts'
import { errors } from './errors.ts'
import type { Abilities } from './registry.ts'

const READERS = ['view', 'edit'] as const
const EVERYWHERE = ['view', 'edit', 'embed'] as const
const NAME = '[a-zA-Z0-9-]+/[a-zA-Z0-9-]+'

type Named = { readonly name: string }

/** What lists of abilities and of their categories share: pages, and that whoever has logged in may read them. */
abstract class AbilitiesList<T extends Named> extends RegistryController<T> {
  protected readonly abilities: Abilities

  constructor(plugin: PluginContext, base: string, title: string, abilities: Abilities) {
    super(plugin, plugin.branding.namespace('v1', 'abilities'), base, title)
    this.abilities = abilities
  }

  protected mayList(request: RestRequest): true | RestError {
    return this.plugin.services.capabilities.can(request.user, 'read') || forbidden(request, errors.rest_forbidden)
  }

  protected mayRead(request: RestRequest): true | RestError {
    return this.mayList(request)
  }

  protected override listArguments(): Arguments {
    return {
      ...super.listArguments(),
      page: { description: 'Page of the list.', type: 'integer', default: 1, minimum: 1 },
      per_page: { description: 'Items on a page.', type: 'integer', default: 50, minimum: 1, maximum: 100 },
    }
  }

  protected override async list(request: RestRequest): Promise<RestResponse> {
    const all = await this.listed(request)
    const [page, perPage] = [request.get('page') as number, request.get('per_page') as number]
    const items = all.slice((page - 1) * perPage, page * perPage)
    const response = new RestResponse(await this.prepareList(items, request))
    return this.paginate(response, request, { total: all.length, perPage, page })
  }
}

/** The routes of the categories of abilities. */
export class CategoriesController extends AbilitiesList<Named & AbilityCategory> {
  protected readonly key = { name: 'slug', description: 'Slug of the category.', pattern: '[a-z0-9]+(?:-[a-z0-9]+)*' }

  constructor(plugin: PluginContext, abilities: Abilities) {
    super(plugin, 'categories', 'ability-category', abilities)
  }

  protected listed(): (Named & AbilityCategory)[] {
    return this.abilities.categories().map(({ slug, ...category }) => ({ ...category, name: slug }))
  }

  protected find(request: RestRequest): Named & AbilityCategory {
    const found = this.listed().find(({ name }) => name === request.get('slug'))
    if (found === undefined) throw errors.rest_ability_category_not_found()
    return found
  }

  protected toData(category: Named & AbilityCategory, selection: Selection): Record<string, unknown> {
    return selection.read({
      slug: () => category.name,
      label: () => category.label,
      description: () => category.description,
      meta: () => category.meta ?? {},
    })
  }

  protected toLinks({ name }: Named): Links {
    const { urls } = this.plugin
    return {
      self: { href: this.href(name) },
      collection: { href: this.href() },
      abilities: { href: urls.rest(`/${this.namespace}/abilities?category=${name}`) },
    }
  }

  protected itemSchema(): ItemSchema {
    return {
      $schema: SCHEMA_DRAFT,
      title: 'ability-category',
      type: 'object',
      properties: {
        slug: shownField('Slug of the category.', 'string', EVERYWHERE),
        label: shownField('What the category is called.', 'string', EVERYWHERE),
        description: shownField('What its abilities are for.', 'string', READERS),
        meta: shownField('What else is known of it.', 'object', READERS),
      },
    }
  }
}

/** The routes of abilities: the list, each of them, and running it. */
export class AbilitiesController extends AbilitiesList<Ability> {
  protected readonly key = { name: 'name', description: 'Name of the ability.', pattern: NAME }
  readonly #inputs = new WeakMap<RestRequest, unknown>()

  constructor(plugin: PluginContext, abilities: Abilities) {
    super(plugin, 'abilities', 'ability', abilities)
  }

  override register(server: RestServer): void {
    super.register(server)
    server.registerRoute(this.namespace, `/${this.restBase}/(?P<name>${NAME})/run`, {
      args: { name: { description: 'Name of the ability.', type: 'string' } },
      0: {
        methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        args: {
          input: {
            description: 'What the ability is given, as its schema says.',
            type: ['integer', 'number', 'boolean', 'string', 'array', 'object', 'null'],
            // By the schema of the ability.
            validate_callback: null,
            sanitize_callback: null,
          },
        },
        cache: false,
        permission_callback: (request) => this.#mayRun(request),
        callback: async (request) => {
          const ability = this.find(request)
          return new RestResponse(await this.abilities.run(ability, this.#inputs.get(request), request))
        },
      },
      schema: () => this.publicSchema(),
    })
  }

  protected override listArguments(): Arguments {
    return {
      ...super.listArguments(),
      category: { description: 'Limits the list to a category.', type: 'string' },
      ...(this.plugin.since('7.1') && {
        namespace: { description: 'Limits the list to names that begin with this and a slash.', type: 'string' },
        meta: {
          description: 'Limits the list to abilities whose meta has these values.',
          type: 'object',
          properties: {
            annotations: {
              type: 'object',
              properties: Object.fromEntries(
                ['readonly', 'destructive', 'idempotent'].map((name) => [name, { type: ['boolean', 'null'] }]),
              ),
            },
            public: { type: 'boolean' },
          },
        },
      }),
    }
  }

  protected listed(request: RestRequest): Ability[] {
    const [category, namespace] = ['category', 'namespace'].map((name) => request.get(name) as string | undefined)
    const meta = request.get('meta') as { annotations?: Record<string, unknown>; public?: boolean } | undefined
    const wanted = Object.entries(meta?.annotations ?? {})
    return this.abilities
      .all()
      .filter((one) => one.show_in_rest)
      .filter((one) => category === undefined || one.category === category)
      .filter(({ name }) => namespace === undefined || name.startsWith(`${namespace}/`))
      .filter((one) => meta?.public === undefined || one.public === meta.public)
      .filter(({ annotations }) =>
        wanted.every(([name, value]) => new Map(Object.entries(annotations)).get(name) === value),
      )
  }

  /** @throws rest_ability_not_found */
  protected find(request: RestRequest): Ability {
    const found = this.abilities.get(String(request.get('name')))
    if (found?.show_in_rest !== true) throw errors.rest_ability_not_found()
    return found
  }

  protected toData(ability: Ability, selection: Selection): Record<string, unknown> {
    const { annotations, show_in_rest: shown } = ability
    return selection.read({
      name: () => ability.name,
      label: () => ability.label,
      description: () => ability.description,
      category: () => ability.category,
      input_schema: () => ability.input_schema,
      output_schema: () => ability.output_schema,
      meta: () => ({
        annotations,
        show_in_rest: shown,
        ...(this.plugin.since('7.1') && { public: ability.public }),
      }),
    })
  }

  protected toLinks({ name }: Ability): Links {
    return {
      self: { href: this.href(name) },
      collection: { href: this.href() },
      [`${this.plugin.branding.word}:action-run`]: { href: this.href(`${name}/run`) },
    }
  }

  protected itemSchema(): ItemSchema {
    return {
      $schema: SCHEMA_DRAFT,
      title: 'ability',
      type: 'object',
      properties: {
        name: shownField('Name of the ability.', 'string', EVERYWHERE),
        label: shownField('A few words, as on a button.', 'string', EVERYWHERE),
        description: shownField('What it does.', 'string', READERS),
        category: shownField('Slug of its category.', 'string', EVERYWHERE),
        input_schema: shownField('The schema of its input.', 'object', READERS),
        output_schema: shownField('The schema of its output.', 'object', READERS),
        meta: shownField('What it tells programs of itself.', 'object', READERS),
      },
    }
  }

  /** Whether the user may run the ability in the URL with what the request gives, by the method of the request. */
  async #mayRun(request: RestRequest): Promise<true | RestError> {
    const ability = this.find(request)
    const method = methodOf(ability.annotations)
    const given = request.method === 'HEAD' ? 'GET' : request.method
    if (given !== method) return errors.rest_ability_invalid_method(method)
    const isText = method !== 'POST'
    const body = request.json as Record<string, unknown> | null | undefined
    const source = isText ? request.query : { ...request.form, ...(typeof body === 'object' ? body : null) }
    const input = await this.abilities.prepare(ability, source['input'], request, isText)
    const refused = await this.abilities.refusal(ability, input, request)
    if (refused !== null) return refused
    this.#inputs.set(request, input)
    return true
  }
}
