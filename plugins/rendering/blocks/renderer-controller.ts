import {
  forbidden,
  RestError,
  type ArgumentSchema,
  type PluginContext,
  type Awaitable,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import { LONG_TEXT_LIMITS, parseValue } from '../../requests/arguments/index.ts'
import type { Post } from '../../content/posts/index.ts'
import { errors } from './errors.ts'
import type { Blocks } from './service.ts'

const POST_ID: ArgumentSchema = { description: 'ID of the post that contains the block.', type: 'integer' }

/** Renders single blocks for the preview of an editor. */
export class BlockRendererController {
  readonly #plugin: PluginContext
  readonly #blocks: Blocks

  constructor(plugin: PluginContext, blocks: Blocks) {
    this.#plugin = plugin
    this.#blocks = blocks
  }

  /** Registers the route; called during `rest_api_init`. */
  register(server: RestServer): void {
    const { branding } = this.#plugin
    server.registerRoute(branding.namespace('v2'), '/block-renderer/(?P<name>[a-z0-9-]+/[a-z0-9-]+)', {
      args: { name: { description: 'Namespace and name of the block type.', type: 'string' } },
      0: {
        methods: 'GET, POST',
        callback: (request) => this.#render(request),
        permission_callback: (request) => this.#mayRender(request),
        args: {
          context: {
            description: 'Scope of the request; must be edit, so requests have to send it.',
            type: 'string',
            enum: ['edit'],
            default: 'view',
          },
          attributes: {
            description: 'Attributes of the block.',
            type: 'object',
            default: {},
            size_limits: LONG_TEXT_LIMITS,
            validate_callback: (value, request) => {
              const checked = this.#checked(value, request)
              return checked instanceof RestError ? checked : true
            },
            sanitize_callback: (value, request) => this.#checked(value, request),
          },
          // Checked after the other arguments, like the reference implementation does.
          post_id: {
            ...POST_ID,
            validate_callback: null,
            sanitize_callback: (value) => parseValue(value, POST_ID, 'post_id'),
          },
        },
      },
      schema: () => ({
        $schema: 'http://json-schema.org/schema#',
        title: 'rendered-block',
        type: 'object',
        properties: {
          rendered: { description: 'The block as HTML.', type: 'string', required: true, context: ['edit'] },
        },
      }),
    })
  }

  /** Returns the attributes parsed by the schemas of the block type, or the validation error. */
  #checked(value: unknown, request: RestRequest): unknown {
    const type = this.#blocks.getServed(String(request.captures['name']))
    if (type === undefined) return value
    const properties = type.attributes as Record<string, ArgumentSchema>
    try {
      return parseValue(value, { type: 'object', properties, additionalProperties: false }, 'attributes')
    } catch (error) {
      if (error instanceof RestError) return error
      throw error
    }
  }

  /** Returns the post named in the request; null if none is named, undefined if it does not exist. */
  #postOf(request: RestRequest): Awaitable<Post | null | undefined> {
    // Text if another argument is invalid; the permission is then checked for the `Allow` header.
    const id = Number(request.get('post_id') ?? 0)
    return id > 0 ? this.#plugin.services.posts.get(id, request.scope) : null
  }

  async #mayRender(request: RestRequest): Promise<true | RestError> {
    const { capabilities, posts } = this.#plugin.services
    const { user, scope } = request
    const post = await this.#postOf(request)
    const may =
      post === null
        ? capabilities.can(user, 'edit_posts')
        : post !== undefined && (await posts.isReadableForEditing(post, user, scope))
    return may || forbidden(request, errors.block_cannot_read)
  }

  /** @throws block_invalid */
  async #render(request: RestRequest): Promise<{ rendered: string }> {
    const type = this.#blocks.getServed(String(request.captures['name']))
    if (type?.is_dynamic !== true) throw errors.block_invalid()
    const attributes = request.get('attributes') as Record<string, unknown>
    const post = (await this.#postOf(request)) ?? null
    return { rendered: await this.#blocks.renderOne(type, attributes, post, request.scope) }
  }
}
