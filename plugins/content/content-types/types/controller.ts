import { forbidden, type Link, type PluginContext, type RestRequest } from '../../../../kernel/index.ts'
import { RegistryController, type ItemSchema, type Selection } from '../../../resources/index.ts'
import type { Taxonomies } from '../../taxonomies/index.ts'
import { typeSchema } from './schema.ts'
import type { ContentType, ContentTypes } from './service.ts'
import { errors } from '../errors.ts'

/** Lists the content types that the REST API serves. */
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

  /** Always true: `find` refuses hidden types, because the error depends on the type. */
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

  /** Whether the user may see a type in the requested context. `edit` requires the right to edit its items. */
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
      template: () => type.template,
      template_lock: () => type.template_lock,
    })
  }

  protected toLinks(type: ContentType): Record<string, Link> {
    return this.linksWithItems(this.#types.itemsRoute(type))
  }

  protected itemSchema(): ItemSchema {
    return typeSchema(this.plugin.since)
  }
}
