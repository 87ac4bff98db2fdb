import type { Logger } from 'pino'
import type { SecretKey, SiteConfig } from './site-config.ts'
import { noAdvice, type Advice } from './advice.ts'
import { unlessAborted } from './deadline.ts'
import { errors } from './errors.ts'
import type { Awaitable } from './awaitable.ts'
import type { Hooks } from './hooks/hook.ts'
import { HookRegistry } from './hooks/registry.ts'
import { applySyncFilter, runAction } from './hooks/run.ts'
import { kernelHooks } from './hooks.ts'
import { homeUrl, parseHost } from './http/host.ts'
import { HttpServer } from './http/http-server.ts'
import { noNotes, type RequestNotes } from './http/request-notes.ts'
import { currentOwner, Owner } from './ownership.ts'
import type { ConfiguredPlugin, FormerNames, PluginContext, RunningPlugin, Services } from './plugin.ts'
import { RestServer } from './rest/server.ts'
import { ServiceRegistry } from './services.ts'
import { applyPlugin, checkUndo } from './start-plugin.ts'
import { isTrusted } from './trust.ts'
import { Urls } from './urls.ts'
import type { Branding } from './branding.ts'
import type { WorkerPlace } from './worker-place.ts'

/** The parts of a kernel. `startKernel` of `svc-rest/host` creates them from the config. */
export interface KernelParts {
  /** The config, with this process's share of the limits. */
  readonly config: SiteConfig
  /** The config without secrets, for plugins. */
  readonly shownConfig: SiteConfig
  /** The plugins of the site, each after the plugins it needs. */
  readonly plugins: readonly ConfiguredPlugin[]
  readonly log: Logger
  readonly worker: WorkerPlace
  /** Members that the host adds to the context of each plugin. */
  readonly context?: object
  readonly branding: Branding
  readonly formerNames: FormerNames
  readonly advice?: Advice
  /** Records the requests in progress. */
  readonly requests?: RequestNotes | undefined
}

interface ListenOptions {
  readonly port: number
  readonly host: string
  readonly isShared: boolean
}

/** A running site: plugins, hooks, services and the server. */
export class Kernel {
  readonly config: SiteConfig
  readonly branding: Branding
  readonly registry: HookRegistry
  readonly urls: Urls
  readonly log: Logger
  readonly #parts: KernelParts
  readonly #advice: Advice
  readonly #failure = Promise.withResolvers<Error>()
  readonly #running = new Map<string, RunningPlugin>()
  readonly #services: ServiceRegistry
  #server: RestServer | null = null
  #port: number | null = null
  #http: HttpServer | null = null
  /** Result of the last call of `listen`. */
  #listening: Promise<string> | null = null
  #closed = false

  constructor(parts: KernelParts) {
    const { config, log, formerNames, advice = noAdvice } = parts
    this.#parts = parts
    this.config = config
    this.log = log
    this.#advice = advice
    this.#services = new ServiceRegistry(formerNames, advice)
    this.branding = parts.branding
    const logFailure = (err: Error, about: object) => this.log.error({ ...about, err }, err.message)
    this.registry = new HookRegistry(config.word, { ...kernelHooks, ...advice.hooks }, logFailure)
    this.registry.missing = advice.missingHook
    this.registry.createFamily = advice.createFamily ?? this.registry.createFamily
    const home = config.home ?? homeUrl(config.host, config.port)
    this.urls = new Urls(this.registry.hooks, this.branding, home, config.addresses)
  }

  get hooks(): Hooks {
    return this.registry.hooks
  }

