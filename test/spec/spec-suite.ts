import { suite, type Test } from 'uvu'
import { definePlugin, RestError, RestResponse, type Arguments, type EndpointGroup } from '../../kernel/index.ts'
import { serve, type ServeOptions, type Site } from '../helpers/site.ts'

/** The suite of a section of the specification, and the sites that its tests share. */
export interface SpecSuite {
  readonly spec: Test
  /** Returns the site with a config, which the first test that needs it starts. */
  readonly siteOf: (options?: ServeOptions) => Promise<Site>
}

/** Creates the suite of a section. Its sites stop at the end. */
export function specSuite(section: string): SpecSuite {
  const sites = new Map<string, Promise<Site>>()
  const spec = suite(`specification ${section}`)
  const siteOf = (options: ServeOptions = {}): Promise<Site> => {
    const key = JSON.stringify(options)
    const existing = sites.get(key)
    if (existing !== undefined) return existing
    const site = serve({ add: [things], ...options })
    sites.set(key, site)
    return site
  }
  spec.after(async () => {
    for (const site of sites.values()) await (await site)[Symbol.asyncDispose]()
  })
  return { spec, siteOf }
}

/** Arguments with every rule of section 7. */
export const ARGS: Arguments = {
  count: { type: 'integer', minimum: 1, maximum: 9 },
  size: { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
  above: { type: 'integer', minimum: 1 },
  below: { type: 'integer', maximum: 9, exclusiveMaximum: true },
  over: { type: 'integer', minimum: 1, exclusiveMinimum: true },
  under: { type: 'integer', maximum: 9 },
  list: { type: 'array', items: { type: 'integer' } },
  either: { type: ['integer', 'boolean'] },
  nothing: { type: 'null' },
  map: {
    type: 'object',
    properties: { a: { type: 'integer' } },
    additionalProperties: false,
  },
  open: { type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: { type: 'boolean' } },
  colour: { type: 'string', enum: ['red', 'blue'] },
  flag: { type: 'boolean' },
  text: { type: 'string' },
  at: { type: 'string', format: 'date-time' },
  mail: { type: 'string', format: 'email' },
  address: { type: 'string', format: 'ip' },
  link: { type: 'string', format: 'uri' },
}

/** The item of the route `/things/v1/item`. */
export const ITEM = { id: 1, name: 'A', nested: { a: 1, b: { c: 2, d: 3 } } }

const open = { permission_callback: () => true }

/** Routes of a third-party plugin, because default plugins check their arguments by the current rules in every revision. */
const things = definePlugin({
  name: 'things',
  uses: ['deprecation'],
  apply({ hooks, services, has }) {
    hooks.rest_api_init.tap('things', (server) => {
      const add = (route: string, groups: EndpointGroup | EndpointGroup[]) =>
        server.registerRoute('things/v1', route, groups)
      add('item', { ...open, callback: () => ITEM })
      add('list', { ...open, callback: () => [ITEM, { ...ITEM, id: 2 }] })
      add('echo/(?P<id>[a-z]+)', {
        ...open,
        methods: 'GET, POST',
        args: ARGS,
        callback: (request) => ({ id: request.get('id'), method: request.method, params: request.params() }),
      })
      add('linked', {
        ...open,
        callback: () => {
          const response = new RestResponse({ id: 1 })
          for (const relation of ['one', 'two']) {
            response.addLink(relation, server.urls.rest('/things/v1/item'), { embeddable: true })
          }
          return response
        },
      })
      add('guarded', [
        { ...open, callback: () => 'read' },
        { methods: 'post', permission_callback: ({ user }) => user.id > 0, callback: () => 'written' },
        { methods: 'PUT', permission_callback: () => 1 as never, callback: () => null },
        { methods: 'PATCH', callback: () => null },
        { methods: 'DELETE', permission_callback: () => false, callback: () => null },
      ])
      add('closed', { permission_callback: () => false, callback: () => null })
      add('who', { ...open, callback: ({ user }) => ({ user: user.id }) })
      add('response', { ...open, callback: () => new RestResponse({ made: true }, 201) })
      add('error', { ...open, callback: () => new RestError('things_bad', 'Bad.', { status: 418 }) })
      add('handlerless', { ...open, callback: null })
      add('value', { ...open, callback: () => 'text' })
      add('old', {
        ...open,
        callback: () => {
          if (!has('deprecation')) return null
          services.deprecation.deprecatedFunction('get_old', '4.7', 'get_new')
          services.deprecation.deprecatedFunction('get_older', '4.6')
          services.deprecation.deprecatedParam('/things/v1/old', '5.0', 'Use b.')
          services.deprecation.deprecatedParam('/things/v1/older', '5.0')
          return null
        },
      })
    })
  },
})

/** Revisions from the earliest one to another one. */
export const BEFORE = {
  '4.7': ['4.4'],
  '4.8': ['4.4', '4.7'],
  '5.0': ['4.4', '4.7', '4.8'],
  '5.3': ['4.4', '4.7', '4.8', '5.0'],
  '5.4': ['4.4', '4.7', '4.8', '5.0', '5.3'],
} as const

/** Sends parameters to the route `/things/v1/echo/x` as JSON. @returns the status, and parameters or errors by name */
export async function echo(site: Site, params: Record<string, unknown>) {
  const response = await site.request('/things/v1/echo/x', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(params),
  })
  const body = (await response.json()) as {
    params?: Record<string, unknown>
    code?: string
    data?: { params: Record<string, string>; details?: Record<string, { code: string }> }
  }
  return { status: response.status, ...body }
}
