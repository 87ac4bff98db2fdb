import {
  applySyncFilter,
  runDetached,
  type Endpoint,
  type PluginContext,
  type RestServer,
} from '../../../kernel/index.ts'
import { Controller } from '../../resources/index.ts'

/** Options of the site that the schemas of users and comments depend on. */
const NAMES = ['language', 'show_avatars'] as const
const TAGS = NAMES.map((name) => `option:${name}`)

/**
 * Values of the options that schemas depend on. Before a request is dispatched, the values are read again if this or
 * another process has changed them; schemas, routes and cached responses are then created again.
 */
export class LiveOptions {
  readonly #plugin: PluginContext
  /** Language of the site. */
  language = 'en_US'
  /** Whether the site shows avatars. */
  showsAvatars = true
  #readAt: number | null = null
  #reading: Promise<boolean> | null = null

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
    const { hooks } = plugin
    hooks.rest_pre_dispatch.tapPromise({ name: 'users', stage: -1000 }, (result, server) =>
      this.#readAt !== null && plugin.services.store.changes.unchanged(TAGS, this.#readAt)
        ? result
        : this.#update(server).then(() => result),
    )
    // Cached index documents, which list the locales, are also served without a dispatch.
    for (const hook of [hooks.rest_index, hooks.rest_namespace_index]) {
      hook.tap('users', (response, request) => {
        request.dependsOn(...TAGS)
        return response
      })
    }
    hooks.rest_endpoints.tap({ name: 'users', stage: -100 }, (routes) => {
      const locales = this.locales()
      const current = [...routes].map(([pattern, route]) => {
        if (route.owner !== 'users') return [pattern, route] as const
        return [pattern, { ...route, endpoints: route.endpoints.map((one) => withLocales(one, locales)) }] as const
      })
      return new Map(current)
    })
  }

  /** Returns the languages that users can choose; '' is the language of the site. */
  locales(): string[] {
    return [...new Set([...applySyncFilter(this.#plugin.hooks.user_locales, ['', 'en_US']), this.language])]
  }

  /** Reads the values. @returns whether one of them has changed */
  read(): Promise<boolean> {
    // Detached: other requests may wait for the same read.
    this.#reading ??= runDetached(() => this.#read()).finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async #read(): Promise<boolean> {
    const { options, store } = this.#plugin.services
    const at = store.changes.state(['options'])
    const { language, show_avatars: avatars } = await options.many(NAMES)
    const [before, showedAvatars] = [this.language, this.showsAvatars]
    this.language = typeof language === 'string' ? language : 'en_US'
    this.showsAvatars = Boolean(avatars ?? true)
    this.#readAt = at
    return before !== this.language || showedAvatars !== this.showsAvatars
  }

  async #update(server: RestServer): Promise<void> {
    if (!(await this.read())) return
    Controller.forgetSchemas(this.#plugin.hooks)
    server.reset()
  }
}

/** Returns an endpoint whose argument `locale` accepts the locales. */
function withLocales(endpoint: Endpoint, locales: readonly string[]): Endpoint {
  const { locale } = endpoint.args
  if (locale?.enum === undefined) return endpoint
  return { ...endpoint, args: { ...endpoint.args, locale: { ...locale, enum: locales } } }
}
