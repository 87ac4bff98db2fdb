// The test kit of plugin authors: a real site in the process of the test. The tests of this project use it too.
import { completeConfig, createLog, startKernel, type Kernel } from '../../bin/config/index.ts'
import { definePlugin, type AnyPlugin, type CurrentUser } from '../../kernel/index.ts'
import type { PluginSetting } from '../../plugins/library/site-config/index.ts'
import { fragmentsOf } from '../../plugins/library/caching/index.ts'
import { defaults, presets, revisions } from '../../plugins/index.ts'
import type { Store } from '../../plugins/storage/store/index.ts'
import { withTables } from './database-image.ts'
import { dispatch, type InjectOptions } from './inject.ts'
import { choosePlugins } from './choose-plugins.ts'
import { printLogLine } from './print-log-line.ts'
import { createSiteFolder } from './site-folder.ts'

export type { InjectOptions } from './inject.ts'

/** Options of a site under test: the ones below, and every config key. */
export interface ServeOptions {
  /** Options of plugins by name; false switches one off. */
  plugins?: Record<string, PluginSetting>
  /** Plugins to start in addition to the default ones. */
  add?: readonly AnyPlugin[]
  /**
   * Names of the default plugins to start, in addition to the ones that `plugins` configures. The plugins that these
   * and `add` need start, too. By default, all start. A site with a few plugins starts several times faster. `as` needs
   * `roles`.
   */
  only?: readonly string[]
  /** Receives the log lines, each a JSON object. By default, warnings and errors are printed to stderr. */
  logTo?: (line: string) => void
  /** Folder for relative paths and uploads. By default, a temporary folder that is removed with the site. */
  folder?: string
  [configKey: string]: unknown
}

/** A real site on a free port, with an empty database in memory unless the options name another one. */
export interface Site extends AsyncDisposable {
  readonly home: string
  /** URL at which the server listens: `home`, unless the config sets another home URL. */
  readonly listening: string
  readonly kernel: Kernel
  readonly store: Store
  /** Sends a GET request for a path of the REST API, `get('/svc/v2/types')`, or for a full URL of the site. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>
  request(path: string, init?: RequestInit): Promise<Response>
  /** Returns the parsed body of a GET request of any status. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests assert on its parts
  json(path: string, headers?: Readonly<Record<string, string>>): Promise<any>
  /**
   * Dispatches a request to the REST API without a connection: authentication, route, arguments, permission, handler
   * and the filters after it. Several times faster than `request`.
   * @param path path of the route with an optional query: `inject('/svc/v2/posts?per_page=1')`
   */
  inject(path: string, options?: InjectOptions): Promise<Response>
  /**
   * Returns the SQL statements that the site executes during `work`, except reads of options, which are cached. Clears
   * cached responses and items first.
   */
  statements(work: () => Promise<unknown>): Promise<string[]>
}

/** Sites under test have no sample content. */
const WITHOUT_SAMPLE = { 'first-run': false }

/** Starts a site that stops at the end of its scope: `await using site = await serve()`. */
export async function serve(options: ServeOptions = {}): Promise<Site> {
  const { add = [], only, logTo, plugins, folder: named, ...config } = options
  const pluginSettings = { ...WITHOUT_SAMPLE, ...plugins }
  const { started, settings } =
    only === undefined
      ? { started: defaults, settings: pluginSettings }
      : choosePlugins(defaults, only, pluginSettings, add)
  const folder = named === undefined ? createSiteFolder() : { path: named, remove: () => {} }
  const values = {
    database: 'sqlite::memory:',
    // Some plugins mention others that `only` leaves out, which would log warnings.
    log: only === undefined ? 'warn' : 'error',
    port: 0,
    plugins: settings,
    ...config,
  }
  const complete = completeConfig(values, folder.path)
  const log = createLog(complete.log, { write: logTo ?? printLogLine })
  const kernelOptions = { config: complete, defaults: [...started, testUsers, ...add], presets, revisions, log }
  const kernel = await withTables(defaults, complete.database, () => startKernel(kernelOptions))
  const close = () => kernel.close().finally(() => folder.remove())
  const home = await kernel.listen().catch(async (error: unknown) => {
    await close()
    throw error
  })
  const listening = config['home'] === undefined ? home : `http://127.0.0.1:${kernel.port}`
  const root = `${listening}/${kernel.branding.prefix}`
  const request = (path: string, init: RequestInit = {}) =>
    fetch(path.startsWith('http') ? path : `${root}${path}`, { redirect: 'manual', ...init })
  return {
    home: kernel.urls.home,
    listening,
    kernel,
    get store() {
      return kernel.services.store
    },
    request,
    get: (path, headers = {}) => request(path, { headers }),
    json: async (path, headers = {}) => (await request(path, { headers })).json(),
    inject: (path, injectOptions) => dispatch(kernel.server, path, injectOptions),
    statements: (work) => {
      kernel.server.httpCache?.clear()
      fragmentsOf(kernel.server).clear()
      return statementsOf(kernel.services.store, work)
    },
    [Symbol.asyncDispose]: close,
  }
}

const HEADER = 'x-test-user'

/** Returns headers that log in a user with this role. They only work on sites under test. */
export function as(role: string, id = 100): Record<string, string> {
  return { [HEADER]: `${id}:${role}` }
}

const testUsers = definePlugin({
  name: 'test-people',
  after: ['roles'],
  apply({ hooks, services, has }) {
    if (!has('roles')) return
    const { roles } = services
    hooks.determine_current_user.tap({ name: 'test-people', stage: 100, dependsOn: 'nothing' }, (user, request) => {
      const [id, role] = request.headers.get(HEADER)?.split(':') ?? []
      if (role === undefined) return user
      return {
        ...user,
        id: Number(id),
        roles: [role],
        capabilities: roles.capabilitiesOf([role]),
      } satisfies CurrentUser
    })
  },
})

/**
 * Returns the SQL statements that the store executes during `work`, except reads of options: options are cached until
 * one changes, so only some requests read them.
 */
export async function statementsOf(store: Store, work: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = []
  const stop = store.onStatement(({ sql }) => {
    if (!sql.includes('from "options"')) statements.push(sql)
  })
  try {
    await work()
  } finally {
    stop()
  }
  return statements
}
