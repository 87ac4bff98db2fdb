import {
  applyFilter,
  invalidParam,
  type Arguments,
  type PluginContext,
  type RestError,
  type RestRequest,
  type RestResponse,
  type RestServer,
} from '../../../kernel/index.ts'
import { Controller, emptyAsLists, type ItemSchema, SCHEMA_DRAFT, type Selection } from '../../resources/index.ts'
import {
  LONG_TEXT_LIMITS,
  parseValue,
  sanitizeValue,
  validateValue,
  withoutRefused,
} from '../../requests/arguments/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { errors } from './errors.ts'
import type { SiteOptions } from './options.ts'
import type { Setting, Settings, ShownSetting } from './settings.ts'

/** Serves the settings as one object, whose fields plugins register, to users who can manage the site. */
export class SettingsController extends Controller<readonly ShownSetting[]> {
  readonly #settings: Settings
  readonly #options: SiteOptions

  constructor(plugin: PluginContext, settings: Settings, options: SiteOptions) {
    super(plugin, plugin.branding.namespace('v2'), 'settings', 'settings')
    this.#settings = settings
    this.#options = options
  }

  register(server: RestServer): void {
    const mayManage = ({ user }: RestRequest) => this.plugin.services.capabilities.can(user, 'manage_options')
    server.registerRoute(this.namespace, `/${this.restBase}`, {
      0: {
        methods: 'GET',
        callback: (request) => this.prepare(this.#settings.shown(), request),
        permission_callback: mayManage,
        args: {},
      },
      1: {
        methods: ['POST', 'PUT', 'PATCH'],
        callback: (request) => this.#update(request),
        permission_callback: mayManage,
        args: this.#arguments(),
      },
      schema: () => this.publicSchema(),
    })
  }

  protected async toData(shown: readonly ShownSetting[], selection: Selection): Promise<Record<string, unknown>> {
    const selected = shown.filter(({ name }) => selection.has(name))
    const values = await this.#options.many(selected.map(({ setting }) => setting.name))
    const data: Record<string, unknown> = {}
    for (const { name, setting, schema } of selected) {
      const replaced = await applyFilter(this.plugin.hooks.rest_pre_get_setting, undefined, name, setting)
      const value = withoutRefused(replaced === undefined ? (values[setting.name] ?? schema.default) : replaced, schema)
      // Stored values that their schema rejects are returned as null, because clients send values back unchanged.
      const valid = value !== null && value !== undefined && validateValue(value, schema, name) === true
      data[name] = valid ? emptyAsLists(sanitizeValue(value, schema, name)) : null
    }
    return data
  }

  /** Returns the arguments of the update route: null restores the default of any setting. */
  #arguments(): Arguments {
    const args: Arguments = {}
    for (const { name, setting, schema } of this.#settings.shown()) {
      const { default: _, ...shown } = schema
      args[name] = {
        size_limits: LONG_TEXT_LIMITS,
        ...shown,
        validate_callback: (value) => value === null || validateValue(value, schema, name),
        sanitize_callback: (value) => {
          if (value === null) return null
          const parsed = parseValue(value, schema, name)
          return setting.sanitize_callback === undefined ? parsed : setting.sanitize_callback(parsed)
        },
      }
    }
    return args
  }

  /** Stores the values of a request, all or none. */
  async #update(request: RestRequest): Promise<RestResponse> {
    const shown = this.#settings.shown().filter(({ name }) => request.hasParam(name))
    const stored = await this.#options.many(shown.map(({ setting }) => setting.name))
    for (const one of shown) {
      const refused = refusal(one, stored[one.setting.name], request.get(one.name))
      if (refused !== null) throw refused
    }
    await this.plugin.services.store.inTurn(async (tx) => {
      for (const { name, setting } of shown) {
        const value = request.get(name)
        const done = await applyFilter(this.plugin.hooks.rest_pre_update_setting, false, name, value, setting)
        if (done || setting.read !== undefined) continue
        await this.#refuseNameless(tx, name, setting, value)
        if (value === null) await this.#options.delete(setting.name)
        else await this.#options.set(setting.name, value)
      }
    })
    return this.prepare(this.#settings.shown(), request)
  }

  /** @throws rest_invalid_param if a new value refers to an object that is missing or in the trash */
  async #refuseNameless(tx: Store, name: string, { name: option, refersTo }: Setting, value: unknown): Promise<void> {
    if (refersTo === undefined || value === null || value === 0) return
    const stored = (await this.#options.fresh([option]))[option]
    if (value === stored || (await isThere(tx, refersTo, Number(value)))) return
    throw invalidParam(name, `${name} names nothing that is there.`)
  }

  protected toLinks(): Record<string, never> {
    return {}
  }

  protected itemSchema(): ItemSchema {
    const properties = Object.fromEntries(this.#settings.shown().map(({ name, schema }) => [name, schema]))
    return { $schema: SCHEMA_DRAFT, title: 'settings', type: 'object', properties }
  }
}

/** Checks whether a post of a type outside the trash, or a term of a taxonomy, exists. */
async function isThere(tx: Store, refersTo: NonNullable<Setting['refersTo']>, id: number): Promise<boolean> {
  const post = tx.db.selectFrom('posts').select('id').where('id', '=', id).where('status', '<>', 'trash')
  const term = tx.db.selectFrom('terms').select('id').where('id', '=', id)
  const named =
    'type' in refersTo ? post.where('type', '=', refersTo.type) : term.where('taxonomy', '=', refersTo.taxonomy)
  return (await tx.first<unknown>(named)) !== undefined
}

/** Returns why a setting cannot have a value that matches its schema; null if it can. */
function refusal({ name, setting, schema }: ShownSetting, stored: unknown, value: unknown): RestError | null {
  if (setting.read !== undefined) {
    if (value === null || value === stored) return null
    return invalidParam(name, `${name} follows from the config of the site: change it there.`)
  }
  // An invalid stored value is shown as null, so a returned null must not delete it.
  const hidden = stored !== undefined && stored !== null && validateValue(stored, schema, name) !== true
  return value === null && hidden ? errors.rest_invalid_stored_value(name) : null
}
