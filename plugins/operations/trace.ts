import { AsyncLocalStorage } from 'node:async_hooks'
import diff from 'microdiff'
import type { Logger } from 'pino'
import {
  definePlugin,
  HeaderMap,
  isThenable,
  RestResponse,
  stringifyWithoutSecrets,
  type RestRequest,
  type SitePage,
  type TapTracer,
} from '../../kernel/index.ts'

export interface TraceOptions {
  /** Whether every request is traced: a log line and `Server-Timing` tell which hooks fired and what each tap changed. */
  enabled: boolean
  /** Milliseconds that one tap may take before a warning names it; null asks no clock. */
  budget: number | null
}

/** One tap's part in a request. */
interface Step {
  hook: string
  tap: string
  plugin: string
  /** Milliseconds until it had settled. */
  ms: number
  /** What it changed of the value that passes, as `path: before → after`; absent where nothing changed. */
  changed?: string[]
  failed?: string
}

const MOST_CHANGES = 20
const MOST_TEXT = 200

/** Shows hooks at work: which fired for a request, in order, how long each tap took, and what it changed. */
export default definePlugin<TraceOptions>({
  name: 'trace',
  options: {
    enabled: { default: false, type: 'boolean' },
    budget: { default: null, type: ['number', 'null'], minimum: 0 },
  },
  apply({ hooks, log, config, traceTaps }, { enabled, budget }) {
    const tracing = enabled || config.trace
    if (!tracing && budget === null) return
    /** The steps of the request under way, which all that it awaits finds here. */
    const current = new AsyncLocalStorage<Step[]>()
    traceTaps(tracer(() => current.getStore(), budget === null ? null : clockOf(budget, log)))
    if (!tracing) return

    const byRequest = new WeakMap<RestRequest, Step[]>()
    const logSteps = (about: { request: string; route?: string | null; path?: string }, steps: readonly Step[]) =>
      log.info({ ...about, steps }, 'trace')
    hooks.determine_current_user.tap({ name: 'trace', stage: -2000 }, (user, request) => {
      const steps: Step[] = []
      byRequest.set(request, steps)
      current.enterWith(steps)
      return user
    })
    hooks.rest_pre_serve_request.tap({ name: 'trace', stage: 2000 }, (served, { request, response, raw }) => {
      const steps = byRequest.get(request) ?? []
      if (steps.length > 0) response.headers.set('Server-Timing', serverTiming(steps))
      // What is still done to the response belongs to it, so the line is written once it is sent.
      const done = () => logSteps({ request: request.id, route: request.matchedRoute }, steps)
      if (raw === null) done()
      else raw.outgoing.once('close', done)
      return served
    })
    hooks.site_headers.tap({ name: 'trace', stage: 2000 }, (headers, { id, path }) => {
      const steps = current.getStore() ?? []
      if (steps.length > 0) headers.set('Server-Timing', serverTiming(steps))
      logSteps({ request: id, path }, steps)
    })
  },
})

/** What becomes of taps that take longer than they may. */
interface Clock {
  /** Told when a tap has to wait; what it returns, when the waiting is over. */
  waiting(step: Step): () => void
  through(step: Step): void
}

/** Warns of taps that were slow, and of those that still wait when their time is up. */
function clockOf(budget: number, log: Logger): Clock {
  return {
    waiting({ hook, plugin, tap }) {
      const overdue = () => log.warn({ hook, plugin, tap, budget }, `${plugin} is not through with ${hook}`)
      const timer = setTimeout(overdue, budget).unref()
      return () => clearTimeout(timer)
    },
    through(step) {
      if (step.ms > budget) log.warn({ ...step, budget }, `${step.plugin} is slow in ${step.hook}`)
    },
  }
}

/** Runs each tap between two looks at the clock and at the value. */
function tracer(stepsNow: () => Step[] | undefined, clock: Clock | null): TapTracer {
  return (hook, plugin, tap, call, args) => {
    const steps = stepsNow()
    const step: Step = { hook, tap, plugin, ms: 0 }
    // In the order in which taps began; the rest is filled in when they are through.
    steps?.push(step)
    const before = steps === undefined ? undefined : plain(args[0], args)
    const started = performance.now()
    const end = (waited: (() => void) | undefined) => {
      step.ms = round(performance.now() - started)
      waited?.()
      clock?.through(step)
    }
    const settle = (value: unknown, waited?: () => void) => {
      end(waited)
      if (before !== undefined) {
        const changed = changes(before, plain(value === undefined ? args[0] : value, args))
        if (changed.length > 0) step.changed = changed
      }
      return value
    }
    const fail = (error: unknown, waited?: () => void): never => {
      step.failed = error instanceof Error ? error.message : String(error)
      end(waited)
      throw error
    }
    let result: unknown
    try {
      result = call()
    } catch (error) {
      return fail(error)
    }
    if (!isThenable(result)) return settle(result)
    const waited = clock?.waiting(step)
    return result.then(
      (value) => settle(value, waited),
      (error: unknown) => fail(error, waited),
    )
  }
}

/** What a tap is given that it may change: the value, and the response that comes along. */
function plain(value: unknown, args: readonly unknown[]): Record<string, unknown> {
  const along = args
    .map((arg) => (arg as { response?: unknown } | null | undefined)?.response ?? arg)
    .find((arg) => arg instanceof RestResponse)
  if (along === undefined || value instanceof RestResponse) return { value: copyOf(value) }
  return { value: copyOf(value), response: copyOf(along) }
}

/** A value as it would be written, without its secrets: a copy, so that what a tap changes in place shows. */
function copyOf(value: unknown): unknown {
  const shown =
    value instanceof RestResponse
      ? {
          status: value.status,
          headers: Object.fromEntries(value.headers),
          data: value.data,
          links: Object.fromEntries(value.links),
        }
      : isPage(value)
        ? // What a page says may be a secret as a whole: a nonce, a form with one.
          { status: value.status, headers: Object.fromEntries(value.headers), body: typeof value.body }
        : value
  try {
    return JSON.parse(stringifyWithoutSecrets(shown ?? null) ?? 'null') as unknown
  } catch {
    // Not every value can be written: those of start-up hooks are classes and servers.
    return null
  }
}

function isPage(value: unknown): value is SitePage {
  return (value as Partial<SitePage> | null)?.headers instanceof HeaderMap && 'body' in (value as object)
}

function changes(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const found = diff(before, after)
  const listed = found.slice(0, MOST_CHANGES).map((change) => {
    const [of, ...inner] = change.path
    const path = [...(of === 'value' ? [] : [of]), ...inner].join('.') || '(value)'
    const old = 'oldValue' in change ? short(change.oldValue) : 'nothing'
    const now = 'value' in change ? short(change.value) : 'nothing'
    return `${path}: ${old} → ${now}`
  })
  return found.length > listed.length ? [...listed, `and ${found.length - listed.length} more`] : listed
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text
}

/** The header that browsers' tools show: each hook with the time of its taps. */
function serverTiming(steps: readonly Step[]): string {
  const byHook = new Map<string, number>()
  for (const { hook, ms } of steps) byHook.set(hook, (byHook.get(hook) ?? 0) + ms)
  return [...byHook].map(([hook, ms]) => `${hook.replace(/[^\w.-]/g, '_')};dur=${round(ms)}`).join(', ')
}

const round = (ms: number) => Math.round(ms * 1000) / 1000
