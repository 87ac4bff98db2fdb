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

/** The argument that identifies an item in its URL. */
export interface ItemKey {
  /** Name of the argument, such as `taxonomy`. */
  readonly name: string
  /** Description of the argument for clients. */
  readonly description: string
  /** Regular expression of valid names; by default letters, digits, `_` and `-`. */
  readonly pattern?: string
  /** The expression that index documents show if it differs from `pattern`. */
  readonly shownPattern?: string
}

/**
 * Read-only controller of objects that plugins register by name: a list, and one item by its name. A subclass defines
 * the items and the permissions. Responses are cached until an object is registered or removed, or until a tag of data
 * changes that `listed` and `find` read.
 */
export abstract class RegistryController<T extends { readonly name: string }> extends Controller<T> {
  protected abstract readonly key: ItemKey

  /** Returns the items that the current user sees in the list. */
  protected abstract listed(request: RestRequest): Awaitable<readonly T[]>

  /** Returns whether the user can read the list. */
  protected abstract mayList(request: RestRequest): ReturnType<PermissionCheck>

  /**
   * Returns the item in the URL.
   * @throws RestError if it does not exist
   */
  protected abstract find(request: RestRequest): Awaitable<T>

  /** Returns whether the user can read the item in the URL. Must return true for an item that does not exist. */
  protected abstract mayRead(request: RestRequest): ReturnType<PermissionCheck>

  override register(server: RestServer): void {
    const { name, description, pattern = '[\\w-]+', shownPattern } = this.key
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
      ...(shownPattern !== undefined && { 'x-shown-route': `${this.restBase}/(?P<${name}>${shownPattern})` }),
    })
  }

  /** Arguments of both routes: the context. */
  protected readArguments(): Arguments {
    return { context: this.contextParam('view') }
  }

  /** Arguments of the list; the same as for both routes unless a subclass adds some. */
  protected listArguments(): Arguments {
    return this.readArguments()
  }

  /** Returns the links of an item that contains other items: to the list, and to these items. */
  protected linksWithItems(route: string): Record<string, Link> {
    const { urls, branding } = this.plugin
    return {
      collection: { href: this.href() },
      [branding.relation('items')]: { href: urls.rest(route) },
    }
  }

  /** Creates the list: a map of the items by name. */
  protected async list(request: RestRequest): Promise<RestResponse> {
    const items = await this.listed(request)
    const bodies = await this.prepareList(items, request)
    // An item without selected fields is an empty list, as clients expect.
    const shown = bodies.map((body) => (Object.keys(body as object).length === 0 ? [] : body))
    return new RestResponse(Object.fromEntries(items.map(({ name }, index) => [name, shown[index]])))
  }
}

/** Returns the schema of a read-only field. */
export function shownField(
  description: string,
  type: NonNullable<PropertySchema['type']>,
  context: readonly string[],
): PropertySchema {
  return { description, type, context, readonly: true }
}
