import { Controller, SCHEMA_DRAFT, shownField, type ItemSchema, type Selection } from '../../resources/index.ts'
import {
  forbidden,
  type Links,
  type PluginContext,
  type RestError,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { ViewConfig, ViewConfigs } from './service.ts'

/** Version of the format of view configurations. */
const VIEW_FORMAT_VERSION = 1

interface NamedConfig extends ViewConfig {
  readonly kind: string
  readonly name: string
}

/** Route of the view configurations of editors. */
export class ViewConfigController extends Controller<NamedConfig> {
  readonly #views: ViewConfigs

  constructor(plugin: PluginContext, views: ViewConfigs) {
    super(plugin, plugin.branding.namespace('v2'), 'view-config', 'view-config')
    this.#views = views
  }

  override register(server: RestServer): void {
    server.registerRoute(this.namespace, `/${this.restBase}`, {
      0: {
        methods: 'GET',
        callback: (request) => {
          const [kind, name] = [String(request.get('kind')), String(request.get('name'))]
          return this.prepare({ kind, name, ...this.#views.get(kind, name) }, request)
        },
        permission_callback: (request) => this.#mayRead(request),
        args: {
          kind: { description: 'Kind of the listed items, such as postType.', type: 'string', required: true },
          name: { description: 'Name of the listed items, such as page.', type: 'string', required: true },
        },
      },
      schema: () => this.publicSchema(),
    })
  }

  /**
   * Checks that the user can edit posts of the type, or of any type for other kinds. @throws
   * rest_view_config_invalid_entity
   */
  #mayRead(request: RestRequest): true | RestError {
    const { capabilities, contentTypes } = this.plugin.services
    const refused = () => forbidden(request, errors.rest_cannot_read)
    if (request.get('kind') !== 'postType') return contentTypes.isWriter(request.user) || refused()
    const type = contentTypes.get(String(request.get('name')))
    if (type?.show_in_rest !== true) throw errors.rest_view_config_invalid_entity()
    return capabilities.can(request.user, type.capabilities.edit_posts) || refused()
  }

  protected override itemSchema(): ItemSchema {
    const shown = (description: string, type: 'string' | 'integer' | 'object' | 'array') =>
      shownField(description, type, ['view', 'edit', 'embed'])
    return {
      $schema: SCHEMA_DRAFT,
      title: 'view-config',
      type: 'object',
      properties: {
        kind: shown('Kind of the listed items.', 'string'),
        name: shown('Name of the listed items.', 'string'),
        version: shown('Version of the configuration format.', 'integer'),
        default_view: shown('Initial view of the list.', 'object'),
        default_layouts: shown('Layouts the list supports.', 'object'),
        view_list: shown('Views to choose from.', 'array'),
        form: shown('Form to edit an item.', 'object'),
      },
    }
  }

  protected override async toData(config: NamedConfig, selection: Selection): Promise<Record<string, unknown>> {
    const words = await this.plugin.services.translations.site()
    const views = config.view_list.map(({ title, ...view }) => ({ ...view, title: words.t(`view|${title}`) }))
    return selection.pick({ ...config, view_list: views, version: VIEW_FORMAT_VERSION })
  }

  protected override toLinks(): Links {
    return {}
  }
}
