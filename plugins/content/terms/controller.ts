import {
  applyFilter,
  applySyncFilter,
  authorizationStatus,
  Controller,
  includedIds,
  LONG_TEXTS,
  RestResponse,
  runAction,
  SCHEMA_DRAFT,
  valuesOf,
  type Arguments,
  type Filter,
  type ItemContext,
  type ItemSchema,
  type Link,
  type PluginContext,
  type RestError,
  type RestRequest,
  type RestServer,
  type Selection,
  type SyncFilter,
} from '../../../kernel/index.ts'
import { seesTerms, type Taxonomy } from '../taxonomies/index.ts'
import { errors } from './errors.ts'
import { TERM_ORDERS, type Term, type TermOrder, type TermQuery } from './model.ts'
import type { NewTerm, TermChange } from './writer.ts'

/** The routes of one taxonomy's terms: the list and the single term. */
export class TermsController extends Controller<Term> {
  readonly #taxonomy: Taxonomy

  /**
   * @param plugin the context of the terms plugin
   * @param name of the taxonomy
   */
  constructor(plugin: PluginContext, name: string) {
    const taxonomy = plugin.services.taxonomies.get(name)!
    super(plugin, taxonomy.rest_namespace, taxonomy.rest_base, taxonomy.objectType)
    this.#taxonomy = taxonomy
  }

  protected override get hookName(): string {
    return this.#taxonomy.name
  }

