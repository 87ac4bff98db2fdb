import { parseQuery, RestRequest, type CurrentUser, type PluginContext } from '../../../../../kernel/index.ts'
import { isObject, type OldObject } from '../values.ts'

/** A response of this site. */
export interface HereResponse {
  readonly body: unknown
  readonly total: number | null
}

/** Reads routes of this site with the rights of an administrator. */
export class HereReader {
  readonly #plugin: PluginContext
  readonly #user: CurrentUser

  private constructor(plugin: PluginContext, user: CurrentUser) {
    this.#plugin = plugin
    this.#user = user
  }

  static async open(plugin: PluginContext): Promise<HereReader> {
    const { roles, users } = plugin.services
    const { items } = await users.query({ roles: [ADMINISTRATOR], orderBy: 'id', order: 'asc', offset: 0, limit: 1 })
    // A site without an administrator is read as one, too: the command has full access to the database.
    const id = items[0]?.id ?? Number.MAX_SAFE_INTEGER
    const capabilities = roles.capabilitiesOf([ADMINISTRATOR])
    return new HereReader(plugin, { id, roles: [ADMINISTRATOR], capabilities })
  }

  /** Returns the response of a route; null if it fails. @param path below the main namespace, or a complete path */
  async get(path: string, query: Readonly<Record<string, string | number>> = {}): Promise<HereResponse | null> {
    const { branding, server } = this.#plugin
    const route = path.startsWith('/') ? path : `/${branding.namespace('v2')}/${path}`
    const pairs = Object.entries(query).map(([name, value]) => [name, String(value)])
    const search = new URLSearchParams(Object.fromEntries(pairs) as Record<string, string>)
    const request = new RestRequest('GET', route, { query: parseQuery(search.toString()) })
    request.user = this.#user
    request.isIdentified = true
    const response = await server.dispatch(request)
    if (response.isError) return null
    const total = response.headers.get(branding.header('Total'))
    const body = JSON.parse(JSON.stringify(server.responseToData(response))) as unknown
    return { body, total: total === null || total === undefined ? null : Number(total) }
  }

  /** Returns the objects of a list by ID. */
  async byId(path: string, query: Readonly<Record<string, string | number>>): Promise<Map<number, OldObject>> {
    const response = await this.get(path, query)
    const objects = Array.isArray(response?.body) ? response.body.filter((one) => isObject(one)) : []
    return new Map(objects.map((object) => [Number(object['id']), object]))
  }
}

const ADMINISTRATOR = 'administrator'
