import { definePlugin, RestResponse, type AnyPlugin, type EndpointGroup, type RestRequest } from '../../kernel/index.ts'
import { serve, type ServeOptions, type Site } from './site.ts'

/** A shop whose stock is not in the database, to test how a third-party plugin uses the response cache. */
export interface Shop extends Site {
  /** Number of calls of each route's handler. */
  readonly calls: Record<string, number>
  /** Requests a route. Returns the cache status and the response. */
  getRoute(
    route: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ cache: string | null; text: string; response: Response }>
  /** Requests a route several times in sequence. Returns the cache statuses. */
  cacheStatuses(route: string, times: number, headers?: Readonly<Record<string, string>>): Promise<(string | null)[]>
  /** Changes the stock. */
  sell(tag?: string): void
}

/** The handler of a route, called with the number of its calls. */
export type Sale = (request: RestRequest, calls: number) => unknown

/** Serves a shop with routes below `/shop/v1`. By default each response depends on the tag `stock:7`. */
export async function openShop(
  routes: Record<string, Sale | (Partial<EndpointGroup> & { sale?: Sale })> = { stock: () => ({}) },
  options: ServeOptions & { others?: readonly AnyPlugin[] } = {},
): Promise<Shop> {
  const calls: Record<string, number> = {}
  const shop = definePlugin({
    name: 'shop',
    apply({ hooks }) {
      hooks.rest_api_init.tap('shop', (server) => {
        for (const [route, definition] of Object.entries(routes)) {
          const { sale = () => ({}), ...group } = typeof definition === 'function' ? { sale: definition } : definition
          calls[route] = 0
          server.registerRoute('shop/v1', route, {
            permission_callback: () => true,
            cache: true,
            ...group,
            callback: async (request) => {
              const count = (calls[route]! += 1)
              request.dependsOn('stock:7')
              const result = await sale(request, count)
              return result instanceof RestResponse ? result : { made: count, ...(result as object) }
            },
          })
        }
      })
    },
  })
  const { others = [], ...rest } = options
  const site = await serve({ ...rest, add: [shop, ...others] })
  const cacheOf = (response: Response) => response.headers.get('x-svc-cache')
  const getRoute: Shop['getRoute'] = async (route, headers = {}) => {
    const response = await site.get(`/shop/v1/${route}`, headers)
    return { cache: cacheOf(response), text: await response.text(), response }
  }
  return {
    ...site,
    calls,
    getRoute,
    cacheStatuses: async (route, times, headers) => {
      const caches: (string | null)[] = []
      for (let time = 0; time < times; time += 1) caches.push((await getRoute(route, headers)).cache)
      return caches
    },
    sell: (tag = 'stock:7') => void site.kernel.services.changes.touch([tag]),
  }
}
