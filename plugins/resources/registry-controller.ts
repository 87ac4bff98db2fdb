import {
  type Arguments,
  type Awaitable,
  type RestRequest,
  type Link,
  RestResponse,
  type PermissionCheck,
  type RestServer,
} from '../../kernel/index.ts'
import { Controller } from './controller.ts'
import type { PropertySchema } from './item-schema.ts'

/** What names an item in its URL. */
export interface ItemKey {
  /** The argument that has the name, such as `taxonomy`. */
  readonly name: string
  readonly description: string
  /** The names that a URL may have, as a regular expression; by default letters, digits, `_` and `-`. */
  readonly pattern?: string
}

/**
 * The routes of what plugins register under names: all of it, and one item by its name. They only read. A subclass
 * says which items there are, and who may see them. Responses are stored until something is registered or removed, and
 * until a tag changes of what `listed` and `find` read.
 */
export abstract class RegistryController<T extends { readonly name: string }> extends Controller<T> {
  protected abstract readonly key: ItemKey

  /** The items that the list shows to the current user. */
  protected abstract listed(request: RestRequest): Awaitable<readonly T[]>

  /** Whether the user may ask for the list. */
  protected abstract mayList(request: RestRequest): ReturnType<PermissionCheck>

  /**
   * The item that the URL names.
   * @throws RestError when there is none
   */
  protected abstract find(request: RestRequest): Awaitable<T>

  /** Whether the user may ask for the item that the URL names. Must return true for an item that does not exist. */
  protected abstract mayRead(request: RestRequest): ReturnType<PermissionCheck>

  override register(server: RestServer): void {
    const { name, description, pattern = '[\\w-]+' } = this.key
    const schema = () => this.publicSchema()
    server.registerRoute(this.namespace, `/${this.restBase}`, {
      0: {
        methods: 'GET',
        callback: (request) => this.list(request),
        permission_callback: (request) => this.mayList(request),
        args: this.listArguments(),
      },
      cache: true,
      schema,
    })
    server.registerRoute(this.namespace, `/${this.restBase}/(?P<${name}>${pattern})`, {
      args: { [name]: { description, type: 'string' } },
      0: {
        methods: 'GET',
        callback: async (request) => this.prepare(await this.find(request), request),
        permission_callback: (request) => this.mayRead(request),
        args: this.readArguments(),
      },
      cache: true,
      schema,
    })
  }

  /** The arguments of both routes: the context. */
  protected readArguments(): Arguments {
    return { context: this.contextParam('view') }
  }

  /** The arguments of the list; those of both routes unless a subclass adds some. */
  protected listArguments(): Arguments {
    return this.readArguments()
  }

  /** Links of an item that has items of its own below its URL: to the list, and to these items. */
  protected linksWithItems(route: string): Record<string, Link> {
    const { urls, branding } = this.plugin
    return {
      collection: { href: this.href() },
      [branding.relation('items')]: { href: urls.rest(route) },
    }
  }

  /** The list: a map of the items by their names. */
  protected async list(request: RestRequest): Promise<RestResponse> {
    const items = await this.listed(request)
    const bodies = await this.prepareList(items, request)
    // An item of which no field was asked for is an empty list, as clients know it.
    const shown = bodies.map((body) => (Object.keys(body as object).length === 0 ? [] : body))
    return new RestResponse(Object.fromEntries(items.map(({ name }, index) => [name, shown[index]])))
  }
}

/** The schema of a field that clients are shown and cannot write. */
export function shownField(
  description: string,
  type: NonNullable<PropertySchema['type']>,
  context: readonly string[],
): PropertySchema {
  return { description, type, context, readonly: true }
}