  override register(server: RestServer): void {
    const shared = { allow_batch: { v1: true }, schema: () => this.publicSchema() }
    server.registerRoute(this.namespace, this.restBase, {
      0: {
        callback: (request) => this.#list(request),
        permission_callback: (request) => this.#mayList(request),
        args: this.collectionParams(),
      },
      1: {
        methods: 'POST',
        callback: (request) => this.#create(request),
        permission_callback: (request) => this.#mayCreate(request),
        args: this.itemArguments('create'),
      },
      ...shared,
    })
    server.registerRoute(this.namespace, `${this.restBase}/(?P<id>[\\d]+)`, {
      args: { id: { description: 'Number of the term.', type: 'integer' } },
      0: {
        callback: async (request) => this.prepare(await this.#termOf(request), request),
        permission_callback: (request) => this.#mayRead(request),
        args: { context: this.contextParam('view') },
      },
      1: {
        methods: ['POST', 'PUT', 'PATCH'],
        callback: async (request) => this.#update(await this.#termOf(request), request),
        permission_callback: (request) => this.#mayUpdate(request),
        args: this.itemArguments('update'),
      },
      2: {
        methods: 'DELETE',
        callback: async (request) => this.#delete(await this.#termOf(request), request),
        permission_callback: (request) => this.#mayDelete(request),
        args: {
          force: { description: 'Must be true: terms are deleted for good.', type: 'boolean', default: false },
        },
      },
      ...shared,
    })
  }

  override collectionParams(): Arguments {
    const { context: _, ...common } = super.collectionParams()
    const { hierarchical } = this.#taxonomy
    const params: Arguments = {
      context: this.contextParam('view'),
      ...common,
      exclude: { description: 'Leaves these terms out.', type: 'array', items: { type: 'integer' }, default: [] },
      include: {
        description: 'Limits the list to these terms.',
        type: 'array',
        items: { type: 'integer' },
        default: [],
      },
      ...(!hierarchical && {
        offset: { description: 'Skips this many terms; goes before the page.', type: 'integer' },
      }),
      order: { description: 'Direction of the order.', type: 'string', default: 'asc', enum: ['asc', 'desc'] },
      orderby: {
        description: 'What the terms are ordered by.',
        type: 'string',
        default: 'name',
        enum: [...TERM_ORDERS],
      },
      hide_empty: { description: 'Leaves out terms that no content has.', type: 'boolean', default: false },
      ...(hierarchical && {
        parent: { description: 'Limits the list to terms directly below this one.', type: 'integer' },
      }),
      post: { description: 'Limits the list to the terms of a post.', type: 'integer', default: null },
      slug: {
        description: 'Limits the list to terms with one of these slugs.',
        type: 'array',
        items: { type: 'string' },
      },
    }
    const { hooks } = this.plugin
    const filter = hooks[`rest_${this.#taxonomy.name}_collection_params`] as SyncFilter<Arguments, [kind: Taxonomy]>
    return applySyncFilter(filter, params, this.#taxonomy)
  }

  protected override itemSchema(): ItemSchema {
    const { name, objectType, hierarchical } = this.#taxonomy
    const meta = this.plugin.has('meta') ? this.plugin.services.meta.schemaFor('term', name) : null
    const everywhere = ['view', 'embed', 'edit'] as const
    const readers = ['view', 'edit'] as const
    return {
      $schema: SCHEMA_DRAFT,
      title: objectType,
      type: 'object',
      properties: {
        id: { description: 'Number of the term.', type: 'integer', context: everywhere, readonly: true },
        count: {
          description: 'How much published content has the term.',
          type: 'integer',
          context: readers,
          readonly: true,
        },
        description: {
          description: 'Text about the term, in HTML.',
          type: 'string',
          context: readers,
          arg_options: { size_limits: LONG_TEXTS },
        },
        link: {
          description: 'Address of the page of the term.',
          type: 'string',
          format: 'uri',
          context: everywhere,
          readonly: true,
        },
        name: { description: 'Title of the term, in HTML.', type: 'string', context: everywhere, required: true },
        slug: {
          description: 'Name of the term in addresses, unique in its taxonomy.',
          type: 'string',
          context: everywhere,
        },
        taxonomy: {
          description: 'Name of the taxonomy that the term belongs to.',
          type: 'string',
          enum: [name],
          context: everywhere,
          readonly: true,
        },
        ...(hierarchical && {
          parent: { description: 'Number of the term above; 0 for none.', type: 'integer', context: readers },
        }),
        ...(meta !== null && { meta }),
      },
    }
  }

  protected override async toData(
    term: Term,
    selection: Selection,
    request: RestRequest,
  ): Promise<Record<string, unknown>> {
    const { services } = this.plugin
    // Asked for together, so that the reads of all terms of a list fall into the same statements.
    const [link, meta] = await Promise.all([
      selection.has('link') ? services.permalinks.term(term, request.scope) : undefined,
      selection.has('meta') ? services.meta.values('term', term.taxonomy, term.id, request, selection) : undefined,
    ])
    // Registered fields know the term by its number, whatever else is asked for.
    const data: Record<string, unknown> = { id: term.id }
    if (selection.has('count')) data['count'] = term.count
    if (selection.has('description')) data['description'] = term.description
    if (selection.has('link')) data['link'] = link
    if (selection.has('name')) data['name'] = term.name
    if (selection.has('slug')) data['slug'] = term.slug
    if (selection.has('taxonomy')) data['taxonomy'] = term.taxonomy
    if (selection.has('parent')) data['parent'] = term.parent_id
    if (selection.has('meta')) data['meta'] = meta
    return data
  }

  protected override async toLinks(term: Term, request: RestRequest): Promise<Record<string, Link | readonly Link[]>> {
    const { services, urls, branding } = this.plugin
    const { name, rest_base: base } = this.#taxonomy
    const links: Record<string, Link | readonly Link[]> = {
      self: { href: this.href(term.id) },
      collection: { href: this.href() },
      about: { href: urls.rest(`/${branding.namespace('v2')}/taxonomies/${name}`) },
    }
    if (term.parent_id !== 0) {
      const parent = await services.terms.get(term.parent_id, request.scope)
      if (parent?.taxonomy === name) links['up'] = { href: this.href(parent.id), embeddable: true }
    }
    const types = services.taxonomies.typesOf(name).flatMap((type) => services.contentTypes.get(type) ?? [])
    const items = types
      .filter((type) => type.show_in_rest)
      .map((type) => ({ href: urls.rest(`/${type.rest_namespace}/${type.rest_base}?${base}=${term.id}`) }))
    if (items.length > 0) links[branding.relation('post_type')] = items
    return links
  }

  async #list(request: RestRequest): Promise<RestResponse> {
    const { hooks, services } = this.plugin
    const hook = hooks[`rest_${this.#taxonomy.name}_query`] as Filter<TermQuery, [request: RestRequest]>
    const query = await applyFilter(hook, this.#queryOf(request), request)
    const { items, total } = await services.terms.query(query, request.scope)
    const response = new RestResponse(await this.prepareList(items, request))
    const perPage = request.get('per_page') as number
    const page = Math.ceil((query.offset ?? 0) / perPage) + 1
    return this.paginate(response, request, { total, perPage, page })
  }

  #queryOf(request: RestRequest): TermQuery {
    const { name, hierarchical } = this.#taxonomy
    const query: TermQuery = {
      taxonomy: name,
      hierarchical,
      ...includedIds(request),
      slug: this.#slugsOf(request),
      hideEmpty: request.get('hide_empty') === true,
      orderby: request.get('orderby') as TermOrder,
      order: request.get('order') as 'asc' | 'desc',
      limit: request.get('per_page') as number,
      offset: this.#offsetOf(request),
    }
    const search = request.get('search') as string | undefined
    if (search !== undefined) query.search = search
    const post = request.get('post') as number | null
    if (post) query.post = post
    const parent = hierarchical ? (request.get('parent') as number | undefined) : undefined
    if (parent !== undefined) query.parent = parent
    return query
  }

  /** The slugs asked for, each as it was written and as a slug is. */
  #slugsOf(request: RestRequest): readonly string[] {
    const slugs = valuesOf<string>(request, 'slug')
    const { permalinks } = this.plugin.services
    return slugs.flatMap((slug) => [slug, permalinks.slugify(slug)])
  }

