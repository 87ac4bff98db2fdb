import {
  forbidden,
  RegistryController,
  SCHEMA_DRAFT,
  shownField,
  type Arguments,
  type ItemSchema,
  type Link,
  type PluginContext,
  type RestRequest,
  type Selection,
} from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { Taxonomies, Taxonomy } from './taxonomies.ts'

/** Lists the taxonomies that the interface serves. */
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
      type: { description: 'Limits the list to the taxonomies of a content type.', type: 'string' },
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

  /** Whether the person may see a taxonomy in the context asked for: as its editors do only who gives its terms. */
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
    return this.linksWithItems(taxonomy.rest_namespace, taxonomy.rest_base)
  }

  protected itemSchema(): ItemSchema {
    const everywhere = ['view', 'edit', 'embed']
    return {
      $schema: SCHEMA_DRAFT,
      title: 'taxonomy',
      type: 'object',
      properties: {
        capabilities: shownField('What each capability is called for this taxonomy.', 'object', ['edit']),
        description: shownField('What the taxonomy is for, in words for people.', 'string', ['view', 'edit']),
        hierarchical: shownField('Whether terms may have terms below them.', 'boolean', ['view', 'edit']),
        labels: shownField('Texts in which an administration speaks of the taxonomy.', 'object', ['edit']),
        name: shownField('Name for people.', 'string', everywhere),
        slug: shownField('Name for programs.', 'string', everywhere),
        show_cloud: shownField('Whether its terms may be shown as a cloud.', 'boolean', ['edit']),
        types: {
          description: 'Content types whose items can have its terms.',
          type: 'array',
          items: { type: 'string' },
          context: ['view', 'edit'],
          readonly: true,
        },
        rest_base: shownField('Last segment of the address of its terms.', 'string', everywhere),
        rest_namespace: shownField('Namespace in the address of its terms.', 'string', everywhere),
        visibility: {
          description: 'Where the site and its administration show the taxonomy.',
          type: 'object',
          context: ['edit'],
          readonly: true,
          properties: {
            public: { description: 'Whether it is meant for readers.', type: 'boolean' },
            publicly_queryable: { description: 'Whether its terms have pages that readers can open.', type: 'boolean' },
            show_ui: { description: 'Whether there are screens to manage it.', type: 'boolean' },
            show_admin_column: { description: 'Whether lists of content have a column for it.', type: 'boolean' },
            show_in_nav_menus: { description: 'Whether its terms can be put into menus.', type: 'boolean' },
            show_in_quick_edit: {
              description: 'Whether its terms can be given in a list of content.',
              type: 'boolean',
            },
          },
        },
      },
    }
  }
}
