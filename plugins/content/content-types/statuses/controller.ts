import { addQuery, forbidden, type Link, type PluginContext, type RestRequest } from '../../../../kernel/index.ts'
import { RegistryController, type ItemSchema, type Selection } from '../../../resources/index.ts'
import type { ContentTypes } from '../types/service.ts'
import { errors } from '../errors.ts'
import { statusSchema } from './schema.ts'
import type { Status, Statuses } from './service.ts'

/**
 * Lists the statuses. Every client sees the public ones; users who may write posts also see the other statuses of posts.
 */
export class StatusesController extends RegistryController<Status> {
  protected readonly key = { name: 'status', description: 'Name of the status.' }
  readonly #statuses: Statuses
  readonly #types: ContentTypes

  constructor(plugin: PluginContext, statuses: Statuses, types: ContentTypes) {
    super(plugin, plugin.branding.namespace('v2'), 'statuses', 'status')
    this.#statuses = statuses
    this.#types = types
  }

  protected listed(request: RestRequest): Status[] {
    return this.#statuses.all().filter((status) => this.#showsTo(status, request))
  }

  protected mayList(request: RestRequest) {
    if (request.get('context') !== 'edit' || this.#types.isWriter(request.user)) return true
    return forbidden(request, errors.rest_cannot_view)
  }

  protected mayRead(request: RestRequest) {
    if (this.#showsTo(this.find(request), request)) return true
    return forbidden(request, errors.rest_cannot_read_status)
  }

  protected find(request: RestRequest): Status {
    const status = this.#statuses.get(String(request.get('status')))
    if (status === undefined) throw errors.rest_status_invalid()
    return status
  }

  #showsTo(status: Status, request: RestRequest): boolean {
    if (status.public) return true
    // The trash is internal but visible to users.
    return (!status.internal || status.name === 'trash') && this.#types.isWriter(request.user)
  }

  protected toData(status: Status, selection: Selection): Record<string, unknown> {
    return selection.read({
      name: () => status.label,
      private: () => status.private,
      protected: () => status.protected,
      public: () => status.public,
      queryable: () => status.publicly_queryable,
      show_in_list: () => status.show_in_list,
      slug: () => status.name,
      date_floating: () => status.date_floating,
    })
  }

  protected toLinks(status: Status): Record<string, Link> {
    const posts = this.#types.get('post')
    if (posts?.show_in_rest !== true) return {}
    const list = this.plugin.urls.rest(this.#types.itemsRoute(posts))
    return { archives: { href: status.name === 'publish' ? list : addQuery(list, { status: status.name }) } }
  }

  protected itemSchema(): ItemSchema {
    return statusSchema()
  }
}