  /** The REST API. `start` creates it. @throws SERVER_NOT_MADE before that */
  get server(): RestServer {
    if (this.#server === null) throw errors.SERVER_NOT_MADE()
    return this.#server
  }

  /** The port that the server listens on; null before `listen`. */
  get port(): number | null {
    return this.#port
  }

  /** Resolves with the reason when a plugin calls `giveUp`. The program that runs the kernel must then close it. */
  get givenUp(): Promise<Error> {
    return this.#failure.promise
  }

  /** All services, for programs that run the kernel, such as commands and tests. */
  get services(): Services {
    return new Proxy({} as Services, { get: (_, name) => this.#services.get(String(name)) })
  }

  /** The running plugins, in order of their start. */
  get plugins(): readonly RunningPlugin[] {
    return [...this.#running.values()]
  }

  /** Applies the plugins and creates the server. If a step fails, all plugins are removed and its error is thrown. */
  async start(): Promise<this> {
    try {
      for (const plugin of this.#parts.plugins) await this.#start(plugin)
      const { hooks, urls, branding: words, log } = this
      const Server = applySyncFilter(hooks.svc_rest_server_class, RestServer)
      this.#server = new Server({
        hooks,
        urls,
        branding: words,
        config: this.#parts.shownConfig,
        log,
        arguments: this.#services.arguments,
        conditional: this.#services.conditional,
        advice: this.#advice,
      })
      await this.#server.initialise()
    } catch (error) {
      await this.close().catch((err: unknown) => this.log.error({ err }, 'a plugin could not be removed'))
      throw error
    }
    return this
  }

  /**
   * Opens the port, runs `server_starting`, and then serves requests; requests that arrive earlier wait. If this fails,
   * the port is closed again.
   * @param isShared whether another process already serves this port. The port then opens after `server_starting`, so
   * that the other process handles requests in the meantime
   * @returns the home URL
   * @throws PORT_TAKEN, PORT_NOT_PERMITTED, HOST_NOT_AVAILABLE, PLUGIN_LATE, and errors of taps of `server_starting`
   */
  listen(port = this.config.port, host = this.config.host, isShared = false): Promise<string> {
    return (this.#listening = this.#listen({ port, host, isShared }))
  }

  async #listen(options: ListenOptions): Promise<string> {
    const http = new HttpServer(this.server, this.#parts.requests ?? noNotes, this.#services.ofHttp)
    this.#http = http
    try {
      await this.#startServing(http, options)
    } catch (error) {
      this.#port = null
      await http.stop()
      throw error
    }
    await runAction(this.hooks.server_listening, this.urls.home)
    return this.urls.home
  }

  async #startServing(http: HttpServer, { port, host: text, isShared }: ListenOptions): Promise<void> {
    const host = parseHost(text)
    if (host === null) throw errors.HOST_NOT_AVAILABLE(text)
    const checkClosed = () => {
      if (this.closed) throw new Error('The server was stopped before it was ready.')
    }
    const open = async () => {
      this.#port = await http.listen(port, host)
      checkClosed()
    }
    const { home } = this.config
    // If the system chooses the port, it is part of the home URL.
    const opensFirst = !isShared || (port === 0 && home === null)
    // Before `server_starting`, which creates a new site and prints its password: neither must happen on a taken port.
    if (opensFirst) await open()
    if (home === null) {
      this.urls.home = homeUrl(host, this.#port ?? port)
      this.server.reset()
    }
    await runAction(this.hooks.server_starting, this.urls.home)
    checkClosed()
    if (!opensFirst) await open()
    http.admit()
  }

  /** Whether `close` has been called. */
  get closed(): boolean {
    return this.#closed
  }

  /**
   * Stops accepting connections, which go to other workers, and waits without a limit until requests, imports and jobs
   * in progress have ended. `close` may be called in the meantime and does not wait for them.
   * @param left called when no idle connection is open
   */
  async finish(left = () => {}): Promise<void> {
    await this.#http?.drain(left)
    await this.#http?.stop()
    await runAction(this.hooks.server_finishing)
  }

  /**
   * Stops listening, finishes the requests in progress, and removes the plugins in reverse order of their start. All
   * plugins are removed even if some fail; the first error is thrown at the end. Waits for a `listen` in progress
   * first, for up to the time limit of a request.
   */
  async close(): Promise<void> {
    this.#closed = true
    const failures: unknown[] = []
    const attempt = async (work: () => Awaitable<void>) => {
      try {
        await work()
      } catch (error) {
        failures.push(error)
      }
    }
    const http = this.#http
    if (http !== null) {
      this.#http = null
      await http.stop()
      await unlessAborted(this.#listening, AbortSignal.timeout(this.config.limits.requestTimeout)).catch(() => {})
      await attempt(() => runAction(this.hooks.server_stopping))
    }
    for (const plugin of this.plugins.toReversed()) {
      this.#running.delete(plugin.slot)
      await attempt(() => plugin.owner.remove())
    }
    if (failures.length > 0) throw failures[0]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Applies a plugin. If it fails, `start` reverts its registrations. */
  async #start(configured: ConfiguredPlugin): Promise<void> {
    const { definition, slot } = configured
    const { name, deadline } = definition
    if (configured.isConditional === true && (await definition.startsIf?.(this.services)) === false) return
    const owner = new Owner(name, deadline, isTrusted(definition), this.#advice)
    const plugin = { ...configured, owner }
    this.#running.set(slot, plugin)
    await applyPlugin(plugin, this.registry, this.#services, this.#context(plugin))
  }

  #configFor(secrets: readonly SecretKey[]): Readonly<SiteConfig> {
    const shown = Object.fromEntries(secrets.map((key) => [key, this.config[key]]))
    return Object.freeze({ ...this.#parts.shownConfig, ...shown })
  }

  #context(plugin: RunningPlugin): PluginContext {
    const { definition, owner } = plugin
    const own: Partial<PluginContext> = {
      name: definition.name,
      hooks: this.hooks,
      services: this.#services.viewFor(plugin),
      config: this.#configFor(definition.secrets ?? []),
      branding: this.branding,
      urls: this.urls,
      log: this.log.child({ plugin: definition.name }),
      worker: this.#parts.worker,
      provide: (name, service) => this.#services.provide(plugin, name, service),
      onRemove: (undo, label = '') => {
        // The current owner may be a part of the plugin, such as a class that it registers.
        const now = currentOwner()
        checkUndo(definition.name, undo)
        void (now.root === owner ? now : owner).onRemove(undo, { kind: 'undo', name: label })
      },
      giveUp: (reason) => this.#failure.resolve(reason),
      untap: (hook, tap) => {
        const count = this.registry.untap(hook, tap)
        if (count === 0) this.#advice.nothingUntapped(definition.name, hook, tap, this.hooks)
        return count
      },
      has: (name) => this.#running.has(this.#parts.formerNames.plugin(name, definition.name)),
    }
    Object.defineProperty(own, 'server', { get: () => this.server, enumerable: true })
    return Object.assign(own, this.#parts.context) as PluginContext
  }
}
