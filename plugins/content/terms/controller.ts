import {
  awaitAll,
  isThenable,
  type Arguments,
  type Awaitable,
  type Links,
  type PluginContext,
  type RestRequest,
  type RestResponse,
} from '../../../kernel/index.ts'
import {
  pageAfter,
  ResourceController,
  type ItemSchema,
  type ResourceReader,
  type ResourceWriter,
  type Selection,
} from '../../resources/index.ts'
import type { Taxonomy } from '../taxonomies/index.ts'
import { errors } from './errors.ts'
import { TermInput } from './input.ts'
import { TermPermissions } from './permissions.ts'
import type { Term, TermQuery } from './query.ts'
import { termListArguments, termSchema } from './schema.ts'
import type { NewTerm, TermChange } from './writer.ts'

/** Link data that all terms of a taxonomy share. */
interface SharedLinks {
  readonly collection: string
  readonly about: string
  /** REST routes of the content types that have the taxonomy. */
  readonly itemRoutes: readonly string[]
}

/** Routes for the terms of one taxonomy. */
export class TermsController extends ResourceController<Term, TermQuery, NewTerm | TermChange> {
  protected override readonly inBatches = true
  protected readonly permissions: TermPermissions
  protected readonly input: TermInput
  protected readonly reader: ResourceReader<TermQuery, Term> = {
    query: (query, { scope }) => this.plugin.services.terms.query(query, scope),
  }
  protected readonly writer: ResourceWriter<Term, NewTerm | TermChange> = {
    create: (term) => this.plugin.services.terms.writer.create({ ...(term as NewTerm), taxonomy: this.#taxonomy.name }),
    update: ({ id }, change) => this.plugin.services.terms.writer.update(id, change),
    delete: ({ id }) => this.plugin.services.terms.delete(id),
  }
  readonly #taxonomy: Taxonomy
  readonly #shared = new WeakMap<RestRequest, SharedLinks>()

  /**
   * @param plugin the context of the terms plugin
   * @param name name of the taxonomy
   */
  constructor(plugin: PluginContext, name: string) {
    const taxonomy = plugin.services.taxonomies.get(name)!
    super(plugin, taxonomy.rest_namespace, taxonomy.rest_base, taxonomy.objectType)
    this.#taxonomy = taxonomy
    this.permissions = new TermPermissions(plugin, taxonomy)
    this.input = new TermInput(plugin, taxonomy)
  }

  protected override get hookName(): string {
    return this.#taxonomy.name
  }

  protected override get kind(): Taxonomy {
    return this.#taxonomy
  }

  protected override listArguments(): Arguments {
    const { fieldIndex } = this.plugin.services
    return fieldIndex.listArguments('term', this.#taxonomy.name, termListArguments(this.#taxonomy))
  }

  protected override itemSchema(): ItemSchema {
    const { has, services } = this.plugin
    return termSchema(this.#taxonomy, has('meta') ? services.meta.schemaFor('term', this.#taxonomy.name) : null)
  }

  /** @throws rest_term_invalid if the taxonomy has no such term */
  override async itemOf(request: RestRequest): Promise<Term> {
    const term = await this.plugin.services.terms.get(request.get('id') as number, request.scope)
    if (term?.taxonomy !== this.#taxonomy.name) throw errors.rest_term_invalid()
    return term
  }

  protected override tagsOf(term: Term): readonly string[] {
    return [`term:${term.id}`]
  }

  protected override methodsKey({ id }: Term, { scope }: RestRequest): Awaitable<string | null> {
    const { capabilities, terms } = this.plugin.services
    if (!capabilities.followRules) return null
    const taxonomy = this.#taxonomy.name
    const keyFor = (fallback: number) => (id === fallback ? 'default' : '')
    const fallback = scope.getLater(`terms: default of ${taxonomy}`, () => terms.defaultOf(taxonomy))
    return isThenable(fallback) ? fallback.then(keyFor) : keyFor(fallback)
  }

  override async mayRead(request: RestRequest) {
    return this.permissions.hidden(request) ?? super.mayRead(request)
  }

  protected override pageOf({ offset = 0 }: TermQuery, request: RestRequest): number {
    return pageAfter(offset, request)
  }

  protected override metaSubject(term: Term) {
    return { type: 'term', subtype: this.#taxonomy.name, object: term }
  }

  protected override prepareDeleted(term: Term, request: RestRequest): Promise<RestResponse> {
    return this.prepareAs('view', term, request)
  }

  protected override gather(terms: readonly Term[], selection: Selection, { scope }: RestRequest) {
    const { services } = this.plugin
    const { name } = this.#taxonomy
    const shows = () => selection.has('meta') && services.meta.shows('term', name, selection)
    const ids = terms.map(({ id }) => id)
    return Promise.all([
      selection.has('link') && services.permalinks.ready(scope),
      shows() && services.meta.loadAll('term', ids, scope),
    ])
  }

  protected override toData(term: Term, selection: Selection, request: RestRequest) {
    const { services } = this.plugin
    // Requested together, so that reads of several terms share statements.
    const read = awaitAll([
      selection.has('link') ? services.permalinks.term(term, request.scope) : undefined,
      selection.has('meta') ? services.meta.values('term', term.taxonomy, term.id, request, selection) : null,
    ])
    return isThenable(read)
      ? read.then(([link, meta]) => this.#dataOf(term, selection, link, meta))
      : this.#dataOf(term, selection, ...read)
  }

  #dataOf(term: Term, selection: Selection, link: string | undefined, meta: unknown): Record<string, unknown> {
    // Registered fields need the ID even if it is not selected.
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

  protected override toLinks(term: Term, request: RestRequest): Awaitable<Links> {
    const parent = term.parent_id === 0 ? undefined : this.plugin.services.terms.get(term.parent_id, request.scope)
    return isThenable(parent)
      ? parent.then((late) => this.#linksOf(term, late, request))
      : this.#linksOf(term, parent, request)
  }

  #linksOf(term: Term, parent: Term | undefined, request: RestRequest): Links {
    const { urls, branding } = this.plugin
    const { name, rest_base: base } = this.#taxonomy
    const { collection, about, itemRoutes } = this.#sharedLinks(request)
    const links: Links = {
      self: { href: this.href(term.id) },
      collection: { href: collection },
      about: { href: about },
    }
    if (parent?.taxonomy === name) links['up'] = { embeddable: true, href: this.href(parent.id) }
    const items = itemRoutes.map((route) => ({ href: urls.rest(`${route}?${base}=${term.id}`) }))
    if (items.length > 0) links[branding.relation('post_type')] = items
    return links
  }

  /** Link data shared by all terms of a request. */
  #sharedLinks(request: RestRequest): SharedLinks {
    let shared = this.#shared.get(request)
    if (shared === undefined) {
      const { services, urls, branding } = this.plugin
      const { name } = this.#taxonomy
      const types = services.taxonomies.typesOf(name).flatMap((type) => services.contentTypes.get(type) ?? [])
      shared = {
        collection: this.href(),
        about: urls.rest(`/${branding.namespace('v2')}/taxonomies/${name}`),
        itemRoutes: types.flatMap((type) => (type.show_in_rest ? [services.contentTypes.itemsRoute(type)] : [])),
      }
      this.#shared.set(request, shared)
    }
    return shared
  }
}
