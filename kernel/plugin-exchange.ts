import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import type { Advisor } from './advisor.ts'
import type { SiteConfig } from './config-keys.ts'
import { withinSeconds } from './deadline.ts'
import type { Eras } from './era.ts'
import { errors } from './errors.ts'
import { isRunning, outOfOrder, withDependants, type Plan } from './dependants.ts'
import type { Hooks } from './hooks/hook.ts'
import type { HookRegistry } from './hooks/registry.ts'
import { runActionOf } from './hooks/tapable-hook.ts'
import type { Owner } from './ownership.ts'
import { configurePlugin, orderByNeeds } from './plugin-loader.ts'
import type { AnyPlugin, ConfiguredPlugin, PluginContext, RunningPlugin } from './plugin.ts'
import type { RestServer } from './rest/server.ts'
import type { ServiceRegistry } from './services.ts'
import { applyPlugin, withOwner } from './start-plugin.ts'
import { Swap } from './swap.ts'
import { suggest } from './text/suggest.ts'

/** Milliseconds that requests with the code of before may still take once the next exchange waits for them. */
const HURRY = 1000

/** The site whose plugins are exchanged. */
export interface Site {
  readonly hooks: Hooks
  readonly registry: HookRegistry
  readonly services: ServiceRegistry
  readonly log: Logger
  readonly advisor: Advisor
  /** The running plugins by slot, in the order of their start. */
  readonly running: Map<string, RunningPlugin>
  readonly config: Pick<SiteConfig, 'folder' | 'limits'>
  readonly eras: Eras
  server(this: void): RestServer | null
  /** The home URL while it listens; else null. */
  home(this: void): string | null
  contextOf(this: void, plugin: RunningPlugin): PluginContext
}

/** What an exchange comes to. */
export interface Exchanged {
  /** The plugins that were started, those that depend on others among them included, in their order. */
  readonly started: readonly string[]
  /** Resolves once all requests with the plugins of before have ended, and these are undone. Rejects with why one was not. */
  readonly gone: Promise<void>
}

/** Exchanges plugins of a running site, one exchange after the other. */
export class PluginExchange {
  readonly #site: Site
  #last: Promise<unknown> = Promise.resolve()
  #hurry: (() => void) | null = null
  #gone: Promise<void> = Promise.resolve()
  #swap: Swap | null = null
  #isClosed = false
  /** The running plugins before the exchange under way, and those that come or stay, as far as they have started. */
  #before: ReadonlyMap<string, RunningPlugin> = new Map()
  #next = new Map<string, RunningPlugin>()
  /** Those of the start, or of the last exchange, whether they have started or not. */
  #placed: Iterable<ConfiguredPlugin> = []

  constructor(site: Site) {
    this.#site = site
  }

  /** The plugins that the running code is to think are there. */
  get seen(): ReadonlyMap<string, RunningPlugin> {
    if (this.#swap === null) return this.#site.running
    return this.#swap.showsArriving ? this.#next : this.#before
  }

  /** The same, with those that are still to be started. */
  get placed(): Iterable<ConfiguredPlugin> {
    return this.#swap === null || this.#swap.showsArriving ? this.#placed : this.#before.values()
  }

  /** Says what is to be started. */
  set placed(plugins: readonly ConfiguredPlugin[]) {
    this.#placed = plugins
  }

  /** Exchanges nothing any more, and waits until the plugins of before are undone. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#settle()
  }

  async #settle(): Promise<void> {
    this.#hurry?.()
    await this.#gone.catch(() => {})
  }

  #refuseWhenClosed(): void {
    if (this.#isClosed) throw new Error('The site is being stopped: no plugin is exchanged any more.')
  }

  /** @throws PLUGIN_NAME_TAKEN, the errors of `exchange` */
  add(definition: AnyPlugin, options: Record<string, unknown>): Promise<Exchanged> {
    const plugin = this.#configure(definition.name, definition, options)
    return this.#inTurn(() => {
      if (this.#site.running.has(plugin.slot)) throw errors.PLUGIN_NAME_TAKEN(plugin.slot)
      return { leaving: [], arriving: [plugin] }
    })
  }