  #offsetOf(request: RestRequest): number {
    const offset = this.#taxonomy.hierarchical ? undefined : (request.get('offset') as number | undefined)
    if (offset) return Math.max(offset, 0)
    return ((request.get('page') as number) - 1) * (request.get('per_page') as number)
  }

  async #create(request: RestRequest): Promise<RestResponse> {
    const { services } = this.plugin
    const { name: taxonomy } = this.#taxonomy
    const given = { ...this.#changeOf(request), taxonomy }
    const term = await this.#write(request, given, true, (prepared) =>
      services.terms.create({ ...(prepared as NewTerm), taxonomy }),
    )
    const response = await this.#prepareFor(term, request, 'edit')
    response.status = 201
    response.headers.set('Location', this.href(term.id))
    return response
  }

  async #update({ id }: Term, request: RestRequest): Promise<RestResponse> {
    const term = await this.#write(request, this.#changeOf(request), false, (prepared) =>
      this.plugin.services.terms.update(id, prepared),
    )
    return this.#prepareFor(term, request, 'edit')
  }

  async #delete(term: Term, request: RestRequest): Promise<RestResponse | RestError> {
    const { hooks, services } = this.plugin
    if (request.get('force') !== true) return errors.rest_trash_not_supported()
    const previous = await this.#prepareFor(term, request, 'view')
    await services.terms.delete(term.id)
    request.scope.clear()
    const response = new RestResponse({ deleted: true, previous: previous.data })
    await runAction(hooks[`rest_delete_${this.#taxonomy.name}`]!, term, response, request)
    return response
  }

  /** Stores a term with meta and registered fields: all of it, or nothing. */
  async #write(
    request: RestRequest,
    given: NewTerm | TermChange,
    creating: boolean,
    store: (prepared: NewTerm | TermChange) => Promise<Term>,
  ): Promise<Term> {
    const { hooks, services, has } = this.plugin
    const { name, objectType } = this.#taxonomy
    const { scope } = request
    const hook = hooks[`rest_pre_insert_${name}`] as Filter<NewTerm | TermChange, [request: RestRequest]>
    const prepared = await applyFilter(hook, given, request)
    const writeAll = async () => {
      const term = await store(prepared)
      scope.clear()
      await runAction(hooks[`rest_insert_${name}`]!, term, request, creating)
      const refused =
        (has('meta') ? await services.meta.update('term', name, term, request.get('meta'), request) : null) ??
        (has('extra-fields') ? await services.fields.update(objectType, term, request) : null)
      if (refused !== null) throw refused
      return term
    }
    let written: Term
    try {
      written = await services.store.inTurn(writeAll)
    } finally {
      // What was read meanwhile may have been taken back.
      scope.clear()
    }
    await runAction(hooks[`rest_after_insert_${name}`]!, written, request, creating)
    return written
  }

  #prepareFor(term: Term, request: RestRequest, context: ItemContext): Promise<RestResponse> {
    request.set('context', context)
    return this.prepare(term, request)
  }

  /** What a request gives of a term, beside meta and registered fields. @throws rest_taxonomy_not_hierarchical */
  #changeOf(request: RestRequest): TermChange & { name: string } {
    const change: Record<string, unknown> = {}
    for (const field of ['name', 'slug', 'description', 'parent']) {
      const value = request.get(field)
      if (value !== undefined && value !== null) change[field] = value
    }
    if ('parent' in change && !this.#taxonomy.hierarchical) throw errors.rest_taxonomy_not_hierarchical()
    return change as TermChange & { name: string }
  }

  async #mayList(request: RestRequest): Promise<true | RestError> {
    const { services } = this.plugin
    const data = { status: authorizationStatus(request) }
    const hidden = this.#hidden(request)
    if (hidden !== null) return hidden
    const { capabilities } = this.#taxonomy
    if (request.get('context') === 'edit' && !services.capabilities.can(request.user, capabilities.edit_terms)) {
      return errors.rest_forbidden_context('edit terms of this taxonomy', { data })
    }
    const post = request.get('post') as number | null
    if (post) {
      const readable = await this.#mayReadTermsOf(post, request)
      if (readable === null) return errors.rest_post_invalid_id()
      if (!readable) return errors.rest_forbidden_context('see the terms of this post', { data })
    }
    return true
  }

  async #mayRead(request: RestRequest): Promise<true | RestError> {
    const hidden = this.#hidden(request)
    if (hidden !== null) return hidden
    const term = await this.#termOf(request)
    if (request.get('context') !== 'edit') return true
    if (this.plugin.services.capabilities.can(request.user, 'edit_term', term)) return true
    return errors.rest_forbidden_context('edit this term', { data: { status: authorizationStatus(request) } })
  }

  /** Whoever may give content a term of a taxonomy without levels may also make one. */
  #mayCreate(request: RestRequest): true | RestError {
    const { capabilities, hierarchical } = this.#taxonomy
    const needed = hierarchical ? capabilities.edit_terms : capabilities.assign_terms
    if (this.plugin.services.capabilities.can(request.user, needed)) return true
    return errors.rest_cannot_create({ data: { status: authorizationStatus(request) } })
  }

  async #mayUpdate(request: RestRequest): Promise<true | RestError> {
    const term = await this.#termOf(request)
    if (this.plugin.services.capabilities.can(request.user, 'edit_term', term)) return true
    return errors.rest_cannot_update({ data: { status: authorizationStatus(request) } })
  }

  async #mayDelete(request: RestRequest): Promise<true | RestError> {
    const { capabilities, terms } = this.plugin.services
    const term = await this.#termOf(request)
    const is_default = term.id === (await terms.defaultOf(term.taxonomy))
    if (capabilities.can(request.user, 'delete_term', { ...term, is_default })) return true
    return errors.rest_cannot_delete({ data: { status: authorizationStatus(request) } })
  }

  /** Why the person may not see the terms; null when they may. */
  #hidden(request: RestRequest): RestError | null {
    if (seesTerms(this.plugin.services.capabilities, request.user, this.#taxonomy)) return null
    return errors.rest_cannot_view({ data: { status: authorizationStatus(request) } })
  }

  /** Whether the person may read a post that can have terms of this taxonomy; null when there is no such post. */
  async #mayReadTermsOf(id: number, request: RestRequest): Promise<boolean | null> {
    const { services } = this.plugin
    const post = this.plugin.has('posts') ? await services.posts.get(id, request.scope) : undefined
    if (post === undefined) return null
    if (!services.taxonomies.typesOf(this.#taxonomy.name).includes(post.type)) return false
    return services.posts.isReadable(post, request.user, request.scope)
  }

  /** @throws rest_term_invalid when there is no such term in the taxonomy */
  async #termOf(request: RestRequest): Promise<Term> {
    const term = await this.plugin.services.terms.get(request.get('id') as number, request.scope)
    if (term?.taxonomy !== this.#taxonomy.name) throw errors.rest_term_invalid()
    return term
  }
}
