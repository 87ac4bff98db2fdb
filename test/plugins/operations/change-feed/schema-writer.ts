import { endpointsOf, type Endpoint } from '../../../audit/cases.ts'
import { createRandom, type Random } from '../../../audit/random.ts'
import { Values } from '../../../audit/values.ts'
import type { RandomWrite } from '../../../helpers/random-site.ts'
import type { SiteWithUsers } from '../../../helpers/site-with-users.ts'

/** Maximum characters of a text, and items of a list. */
const MAX_LENGTH = 40
/** Routes that create objects no visitor sees, or that would end the test. */
const LEFT_OUT = /\/(?:webhooks|batch|application-passwords|plugins|abilities|run|me)\b/
/** Arguments that control the response. */
const OF_REQUESTS = /^_|^(?:rest_route|context|id|page|per_page|offset)$/

/** Generates writes from the schemas of the REST index: any argument of any route that changes a single object. */
export class SchemaWriter {
  readonly #site: SiteWithUsers
  readonly #random: Random
  readonly #endpoints: readonly Endpoint[]

  private constructor(site: SiteWithUsers, seed: number, endpoints: readonly Endpoint[]) {
    this.#site = site
    this.#random = createRandom(seed, 1)
    this.#endpoints = endpoints
  }

  /** Reads the index of a site as an administrator. */
  static async open(site: SiteWithUsers, seed: number): Promise<SchemaWriter> {
    const index = await (await site.get('/', site.by('admin'))).json()
    const endpoints = endpointsOf(index).filter(
      ({ method, route }) => (method === 'POST' || method === 'DELETE') && !LEFT_OUT.test(route),
    )
    return new SchemaWriter(site, seed, endpoints)
  }

  /** The next write: one or two arguments with values that their schemas allow. */
  async next(): Promise<RandomWrite> {
    const random = this.#random
    const { route, method, args } = random.pick(this.#endpoints)
    const path = await this.#pathOf(route)
    const names = Object.keys(args).filter((name) => !OF_REQUESTS.test(name))
    const required = names.filter((name) => args[name]!.required === true)
    const chosen = new Set(names.length === 0 ? [] : [...required, random.pick(names), random.pick(names)])
    const values = new Values(random, [1, 2, 3, 4, 5, 10, 20], MAX_LENGTH)
    const body = Object.fromEntries(Array.from(chosen, (name) => [name, values.valid(args[name]!)]))
    const isLast = method === 'DELETE' && /\/users\//.test(path)
    return {
      name: `${method} ${path} ${JSON.stringify(body)}`,
      run: async () => isLast || this.#site.send(method, path, body, 'admin'),
    }
  }

  /** Adds the ID of an existing object to a route, if its list has one. */
  async #pathOf(route: string): Promise<string> {
    const at = route.indexOf('/(?P<')
    if (at < 0) return route
    const list = await this.#site.get(
      `${route.slice(0, at)}?context=edit&per_page=20&status=any`,
      this.#site.by('admin'),
    )
    const objects = list.ok ? await list.json() : []
    const ids = Array.isArray(objects)
      ? objects.flatMap(({ id, name }: { id?: number; name?: string }) => id ?? name ?? [])
      : []
    const one = ids.length === 0 ? 1 : this.#random.pick(ids)
    return route.replace(/\(\?P<\w+>.*?\)(?=\/|$)/, String(one)).replaceAll(/\(\?P<\w+>.*?\)(?=\/|$)/g, '1')
  }
}
