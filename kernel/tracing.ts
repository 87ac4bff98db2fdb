/**
 * Publishes requests, hooks, taps and handlers to channels of `node:diagnostics_channel`. Without subscribers, each
 * event costs one comparison.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel, type TracingChannel } from 'node:diagnostics_channel'
import { isThenable, type Awaitable } from './awaitable.ts'
import type { Hooks } from './hooks/hook.ts'
import type { CurrentUser } from './rest/request.ts'

/** A message of the channels: something that takes time. All events of a span pass the same object. */
export interface Span {
  /** The span that it is a part of; null for an outside request, and outside of requests. */
  readonly parent: Span | null
  /** Its result; set at the end unless it failed. */
  result?: unknown
  /** The error that it threw or rejected with. */
  error?: unknown
}

/** `svc-rest:request`: an outside request from its arrival until its response is written, or an internal request. */
export interface RequestSpan extends Span {
  /** The hooks of the site. They identify the site if a process runs several. */
  readonly site: Hooks
  /** `inside` for internal requests: of batches, embeds and plugins. */
  readonly from: 'outside' | 'inside'
  /** ID in the log; an internal request has the ID of its outside request. '' if there is no ID. */
  readonly id: string
  readonly method: string
  /** URL as the client sent it, secrets included; for an internal request, the path of its route. */
  readonly url: string
  /** Pattern of the route. `route`, `user` and `status` are null if they are unknown or missing. */
  route: string | null
  user: CurrentUser | null
  status: number | null
  /** Whether the response came from the cache; set at the end. */
  fromCache: boolean
}

/** `svc-rest:hook`: one run of a hook that has taps. */
export interface HookSpan extends Span {
  readonly site: Hooks
  readonly hook: string
}

/** `svc-rest:tap`: one call of a tap. `result` is the returned value. */
export interface TapSpan extends Span {
  readonly site: Hooks
  readonly hook: string
  readonly plugin: string
  readonly tap: string
  /** Arguments of the call; the value of a filter is the first one. A tap may change them in place. */
  readonly args: readonly unknown[]
}

/** `svc-rest:handler`: the permission check or the handler of an endpoint. */
export interface HandlerSpan extends Span {
  readonly part: 'permission' | 'handler'
  readonly method: string
  readonly route: string
  /** Name of the plugin that registered the route; null if unknown. */
  readonly plugin: string | null
}

type Channel<S extends Span> = TracingChannel<S, S>

/** The channels by name. Plugins merge their channels in, and add them to `tracing`. */
export interface TracingChannels {
  request: Channel<RequestSpan>
  hook: Channel<HookSpan>
  tap: Channel<TapSpan>
  handler: Channel<HandlerSpan>
}

/** The channels, created by `tracingChannel` of `node:diagnostics_channel`. */
export const tracing = {
  request: tracingChannel('svc-rest:request'),
  hook: tracingChannel('svc-rest:hook'),
  tap: tracingChannel('svc-rest:tap'),
  handler: tracingChannel('svc-rest:handler'),
} as TracingChannels

const current = new AsyncLocalStorage<Span>()

/** Returns the innermost span that the running code is a part of; null if no span is traced. */
export function currentSpan(): Span | null {
  return current.getStore() ?? null
}

/**
 * Runs `act` and publishes its events as Node's tracing channels do: `start`, then `end` when it returns; for a
 * promise, `asyncStart` and `asyncEnd` when it settles; `error` before the end that follows. Call it only if the
 * channel has subscribers: `tracing.sql.hasSubscribers ? trace(…) : act()`.
 * @param fields fields of the message at the start; its parent is the current span by default
 * @param act receives the message and can add fields; may return a promise
 */
export function trace<S extends Span, T>(
  { start, end, asyncStart, asyncEnd, error: failed }: TracingChannel<S, S>,
  fields: Omit<S, keyof Span> & Partial<Pick<S, 'parent'>>,
  act: (span: S) => Awaitable<T>,
): Awaitable<T> {
  const span = { parent: currentSpan(), ...fields } as S
  const fail = (error: unknown) => {
    span.error = error
    failed.publish(span)
  }
  const publishAsyncEnd = () => {
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
        publishAsyncEnd()
        return value
      },
      (error: unknown) => {
        fail(error)
        publishAsyncEnd()
        throw error
      },
    )
  }
  return current.run(span, () => start.runStores(span, run))
}
