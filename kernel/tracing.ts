/**
 * What the server does, told while it does it, for whoever subscribes to a channel of `node:diagnostics_channel`. While
 * nobody does, everything runs as if this were not there.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel, type TracingChannel } from 'node:diagnostics_channel'
import { isThenable, type Awaitable } from './awaitable.ts'
import { guarded } from './http/guarded.ts'
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

/** `svc-rest:transaction`: a transaction with its turn, its commit, and the waiting until the disk has it. */
export interface TransactionSpan extends Span {
  readonly dialect: string
}

/** `svc-rest:load`: values that were asked for at the same time are read together. */
export interface LoadSpan extends Span {
  /** How many values. */
  readonly keys: number
  /** What asked for them; the first one is the parent. */
  readonly askers: ReadonlySet<Span>
}

/** `svc-rest:sql`: a statement, with the time it waits for its turn. Values of its parameters are never told. */
export interface SqlSpan extends Span {
  readonly dialect: string
  readonly sql: string
  /** How many parameters are bound. */
  readonly parameters: number
  /** Milliseconds until it was sent to the database. */
  waited: number
  /** Rows that were read or changed; null until it is over. */
  rows: number | null
}

/** `svc-rest:outgoing`: a request to another server, from asking for its turn until its body is read. */
export interface OutgoingSpan extends Span {
  readonly site: Hooks
  readonly method: string
  /** Scheme, host and port; paths hold keys too often. */
  readonly origin: string
  /** Known once it has answered. */
  status: number | null
}

/** The channels, as `tracingChannel` of `node:diagnostics_channel` makes them by name. */
export const tracing = {
  request: channel<RequestSpan>('request'),
  hook: channel<HookSpan>('hook'),
  tap: channel<TapSpan>('tap'),
  handler: channel<HandlerSpan>('handler'),
  transaction: channel<TransactionSpan>('transaction'),
  load: channel<LoadSpan>('load'),
  sql: channel<SqlSpan>('sql'),
  outgoing: channel<OutgoingSpan>('outgoing'),
} as const

function channel<S extends Span>(name: string): TracingChannel<S, S> {
  return tracingChannel(`svc-rest:${name}`)
}

const current = new AsyncLocalStorage<Span>()

/** The innermost span that the running code is a part of, for subscribers; null where none is traced. */
export function currentSpan(): Span | null {
  return current.getStore() ?? null
}

/**
 * Runs `act` and tells the subscribers of a channel, as Node's tracing channels do: `start`, then `end` once it returns;
 * where it returns a promise, `asyncStart` and `asyncEnd` once that is settled; `error` before the end that follows.
 * Call it only while the channel has subscribers: `tracing.sql.hasSubscribers ? trace(…) : act()`.
 * @param told what the message says from the start; its parent is the current span unless it says otherwise
 * @param act is given the message, which it may add to; it may return at once or later
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

/** Whether a span is over, for subscribers of `end`: else `asyncEnd` follows. */
export function isOver(span: Span): boolean {
  return 'result' in span || 'error' in span
}

/**
 * Subscribes to a channel of this module. A failure of `begins` or `ends` is a warning of the process, the first one at
 * least: what they are told of goes on. By the methods of Node's channels it would end the process.
 * @param begins is told of each span at its start
 * @param ends is told of it once it is over
 * @returns ends it: a plugin hands it to `onRemove`
 */
export function listenTo<S extends Span>(
  { start, end, asyncEnd }: TracingChannel<S, S>,
  begins: (span: S) => void,
  ends: (span: S) => void,
): () => void {
  let hasFailed = false
  const fail = (cause: Error) => {
    if (!hasFailed) process.emitWarning(new Error(`A subscriber of ${String(start.name)} failed.`, { cause }))
    hasFailed = true
  }
  const onStart = guarded(fail, (span: unknown) => begins(span as S))
  const onEnd = guarded(fail, (span: unknown) => {
    if (isOver(span as S)) ends(span as S)
  })
  const onAsyncEnd = guarded(fail, (span: unknown) => ends(span as S))
  start.subscribe(onStart)
  end.subscribe(onEnd)
  asyncEnd.subscribe(onAsyncEnd)
  return () => {
    start.unsubscribe(onStart)
    end.unsubscribe(onEnd)
    asyncEnd.unsubscribe(onAsyncEnd)
  }
}