  /** @throws PLUGIN_UNKNOWN, the errors of `exchange` */
  remove(slot: string): Promise<Exchanged> {
    return this.#inTurn(() => ({ leaving: [this.#find(slot).slot], arriving: [] }))
  }

  /** @throws PLUGIN_UNKNOWN, the errors of `exchange` */
  reload(slot: string, definition?: AnyPlugin, options?: Readonly<Record<string, unknown>>): Promise<Exchanged> {
    return this.#inTurn(() => {
      const running = this.#find(slot)
      const { replaces } = running
      const next = this.#configure(slot, definition ?? running.definition, { ...(options ?? running.given) })
      return { leaving: [slot], arriving: [replaces === undefined ? next : { ...next, replaces }] }
    })
  }

  /** Has those run that a config asks for, in its order, of which those go on that are the same. @throws the errors of `exchange` */
  follow(placed: readonly ConfiguredPlugin[]): Promise<Exchanged> {
    return this.#inTurn(() => {
      const { running } = this.#site
      const order = placed.map(({ slot }) => slot)
      const kept = new Set(order)
      const moved = outOfOrder(order, [...running.keys()])
      const arriving = placed.filter(({ slot, definition, options }) => {
        const now = running.get(slot)
        return moved.has(slot) || now?.definition !== definition || !isDeepStrictEqual(now.options, options)
      })
      return { leaving: [...running.keys()].filter((slot) => !kept.has(slot)), arriving, order }
    })
  }

  #configure(slot: string, definition: AnyPlugin, options: Record<string, unknown>): ConfiguredPlugin {
    return configurePlugin(slot, definition, options, this.#site.config.folder)
  }

  #find(slot: string): RunningPlugin {
    const { running } = this.#site
    const found = running.get(slot)
    if (found === undefined) throw errors.PLUGIN_UNKNOWN(slot, suggest(slot, running.keys()))
    return found
  }

  /**
   * Exchanges plugins, and starts those anew that depend on them. Requests see all of them as they were or all of them as
   * they will be. Where one fails, nothing has happened.
   * @param plan of what runs once it is its turn
   * @throws PLUGIN_NEED_MISSING, PLUGIN_LACKS, the errors of `orderByNeeds`, what the plugins throw
   */
  #inTurn(plan: () => Plan): Promise<Exchanged> {
    const turn = this.#last.then(async () => {
      await this.#settle()
      this.#refuseWhenClosed()
      return this.#exchange(plan())
    })
    this.#last = turn.catch(() => {})
    return turn
  }

  async #exchange(plan: Plan): Promise<Exchanged> {
    const { running, registry, services, log, advisor } = this.#site
    const all = withDependants([...running.values()], plan)
    const ordered = orderByNeeds(all.next)
    const leaving = [...running.values()].filter(({ slot }) => all.moved.has(slot))
    const swap = new Swap(this.#site.eras)
    this.#swap = swap
    this.#before = new Map(running)
    this.#next = new Map()
    this.#placed = ordered
    for (const [place, plugin] of ordered.entries()) {
      if (!isRunning(plugin)) continue
      plugin.owner.place = place
      swap.stay(plugin.owner)
      this.#next.set(plugin.slot, plugin)
    }
    for (const { owner } of leaving) swap.leave(owner)
    registry.compile(registry.swapped())
    services.clearViews()
    const arriving: RunningPlugin[] = []
    try {
      for (const [place, plugin] of ordered.entries()) {
        if (isRunning(plugin)) continue
        const started = withOwner(plugin, place, advisor.collisionsOf(plugin.definition.name))
        swap.arrive(started.owner)
        arriving.push(started)
        this.#next.set(plugin.slot, started)
        await applyPlugin(started, registry, services, this.#site.contextOf(started))
      }
      await swap.run(() => this.#prepare(arriving))
      this.#refuseWhenClosed()
    } catch (error) {
      for (const { owner, slot } of arriving.toReversed())
        await owner.remove().catch((err: unknown) => log.error({ err, plugin: slot }, 'a plugin could not be undone'))
      const swapped = registry.swapped()
      await swap.abandon()
      this.#placed = [...running.values()]
      this.#close(swapped)
      throw error
    }
    this.#next = new Map(ordered.map(({ slot }) => [slot, this.#next.get(slot)!]))
    // From here to the return nothing waits: nobody sees a part of it.
    const drained = swap.take()
    running.clear()
    for (const [slot, plugin] of this.#next) running.set(slot, plugin)
    this.#site.server()?.reset()
    this.#gone = this.#undo(swap, leaving, drained)
    // Whoever does not wait for it is told by the log.
    this.#gone.catch((err: unknown) => log.error({ err }, 'a plugin could not be undone'))
    const gone = this.#gone
    await swap.run(() => this.#listening(arriving))
    return { started: arriving.map(({ slot }) => slot), gone }
  }

  /** Makes what comes ready to take over: all that can fail does so here. */
  async #prepare(arriving: readonly RunningPlugin[]): Promise<void> {
    const { advisor, hooks, registry, running, services } = this.#site
    const [server, home] = [this.#site.server(), this.#site.home()]
    const isSame = (slot: string) => running.get(slot)?.definition === this.#next.get(slot)?.definition
    const isThere = (declarer: Owner) =>
      [...running.values()].some(({ owner, slot }) => owner === declarer && this.#next.has(slot))
    const [service] = services.lacking((slot) => this.#next.has(slot), isSame)
    if (service !== undefined) throw errors.PLUGIN_LACKS(`the service ${service.name}`, service.plugins.join(', '))
    const [hook] = registry.lacking(isThere)
    if (hook !== undefined) throw errors.PLUGIN_LACKS(`the hook ${hook.name}`, hook.plugins.join(', '))
    if (server === null) return
    await server.initialise()
    advisor.checkPlugins([...this.#next.values()], registry, (name) => services.get(name))
    advisor.checkRegistrations(hooks, registry)
    // The table of routes is made when it is first asked for.
    void server.routes
    if (home === null) return
    for (const { owner } of arriving) await runActionOf(hooks.server_starting, (one) => one === owner, home)
  }

  async #listening(arriving: readonly RunningPlugin[]): Promise<void> {
    const { hooks, log } = this.#site
    const home = this.#site.home()
    if (home === null) return
    for (const { owner, definition } of arriving) {
      const late = () => errors.PLUGIN_LATE(definition.name, 'hook server_listening', owner.deadline)
      const taps = runActionOf(hooks.server_listening, (one) => one === owner, home)
      await withinSeconds(taps, owner.deadline, late).catch((err: unknown) =>
        log.error({ err, plugin: definition.name }, 'a plugin failed as the server listens'),
      )
    }
  }

  /** Undoes what went, last started first, once all requests have ended that began with it. */
  async #undo(swap: Swap, leaving: readonly RunningPlugin[], drained: Promise<void>): Promise<void> {
    const { hooks, registry, config } = this.#site
    await this.#wait(drained, config.limits.time)
    const home = this.#site.home()
    const failures: unknown[] = []
    for (const { owner, definition } of leaving.toReversed()) {
      const stop = async () => {
        if (home !== null) await runActionOf(hooks.server_stopping, (one) => one === owner)
      }
      const late = () => errors.PLUGIN_LATE(definition.name, 'its removal', owner.deadline)
      for (const work of [() => owner.run(stop), () => owner.remove()])
        await withinSeconds(work(), owner.deadline, late).catch((error: unknown) => failures.push(error))
    }
    const swapped = registry.swapped()
    await swap.finish().catch((error: unknown) => failures.push(error))
    this.#close(swapped)
    if (failures.length > 0) throw failures[0]
  }

  async #wait(drained: Promise<void>, time: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, time)
      this.#hurry = () => {
        clearTimeout(timer)
        timer = setTimeout(resolve, Math.min(time, HURRY))
      }
    })
    await Promise.race([drained, late])
    clearTimeout(timer)
    this.#hurry = null
  }

  #close(swapped: ReturnType<HookRegistry['swapped']>): void {
    this.#swap = null
    this.#before = new Map()
    this.#next = new Map()
    this.#site.registry.compile(swapped)
    this.#site.services.clearViews()
  }
}
