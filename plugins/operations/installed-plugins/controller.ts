import { Controller, type ItemSchema, type Selection } from '../../resources/index.ts'
import {
  forbidden,
  RestResponse,
  type Arguments,
  type ErrorMaker,
  type PluginContext,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import type { RunningName } from '../../library/running-plugins/index.ts'
import { errors } from './errors.ts'
import { ownVersion } from './own-version.ts'

const EVERYWHERE = ['view', 'edit', 'embed'] as const
const READERS = ['view', 'edit'] as const
const NAME = '(?P<plugin>[^.]+)'
/** The form of `NAME` that index documents show. */
const SHOWN_NAME = '(?P<plugin>[^.\\/]+(?:\\/[^.\\/]+)?)'

/** The routes of running plugins, which are read-only. */
export class PluginsController extends Controller<RunningName> {
  readonly #context: PluginContext
  readonly #version = ownVersion()

  constructor(plugin: PluginContext) {
    super(plugin, plugin.branding.namespace('v2'), 'plugins', 'plugin')
    this.#context = plugin
  }

  /** Name of the field with the API version that a plugin requires. */
  get #needed(): string {
    return `requires_${this.#context.branding.word}`
  }

  override register(server: RestServer): void {
    const refuse = (make: ErrorMaker<[]>) => (request: RestRequest) => forbidden(request, make)
    const write = (methods: readonly string[], make: ErrorMaker<[]>) => ({
      methods,
      callback: () => Promise.reject(make()),
      permission_callback: refuse(make),
    })
    const schema = () => this.publicSchema()
    server.registerRoute(this.namespace, this.restBase, {
      0: {
        callback: (request) => this.#list(request),
        permission_callback: (request) => this.#may(request, errors.rest_cannot_view_plugins),
        args: this.#listArguments(),
      },
      1: write(['POST'], errors.rest_cannot_install_plugin),
      schema,
    })
    server.registerRoute(this.namespace, `${this.restBase}/${NAME}`, {
      args: { plugin: { description: 'Name of the plugin.', type: 'string' } },
      'x-shown-route': `${this.restBase}/${SHOWN_NAME}`,
      0: {
        callback: (request) => this.prepare(this.#find(request), request),
        permission_callback: (request) => this.#may(request, errors.rest_cannot_view_plugin),
        args: { context: this.contextParam('view') },
      },
      1: write(['POST', 'PUT', 'PATCH'], errors.rest_cannot_manage_plugins),
      2: write(['DELETE'], errors.rest_cannot_manage_plugins),
      schema,
    })
  }

  #listArguments(): Arguments {
    const status = { type: 'string', enum: ['inactive', 'active'] } as const
    return {
      context: this.contextParam('view'),
      search: { description: 'Limits the list to plugins whose names contain this text.', type: 'string' },
      status: { description: 'Limits the list to plugins with these statuses.', type: 'array', items: status },
    }
  }

  #may(request: RestRequest, make: ErrorMaker<[]>) {
    const { capabilities } = this.#context.services
    return capabilities.can(request.user, 'activate_plugins') || forbidden(request, make)
  }

  async #list(request: RestRequest): Promise<RestResponse> {
    request.preventCaching('it tells of plugins')
    const status = request.get('status') as string[] | undefined
    const search = ((request.get('search') as string | undefined) ?? '').toLowerCase()
    const active = status === undefined || status.length === 0 || status.includes('active')
    const found = active ? this.#context.running().filter(({ name }) => name.toLowerCase().includes(search)) : []
    return new RestResponse(await this.prepareList(found, request))
  }

  #find(request: RestRequest): RunningName {
    request.preventCaching('it tells of plugins')
    const found = this.#context.running().find(({ name }) => name === request.get('plugin'))
    if (found === undefined) throw errors.rest_plugin_not_found()
    return found
  }

  protected override itemSchema(): ItemSchema {
    const text = (description: string, context: readonly string[] = READERS) => ({
      description,
      type: 'string' as const,
      context,
      readonly: true,
    })
    return {
      $schema: 'http://json-schema.org/draft-04/schema#',
      title: 'plugin',
      type: 'object',
      properties: {
        plugin: text('Name of the plugin.', EVERYWHERE),
        status: {
          ...text('Status of the plugin; all listed plugins are active.', EVERYWHERE),
          enum: ['inactive', 'active'],
        },
        name: text('Display name of the plugin.', EVERYWHERE),
        plugin_uri: text('Website of the plugin.'),
        author: { ...text('Author of the plugin.'), type: 'object' },
        author_uri: text('Website of the author.'),
        description: {
          ...text('Description of the plugin.'),
          type: 'object',
          properties: {
            raw: { description: 'Source of the description.', type: 'string' },
            rendered: { description: 'HTML of the description.', type: 'string' },
          },
        },
        version: text('Version of the plugin.'),
        network_only: {
          ...text('Whether the plugin can only be activated for a whole network.', EVERYWHERE),
          type: 'boolean',
        },
        [this.#needed]: text('Minimum version of the REST API.', EVERYWHERE),
        requires_php: text('Always empty: plugins need no PHP.', EVERYWHERE),
        textdomain: text('Text domain of the translations.'),
      },
    }
  }

  protected override toData({ name, isDefault }: RunningName, selection: Selection) {
    const description = isDefault ? 'Comes with the server.' : ''
    return selection.read({
      plugin: () => name,
      status: () => 'active',
      name: () => name,
      plugin_uri: () => '',
      author: () => [],
      author_uri: () => '',
      description: () => ({ raw: description, rendered: description }),
      version: () => (isDefault ? this.#version : ''),
      network_only: () => false,
      [this.#needed]: () => '',
      requires_php: () => '',
      textdomain: () => '',
    })
  }

  protected override toLinks({ name }: RunningName) {
    return { self: { href: this.href(name) } }
  }
}
