import {
  addQuery,
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
import type { ContentTypes } from './content-types.ts'
import { errors } from './errors.ts'
import type { Status, Statuses } from './statuses.ts'

/** Lists the statuses: readers see the public ones, who writes sees those that content can be given. */
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
    if (request.get('context') !== 'edit' || this.#writes(request)) return true
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

  /** Whether the person may write content of some type. */
  #writes({ user }: RestRequest): boolean {
    const { capabilities } = this.plugin.services
    return this.#types.exposed().some((type) => capabilities.can(user, type.capabilities.edit_posts))
  }

  #showsTo(status: Status, request: RestRequest): boolean {
    if (status.public) return true
    // The trash is the server's own status that people do see.
    return (!status.internal || status.name === 'trash') && this.#writes(request)
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
    const list = this.plugin.urls.rest(`/${posts.rest_namespace}/${posts.rest_base}`)
    return { archives: { href: status.name === 'publish' ? list : addQuery(list, { status: status.name }) } }
  }

  protected itemSchema(): ItemSchema {
    const flag = (description: string, context: readonly string[]) => shownField(description, 'boolean', context)
    return {
      $schema: SCHEMA_DRAFT,
      title: 'status',
      type: 'object',
      properties: {
        name: shownField('Name for people.', 'string', ['embed', 'view', 'edit']),
        private: flag('Whether only its author and who may read private content can read content of it.', ['edit']),
        protected: flag('Whether only who may edit content of it can read it.', ['edit']),
        public: flag('Whether everybody can read content of it.', ['view', 'edit']),
        queryable: flag('Whether readers can ask for content of it.', ['view', 'edit']),
        show_in_list: flag('Whether an administration lists content of it.', ['edit']),
        slug: shownField('Name for programs.', 'string', ['embed', 'view', 'edit']),
        date_floating: flag('Whether the date of content moves until it is published.', ['view', 'edit']),
      },
    }
  }
}
