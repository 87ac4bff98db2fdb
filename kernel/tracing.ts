/**
 * Reports what the server does to subscribers of channels of `node:diagnostics_channel`. Without subscribers, each report
 * costs one comparison.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel, type TracingChannel } from 'node:diagnostics_channel'
import { isThenable, type Awaitable } from './awaitable.ts'
import type { Hooks } from './hooks/hook.ts'
import type { CurrentUser } from './rest/request.ts'

/** Something that takes time: what each message of the channels is. One is the same object from `start` on. */
export interface Span {
  /** What it is a part of; null for an outside request, and for what no request asked for. */
  readonly parent: Span | null
  /** What came out of it; set once it is over, unless it failed. */
  result?: unknown
  /** What it threw, or rejected with. */
  error?: unknown
}

/** `svc-rest:request`: a request from its arrival until its response is written, or one made inside another. */
export interface RequestSpan extends Span {
  /** The hooks of the site: by these, sites in one process are told from each other. */
  readonly site: Hooks
  /** `inside` for those of batches, embeds and plugins. */
  readonly from: 'outside' | 'inside'
  /** ID in the log, that of the outside request for one inside; '' where it has none. */
  readonly id: string
  readonly method: string
  /** URL as the client sent it, secrets included; for a request inside the path of its route. */
  readonly url: string
  /** Pattern of the route. This and the following are null until they are known, and where there is none. */
  route: string | null
  user: CurrentUser | null
  status: number | null
  /** Whether its response was made for an earlier request, and sent as it was; known at the end. */
  isKept: boolean
}

/** `svc-rest:hook`: one run of a hook that has taps. */
export interface HookSpan extends Span {
  readonly site: Hooks
  readonly hook: string
}

/** `svc-rest:tap`: a tap that is called. `result` is what it returned. */
export interface TapSpan extends Span {
  readonly site: Hooks
  readonly hook: string
  readonly plugin: string
  readonly tap: string
  /** What it was called with: the value of a filter first. A tap may change it in place. */
  readonly args: readonly unknown[]
}

/** `svc-rest:handler`: an endpoint of a route asked whether the user may, or asked for its response. */
export interface HandlerSpan extends Span {
  readonly part: 'permission' | 'handler'
  readonly method: string
  readonly route: string
  /** Who registered the route; null where that is not known. */
  readonly plugin: string | null
}

type Channel<S extends Span> = TracingChannel<S, S>

/** The channels by name. Plugins merge theirs in, and add them to `tracing`. */
export interface TracingChannels {
  request: Channel<RequestSpan>
  hook: Channel<HookSpan>
  tap: Channel<TapSpan>
  handler: Channel<HandlerSpan>
}

/** The channels, as `tracingChannel` of `node:diagnostics_channel` makes them by name. */
export const tracing = {
  request: tracingChannel('svc-rest:request'),
  hook: tracingChannel('svc-rest:hook'),
  tap: tracingChannel('svc-rest:tap'),
  handler: tracingChannel('svc-rest:handler'),
} as TracingChannels

const current = new AsyncLocalStorage<Span>()

/** The innermost span that the running code is a part of, for subscribers; null where none is traced. */
export function currentSpan(): Span | null {
  return current.getStore() ?? null
}

/**
 * Runs `act` and reports it to the subscribers of a channel, as Node's tracing channels do: `start`, then `end` once it returns;
 * where it returns a promise, `asyncStart` and `asyncEnd` once that is settled; `error` before the end that follows.
 * Call it only while the channel has subscribers: `tracing.sql.hasSubscribers ? trace(…) : act()`.
 * @param told fields of the message at the start; its parent is the current span by default
 * @param act receives the message, to which it may add fields; it may return a promise
 */
export function trace<S extends Span, T>(
  { start, end, asyncStart, asyncEnd, error: failed }: TracingChannel<S, S>,
  told: Omit<S, keyof Span> & Partial<Pick<S, 'parent'>>,
  act: (span: S) => Awaitable<T>,
): Awaitable<T> {
  const span = { parent: currentSpan(), ...told } as S
  const fail = (error: unknown) => {
    span.error = error
    failed.publish(span)
  }
  const late = () => {
    asyncStart.publish(span)
    asyncEnd.publish(span)
  }
  const run = (): Awaitable<T> => {
    let result: Awaitable<T>
    try {
      result = act(span)
      if (!isThenable(result)) span.result = result
    } catch (error) {
      fail(error)
      throw error
    } finally {
      end.publish(span)
    }
    if (!isThenable(result)) return result
    return result.then(
      (value) => {
        span.result = value
        late()
        return value
      },
      (error: unknown) => {
        fail(error)
        late()
        throw error
      },
    )
  }
  return current.run(span, () => start.runStores(span, run))
}
