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
import { errors } from './errors.ts'
import type { SiteOptions } from './options.ts'
import type { Settings, ShownSetting } from './settings.ts'

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
        ...(setting.refersTo !== undefined && { references: { source: 'setting', of: setting.name } }),
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
    const { resources, store } = this.plugin.services
    await store.inTurn(async () => {
      // Again, because an object that a setting refers to may have been deleted since the request was checked.
      request.scope.clear()
      const unknown = await resources.refuse(request)
      if (unknown !== null) throw unknown
      for (const { name, setting } of shown) {
        const value = request.get(name)
        const done = await applyFilter(this.plugin.hooks.rest_pre_update_setting, false, name, value, setting)
        if (done || setting.read !== undefined) continue
        if (value === null) await this.#options.delete(setting.name)
        else await this.#options.set(setting.name, value)
      }
    })
    return this.prepare(this.#settings.shown(), request)
  }

  protected toLinks(): Record<string, never> {
    return {}
  }

  protected itemSchema(): ItemSchema {
    const properties = Object.fromEntries(this.#settings.shown().map(({ name, schema }) => [name, schema]))
    return { $schema: SCHEMA_DRAFT, title: 'settings', type: 'object', properties }
  }
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
