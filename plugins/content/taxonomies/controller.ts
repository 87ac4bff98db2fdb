import { forbidden, type Arguments, type Link, type PluginContext, type RestRequest } from '../../../kernel/index.ts'
import { RegistryController, type ItemSchema, type Selection } from '../../resources/index.ts'
import { errors } from './errors.ts'
import { taxonomySchema } from './schema.ts'
import type { Taxonomies, Taxonomy } from './service.ts'

/** Lists the taxonomies that the REST API serves. */
export class TaxonomiesController extends RegistryController<Taxonomy> {
  protected readonly key = { name: 'taxonomy', description: 'Name of the taxonomy.' }
  readonly #taxonomies: Taxonomies

  constructor(plugin: PluginContext, taxonomies: Taxonomies) {
    super(plugin, plugin.branding.namespace('v2'), 'taxonomies', 'taxonomy')
    this.#taxonomies = taxonomies
  }

  protected override listArguments(): Arguments {
    return {
      ...this.readArguments(),
      type: { description: 'Limits the list to taxonomies of this content type.', type: 'string' },
    }
  }

  protected listed(request: RestRequest): Taxonomy[] {
    const type = request.get('type')
    const taxonomies = typeof type === 'string' && type !== '' ? this.#taxonomies.ofType(type) : this.#taxonomies.all()
    return taxonomies.filter((taxonomy) => taxonomy.show_in_rest && this.#showsTo(taxonomy, request))
  }

  protected mayList(request: RestRequest) {
    if (request.get('context') !== 'edit' || this.listed(request).length > 0) return true
    return forbidden(request, errors.rest_cannot_view)
  }

  protected mayRead(request: RestRequest) {
    const taxonomy = this.#named(request)
    if (taxonomy === undefined) return true
    if (!taxonomy.show_in_rest) return false
    return this.#showsTo(taxonomy, request) || forbidden(request, errors.rest_forbidden_context)
  }

  protected find(request: RestRequest): Taxonomy {
    const taxonomy = this.#named(request)
    if (taxonomy === undefined) throw errors.rest_taxonomy_invalid()
    return taxonomy
  }

  #named(request: RestRequest): Taxonomy | undefined {
    return this.#taxonomies.get(String(request.get('taxonomy')))
  }

  /** Whether the user may see a taxonomy in the requested context. `edit` requires the right to assign its terms. */
  #showsTo(taxonomy: Taxonomy, request: RestRequest): boolean {
    const { capabilities } = this.plugin.services
    return request.get('context') !== 'edit' || capabilities.can(request.user, taxonomy.capabilities.assign_terms)
  }

  protected toData(taxonomy: Taxonomy, selection: Selection): Record<string, unknown> {
    return selection.read({
      name: () => taxonomy.label,
      slug: () => taxonomy.name,
      capabilities: () => taxonomy.capabilities,
      description: () => taxonomy.description,
      labels: () => taxonomy.labels,
      types: () => this.#taxonomies.typesOf(taxonomy.name),
      show_cloud: () => taxonomy.show_tagcloud,
      hierarchical: () => taxonomy.hierarchical,
      rest_base: () => taxonomy.rest_base,
      rest_namespace: () => taxonomy.rest_namespace,
      visibility: () => ({
        public: taxonomy.public,
        publicly_queryable: taxonomy.publicly_queryable,
        show_admin_column: taxonomy.show_admin_column,
        show_in_nav_menus: taxonomy.show_in_nav_menus,
        show_in_quick_edit: taxonomy.show_in_quick_edit,
        show_ui: taxonomy.show_ui,
      }),
    })
  }

  protected toLinks(taxonomy: Taxonomy): Record<string, Link> {
    return this.linksWithItems(this.#taxonomies.itemsRoute(taxonomy))
  }

  protected itemSchema(): ItemSchema {
    return taxonomySchema()
  }
}
