// What a plugin is tested with: a real site in the process of the test. This project's own tests use it too.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { completeConfig, createLog, startKernel, type Kernel } from '../../kernel/host.ts'
import { definePlugin, type AnyPlugin, type CurrentUser, type PluginSetting } from '../../kernel/index.ts'
import { defaults, presets } from '../../plugins/index.ts'
import type { Store } from '../../plugins/storage/store/index.ts'

/** What a site under test differs in: config keys, and plugins beside the defaults. */
export interface ServeOptions {
  plugins?: Record<string, PluginSetting>
  /** Plugins that are there beside the defaults. */
  add?: readonly AnyPlugin[]
  /** Takes the log lines in. */
  logTo?: (line: string) => void
  [configKey: string]: unknown
}

/** A real site on a port of its own, with an empty database in memory unless told otherwise. */
export interface Site extends AsyncDisposable {
  readonly home: string
  /** Where it really listens: the home too, unless the config says otherwise. */
  readonly listening: string
  readonly kernel: Kernel
  readonly store: Store
  /** GET below the root of the REST API: `get('/svc/v2/types')`. URLs of pages begin with `home`. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>
  request(path: string, init?: RequestInit): Promise<Response>
  /** The body of a GET, whatever its status. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests say what they expect by looking at it
  json(path: string, headers?: Readonly<Record<string, string>>): Promise<any>
  /**
   * The texts of the statements that `work` makes the site execute, without reading its options: these are kept. Responses
   * and what items look like are made anew.
   */
  statements(work: () => Promise<unknown>): Promise<string[]>
}

/** Without the sample content of a new site. */
const QUIET = { 'first-run': false }

/** Starts a site that ends with its scope: `await using site = await serve()`. */
export async function serve(options: ServeOptions = {}): Promise<Site> {
  const { add = [], logTo, plugins, ...config } = options
  const values = { database: 'sqlite::memory:', log: 'silent', port: 0, plugins: { ...QUIET, ...plugins }, ...config }
  const complete = completeConfig(values, siteFolder())
  const log = createLog(complete.log, logTo && { write: logTo })
  const kernel = await startKernel({ config: complete, defaults: [...defaults, testUsers, ...add], presets, log })
  const home = await kernel.listen().catch(async (error: unknown) => {
    await kernel.close()
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
    store: kernel.services.store,
    request,
    get: (path, headers = {}) => request(path, { headers }),
    json: async (path, headers = {}) => (await request(path, { headers })).json(),
    statements: (work) => {
      kernel.server.keeper?.clear()
      kernel.server.fragments.clear()
      return statementsOf(kernel.services.store, work)
    },
    [Symbol.asyncDispose]: () => kernel.close(),
  }
}

let folder: string | undefined

/**
 * Folder that relative paths of the config start from, such as that of the uploads. One per process, deleted when the
 * process exits: other users of the machine cannot write to a folder that one user created in the temporary folder.
 */
function siteFolder(): string {
  if (folder !== undefined) return folder
  const created = mkdtempSync(join(tmpdir(), 'svc-rest-test-'))
  process.once('exit', () => rmSync(created, { recursive: true, force: true }))
  return (folder = created)
}

const HEADER = 'x-test-user'

/** Headers of a request by a user with a role, who need not log in. */
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
 * Runs `work` and returns the texts of the statements that it made the store execute. Those that read options are not
 * among them: options are kept until one of them changes, so that some requests read them and others do not.
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
