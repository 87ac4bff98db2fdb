import {
  forbidden,
  RegistryController,
  SCHEMA_DRAFT,
  shownField,
  type ItemSchema,
  type Link,
  type PluginContext,
  type RestRequest,
  type Selection,
} from '../../../kernel/index.ts'
import type { Taxonomies } from '../taxonomies/index.ts'
import type { ContentType, ContentTypes } from './content-types.ts'
import { errors } from './errors.ts'

/** Lists the content types that the interface serves. */
export class TypesController extends RegistryController<ContentType> {
  protected readonly key = { name: 'type', description: 'Name of the content type.' }
  readonly #types: ContentTypes
  readonly #taxonomies: Pick<Taxonomies, 'ofType'> | null

  constructor(plugin: PluginContext, types: ContentTypes, taxonomies: Pick<Taxonomies, 'ofType'> | null) {
    super(plugin, plugin.branding.namespace('v2'), 'types', 'type')
    this.#types = types
    this.#taxonomies = taxonomies
  }

  protected override get hookName(): string {
    return 'post_type'
  }

  protected listed(request: RestRequest): ContentType[] {
    return this.#types.exposed().filter((type) => this.#showsTo(type, request))
  }

  protected mayList(request: RestRequest) {
    if (request.get('context') !== 'edit' || this.listed(request).length > 0) return true
    return forbidden(request, errors.rest_cannot_view)
  }

  /** Everybody may ask; whether they are told is up to the type. */
  protected mayRead() {
    return true
  }

  protected find(request: RestRequest): ContentType {
    const type = this.#types.get(String(request.get('type')))
    if (type === undefined) throw errors.rest_type_invalid()
    if (!type.show_in_rest) throw forbidden(request, errors.rest_cannot_read_type)
    if (!this.#showsTo(type, request)) throw forbidden(request, errors.rest_forbidden_context)
    return type
  }

  /** Whether the person may see a type in the context asked for: as its editors do only who is one. */
  #showsTo(type: ContentType, request: RestRequest): boolean {
    const { capabilities } = this.plugin.services
    return request.get('context') !== 'edit' || capabilities.can(request.user, type.capabilities.edit_posts)
  }

  protected toData(type: ContentType, selection: Selection): Record<string, unknown> {
    return selection.read({
      capabilities: () => type.capabilities,
      description: () => type.description,
      hierarchical: () => type.hierarchical,
      has_archive: () => type.has_archive,
      visibility: () => ({ show_in_nav_menus: type.show_in_nav_menus, show_ui: type.show_ui }),
      viewable: () => type.viewable,
      labels: () => type.labels,
      name: () => type.label,
      slug: () => type.name,
      icon: () => type.icon,
      supports: () => type.supports,
      taxonomies: () =>
        (this.#taxonomies?.ofType(type.name) ?? []).filter((one) => one.show_in_rest).map(({ name }) => name),
      rest_base: () => type.rest_base,
      rest_namespace: () => type.rest_namespace,
    })
  }

  protected toLinks(type: ContentType): Record<string, Link> {
    return this.linksWithItems(type.rest_namespace, type.rest_base)
  }

  protected itemSchema(): ItemSchema {
    const everywhere = ['view', 'edit', 'embed']
    return {
      $schema: SCHEMA_DRAFT,
      title: 'type',
      type: 'object',
      properties: {
        capabilities: shownField('What each capability is called for this content type.', 'object', ['edit']),
        description: shownField('What the content type is for, in words for people.', 'string', ['view', 'edit']),
        hierarchical: shownField('Whether items may have items below them.', 'boolean', ['view', 'edit']),
        viewable: shownField('Whether items have pages that readers can open.', 'boolean', ['edit']),
        labels: shownField('Texts in which an administration speaks of the content type.', 'object', ['edit']),
        name: shownField('Name for people.', 'string', everywhere),
        slug: shownField('Name for programs.', 'string', everywhere),
        supports: shownField('Features that items have.', 'object', ['edit']),
        has_archive: shownField(
          'Whether a page lists all items; text is its own address segment.',
          ['string', 'boolean'],
          ['view', 'edit'],
        ),
        taxonomies: {
          description: 'Taxonomies whose terms items can have.',
          type: 'array',
          items: { type: 'string' },
          context: ['view', 'edit'],
          readonly: true,
        },
        rest_base: shownField('Last segment of the address of its items.', 'string', everywhere),
        rest_namespace: shownField('Namespace in the address of its items.', 'string', everywhere),
        visibility: {
          description: 'Where an administration shows the content type.',
          type: 'object',
          context: ['edit'],
          readonly: true,
          properties: {
            show_ui: { description: 'Whether there are screens to manage it.', type: 'boolean' },
            show_in_nav_menus: { description: 'Whether items can be put into menus.', type: 'boolean' },
          },
        },
        icon: shownField('Name of its icon.', ['string', 'null'], everywhere),
      },
    }
  }
}
