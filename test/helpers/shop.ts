import { definePlugin, RestResponse, type AnyPlugin, type EndpointGroup, type RestRequest } from '../../kernel/index.ts'
import { serve, type ServeOptions, type Site } from './site.ts'

/** A shop whose stock is not in the database: what a plugin of others does with responses that are kept. */
export interface Shop extends Site {
  /** How often the handler of each route has run. */
  readonly made: Record<string, number>
  /** Where a GET of a route was answered from, and with what. */
  ask(
    route: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ cache: string | null; text: string; response: Response }>
  /** The same for one route several times, one after the other. */
  asks(route: string, times: number, headers?: Readonly<Record<string, string>>): Promise<(string | null)[]>
  /** Changes the stock. */
  sell(tag?: string): void
}

/** What a route of the shop does beside counting itself. */
export type Sale = (request: RestRequest, made: number) => unknown

/** Serves a shop with routes below `/shop/v1`; each depends on `stock:7` unless it does something of its own. */
export async function openShop(
  routes: Record<string, Sale | (Partial<EndpointGroup> & { sale?: Sale })> = { stock: () => ({}) },
  options: ServeOptions & { others?: readonly AnyPlugin[] } = {},
): Promise<Shop> {
  const made: Record<string, number> = {}
  const shop = definePlugin({
    name: 'shop',
    apply({ hooks }) {
      hooks.rest_api_init.tap('shop', (server) => {
        for (const [route, given] of Object.entries(routes)) {
          const { sale = () => ({}), ...group } = typeof given === 'function' ? { sale: given } : given
          made[route] = 0
          server.registerRoute('shop/v1', route, {
            permission_callback: () => true,
            cache: true,
            ...group,
            callback: async (request) => {
              const count = (made[route]! += 1)
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
  const ask: Shop['ask'] = async (route, headers = {}) => {
    const response = await site.get(`/shop/v1/${route}`, headers)
    return { cache: cacheOf(response), text: await response.text(), response }
  }
  return {
    ...site,
    made,
    ask,
    asks: async (route, times, headers) => {
      const caches: (string | null)[] = []
      for (let time = 0; time < times; time += 1) caches.push((await ask(route, headers)).cache)
      return caches
    },
    sell: (tag = 'stock:7') => void site.kernel.services.changes.touch([tag]),
  }
}
