import {
  Controller,
  forbidden,
  RestResponse,
  SCHEMA_DRAFT,
  type Arguments,
  type ItemSchema,
  type Link,
  type PluginContext,
  type PropertySchema,
  type RestError,
  type RestRequest,
  type RestServer,
  type Selection,
} from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { BlockType, BlockTypes } from './registry.ts'

/** Kinds of files that an editor or a page loads for a block: the list of handles, and the name of the first of them. */
const HANDLES = ['editor_script', 'script', 'view_script', 'editor_style', 'style'] as const

/** Lists the types of blocks that the server knows, to those who write. */
export class BlockTypesController extends Controller<BlockType> {
  readonly #types: BlockTypes

  constructor(plugin: PluginContext, types: BlockTypes) {
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
    }
    const namespace = { namespace: { description: 'Namespace of the names.', type: 'string' } }
    server.registerRoute(this.namespace, `/${this.restBase}`, { 0: { ...list, args: this.collectionParams() }, schema })
    server.registerRoute(this.namespace, `/${this.restBase}/(?P<namespace>[a-zA-Z0-9_-]+)`, {
      0: { ...list, args: this.collectionParams() },
      schema,
    })
    server.registerRoute(this.namespace, `/${this.restBase}/(?P<namespace>[a-zA-Z0-9_-]+)/(?P<name>[a-zA-Z0-9_-]+)`, {
      args: { name: { description: 'Name in the namespace.', type: 'string' }, ...namespace },
      0: {
        methods: 'GET',
        callback: (request) => this.prepare(this.#one(request), request),
        permission_callback: (request) => this.#maySee(request),
        args: { context: this.contextParam('view') },
      },
      schema,
    })
  }

  override collectionParams(): Arguments {
    return {
      context: this.contextParam('view'),
      namespace: { description: 'Namespace of the names.', type: 'string' },
    }
  }

  /** Whether the user writes content of some type. */
  #maySee(request: RestRequest): true | RestError {
    const { capabilities, contentTypes } = this.plugin.services
    const writes = contentTypes.exposed().some((type) => capabilities.can(request.user, type.capabilities.edit_posts))
    return writes || forbidden(request, errors.rest_block_type_cannot_view)
  }

  async #list(request: RestRequest): Promise<RestResponse> {
    const namespace = request.get('namespace') as string | undefined
    const types = this.#types.all().filter(({ name }) => namespace === undefined || name.startsWith(`${namespace}/`))
    return new RestResponse(await this.prepareList(types, request))
  }

  /** @throws rest_block_type_invalid */
  #one(request: RestRequest): BlockType {
    const type = this.#types.get(`${String(request.get('namespace'))}/${String(request.get('name'))}`)
    if (type === undefined) throw errors.rest_block_type_invalid()
    return type
  }

  protected toData(type: BlockType, selection: Selection): Record<string, unknown> {
    const { render_callback: callback, attributes, provides_context: provides, supports, ...facts } = type
    const firsts = HANDLES.map((name) => {
      const handles = type[`${name}_handles`]
      return [name, handles[0] ?? null]
    })
    const all: Record<string, unknown> = {
      ...facts,
      attributes: mapOf(attributes),
      provides_context: mapOf(provides),
      supports: mapOf(supports),
      is_dynamic: callback !== null,
      ...Object.fromEntries(firsts),
    }
    return Object.fromEntries(Object.entries(all).filter(([name]) => selection.has(name)))
  }

  protected toLinks({ name, render_callback: callback }: BlockType): Record<string, Link> {
    const { urls, branding } = this.plugin
    const renderer = urls.rest(`/${this.namespace}/block-renderer/${name}`)
    return {
      collection: { href: this.href() },
      self: { href: this.href(name) },
      up: { href: this.href(name.slice(0, name.indexOf('/'))) },
      ...(callback !== null && {
        [branding.relation('render-block')]: { href: `${renderer}${renderer.includes('?') ? '&' : '?'}context=edit` },
      }),
    }
  }

  protected itemSchema(): ItemSchema {
    const shown = ['embed', 'view', 'edit']
    const property = (description: string, rest: PropertySchema): PropertySchema => ({
      description,
      context: shown,
      readonly: true,
      ...rest,
    })
    const texts: PropertySchema = { type: 'array', items: { type: 'string' }, default: [] }
    const objects: PropertySchema = { type: 'array', items: { type: 'object' }, default: [] }
    const nullable: PropertySchema = { type: ['string', 'null'], default: null }
    const nullableList: PropertySchema = { type: ['array', 'null'], items: { type: 'string' }, default: null }
    return {
      $schema: SCHEMA_DRAFT,
      title: 'block-type',
      type: 'object',
      properties: {
        api_version: property('Version of the block API that it is written for.', { type: 'integer' }),
        title: property('Human-readable title.', { type: 'string', default: '' }),
        name: property('Namespace and name.', { type: 'string', default: '' }),
        description: property('What it is for.', { type: 'string', default: '' }),
        icon: property('Icon in the editor.', nullable),
        attributes: property('Schemas of its attributes, by name.', {
          type: ['object', 'null'],
          additionalProperties: { type: 'object' },
          default: null,
        }),
        provides_context: property('What it tells the blocks in it: names, and the attributes they stand for.', {
          type: 'object',
          additionalProperties: { type: 'string' },
          default: {},
        }),
        uses_context: property('What it uses of the blocks around it, by name.', texts),
        supports: property('What of the editor it supports.', { type: 'object', properties: {}, default: {} }),
        category: property('Category in the editor.', nullable),
        is_dynamic: property('Whether the server makes its HTML.', { type: 'boolean', default: false }),
        ...Object.fromEntries(
          HANDLES.flatMap((name) => [
            [`${name}_handles`, property(`Handles of what is loaded as ${name.replace('_', ' ')}.`, texts)],
            [name, property(`The first handle of ${name}_handles.`, nullable)],
          ]),
        ),
        styles: property('Styles to choose from.', objects),
        variations: property('Variations to choose from.', objects),
        textdomain: property('Where its translations are found.', nullable),
        parent: property('Types of blocks that it may stand in directly.', nullableList),
        ancestor: property('Types of blocks that it may stand in somewhere.', nullableList),
        keywords: property('Words that it is found by.', texts),
        example: property('An example to show.', { type: ['object', 'null'], default: null }),
      },
    }
  }
}

/** A map as clients know it: an empty one is an empty list. */
function mapOf(map: object): object {
  return Object.keys(map).length === 0 ? [] : map
}
