import { errors } from './errors.ts'
import type { Advice } from './advice.ts'
import { noBodies, type BodyReader } from './http/bodies.ts'
import type { HttpServices } from './http/http-server.ts'
import { noLimits, type RequestLimits } from './http/limits.ts'
import { noPages, type PageFinder } from './http/pages.ts'
import { noRequestHooks, type RequestHooks } from './http/request-hooks.ts'
import { OwnedMap } from './owned-map.ts'
import type { ArgumentChecker } from './rest/arguments.ts'
import { noArguments } from './rest/check-request.ts'
import { unconditional, type ConditionalRequests } from './rest/conditional.ts'
import { shown } from './text/shown.ts'
import type { FormerNames, RunningPlugin, Services } from './plugin.ts'

/** The services that plugins provide to each other. */
export class ServiceRegistry {
  readonly #provided = new OwnedMap<{ readonly service: unknown; readonly slot: string }>('service')
  readonly #formerNames: FormerNames
  readonly #advice: Advice

  constructor(formerNames: FormerNames, advice: Advice) {
    this.#formerNames = formerNames
    this.#advice = advice
  }

  /** Returns the service with a name; undefined if no plugin provides it. */
  get(name: string): unknown {
    return (this.#provided.get(name) ?? this.#provided.get(this.#formerNames.service(name, 'a program')))?.service
  }

  /** The service `arguments`, or its stand-in while no plugin provides it. */
  get arguments(): ArgumentChecker {
    return (this.get('arguments') as ArgumentChecker | undefined) ?? noArguments
  }

  /** The service `conditional`, or its stand-in while no plugin provides it. */
  get conditional(): ConditionalRequests {
    return (this.get('conditional') as ConditionalRequests | undefined) ?? unconditional
  }

  /** The services that the HTTP server uses, or their stand-ins. */
  get ofHttp(): HttpServices {
    return {
      limits: (this.get('limits') as RequestLimits | undefined) ?? noLimits,
      bodies: (this.get('bodies') as BodyReader | undefined) ?? noBodies,
      requestHooks: (this.get('requestHooks') as RequestHooks | undefined) ?? noRequestHooks,
      siteRequests: (this.get('siteRequests') as PageFinder | undefined) ?? noPages,
    }
  }

  /** Provides a service until the plugin is removed. @throws SERVICE_TAKEN, PLUGIN_INVALID */
  provide({ definition, slot }: RunningPlugin, writtenName: string, service: unknown): void {
    const name = this.#formerNames.service(writtenName, definition.name, slot)
    const mistake =
      typeof name !== 'string' || name === '' ? shown(name) : service === undefined ? `${name} as undefined` : null
    if (mistake !== null)
      throw errors.PLUGIN_INVALID(definition.name, `provides ${mistake}: write provide('name', service)`)
    const provider = this.#provided.ownerOf(name)
    if (provider !== undefined) throw errors.SERVICE_TAKEN(definition.name, name, provider)
    this.#provided.set(name, { service, slot })
  }

  /**
   * Returns the services that a plugin can use: its own, and those of plugins in `needs`, `after` and `uses`. A service
   * becomes a plain property at its first use.
   * @throws (from its properties) SERVICE_MISSING, SERVICE_NOT_NEEDED, PLUGIN_INVALID
   */
  viewFor({ definition, slot, owner }: RunningPlugin): Services {
    const { name: plugin, needs = [], after = [], uses = [] } = definition
    const allowed = new Set([slot, ...needs, ...after, ...uses])
    const unused = new Proxy(Object.prototype, {
      get: (_, property) => {
        if (typeof property !== 'string') return undefined
        const name = this.#provided.has(property) ? property : this.#formerNames.service(property, plugin)
        const provider = this.#provided.ownerOf(name)
        if (provider === undefined)
          throw errors.SERVICE_MISSING(plugin, name, this.#advice.missingService(name, this.#provided.keys()))
        const { service: provided, slot: from } = this.#provided.get(name)!
        const service = owner.trusted ? provided : serviceFor(provided, plugin)
        if (!allowed.has(from)) throw errors.SERVICE_NOT_NEEDED(plugin, name, from)
        Object.defineProperty(view, name, { value: service, configurable: true, enumerable: true })
        return service
      },
      set: (_, name) => {
        throw errors.PLUGIN_INVALID(plugin, `sets services.${String(name)}: write provide('${String(name)}', service)`)
      },
    })
    const view = Object.create(unused) as Services
    return view
  }
}

/** Returns the service as the plugin sees it: the result of its method `forPlugin`, if it has one, else the service. */
function serviceFor(service: unknown, plugin: string): unknown {
  const { forPlugin } = Object(service) as { forPlugin?: unknown }
  return typeof forPlugin === 'function' ? (forPlugin as (name: string) => unknown)(plugin) : service
}
