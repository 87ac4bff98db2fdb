import { Controller, type ItemSchema, type Selection } from '../../../resources/index.ts'
import {
  forbidden,
  RestResponse,
  type Arguments,
  type Link,
  type PluginContext,
  type RestError,
  type RestRequest,
  type RestServer,
} from '../../../../kernel/index.ts'
import { errors } from '../errors.ts'
import type { Blocks } from '../service.ts'
import type { BlockType } from './registry.ts'
import { blockTypeSchema, ASSET_HANDLES } from './schema.ts'

/** Lists the registered block types for users who can edit posts of any type. */
export class BlockTypesController extends Controller<BlockType> {
  readonly #types: Pick<Blocks, 'all' | 'getServed'>

  constructor(plugin: PluginContext, types: Pick<Blocks, 'all' | 'getServed'>) {
    super(plugin, plugin.branding.namespace('v2'), 'block-types', 'block-type')
    this.#types = types
  }

  protected override get hookName(): string {
    return 'block_type'
  }

  register(server: RestServer): void {
    const schema = () => this.publicSchema()
    const list = {
      methods: 'GET',
      callback: (request: RestRequest) => this.#list(request),
      permission_callback: (request: RestRequest) => this.#maySee(request),
      cache: true,
    }
    const namespace: Arguments = { namespace: { description: 'Namespace of the block types.', type: 'string' } }
    server.registerRoute(this.namespace, `/${this.restBase}`, { 0: { ...list, args: this.collectionParams() }, schema })
    server.registerRoute(this.namespace, `/${this.restBase}/(?P<namespace>[a-zA-Z0-9_-]+)`, {
      0: { ...list, args: this.collectionParams() },
      schema,
    })
    server.registerRoute(this.namespace, `/${this.restBase}/(?P<namespace>[a-zA-Z0-9_-]+)/(?P<name>[a-zA-Z0-9_-]+)`, {
      args: { name: { description: 'Name of the block type in its namespace.', type: 'string' }, ...namespace },
      0: {
        methods: 'GET',
        callback: (request) => this.prepare(this.#find(request), request),
        permission_callback: (request) => this.#maySee(request),
        args: { context: this.contextParam('view') },
        cache: true,
      },
      schema,
    })
  }

  override collectionParams(): Arguments {
    return {
      context: this.contextParam('view'),
      namespace: { description: 'Namespace of the block types.', type: 'string' },
    }
  }

  /** Whether the user can edit posts of at least one type. */
  #maySee(request: RestRequest): true | RestError {
    const isWriter = this.plugin.services.contentTypes.isWriter(request.user)
    return isWriter || forbidden(request, errors.rest_block_type_cannot_view)
  }

  async #list(request: RestRequest): Promise<RestResponse> {
    const namespace = request.get('namespace') as string | undefined
    const types = this.#types
      .all()
      .filter(
        ({ name, since }) => this.plugin.since(since) && (namespace === undefined || name.startsWith(`${namespace}/`)),
      )
    return new RestResponse(await this.prepareList(types, request))
  }

  /** @throws rest_block_type_invalid */
  #find(request: RestRequest): BlockType {
    const type = this.#types.getServed(`${String(request.get('namespace'))}/${String(request.get('name'))}`)
    if (type === undefined) throw errors.rest_block_type_invalid()
    return type
  }

  protected async toData(
    type: BlockType,
    selection: Selection,
    request: RestRequest,
  ): Promise<Record<string, unknown>> {
    const { render_callback: _callback, render: _render, variation_callback: vary, ...plain } = type
    const { attributes, provides_context: provides, supports, selectors, block_hooks: hooks } = type
    const firsts = ASSET_HANDLES.map((name) => {
      const handles = type[`${name}_handles`]
      return [name, handles[0] ?? null]
    })
    const words = await this.plugin.services.translations.site()
    const all: Record<string, unknown> = {
      ...plain,
      styles: type.styles.map(({ label, ...style }) =>
        typeof label === 'string' ? { ...style, label: words.t(`block style|${label}`) } : style,
      ),
      variations: selection.has('variations') ? [...type.variations, ...((await vary?.(request.scope)) ?? [])] : [],
      example: type.example === null ? null : mapOf(type.example),
      attributes: mapOf(attributes),
      provides_context: mapOf(provides),
      supports: mapOf(supports),
      selectors: mapOf(selectors),
      block_hooks: mapOf(hooks),
      ...Object.fromEntries(firsts),
    }
    return Object.fromEntries(Object.entries(all).filter(([name]) => selection.has(name)))
  }

  protected toLinks({ name, is_dynamic: isDynamic }: BlockType): Record<string, Link> {
    const { urls, branding } = this.plugin
    const renderer = urls.rest(`/${this.namespace}/block-renderer/${name}`)
    return {
      collection: { href: this.href() },
      self: { href: this.href(name) },
      up: { href: this.href(name.slice(0, name.indexOf('/'))) },
      ...(isDynamic && {
        [branding.relation('render-block')]: { href: `${renderer}${renderer.includes('?') ? '&' : '?'}context=edit` },
      }),
    }
  }

  protected itemSchema(): ItemSchema {
    return blockTypeSchema(this.plugin.since)
  }
}

/** Clients of WordPress expect an empty list in place of an empty object. */
function mapOf(map: object): object {
  return Object.keys(map).length === 0 ? [] : map
}
