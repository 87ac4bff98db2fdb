import {
  currentSpan,
  RestResponse,
  tracing,
  type HandlerSpan,
  type Hooks,
  type HookSpan,
  type RequestSpan,
  type Span,
  type TapSpan,
} from '../../../kernel/index.ts'
import { listenTo } from './listen-to.ts'
import type { LoadSpan, SqlSpan, TransactionSpan } from '../../storage/store/index.ts'
import type { OutgoingSpan } from '../../foundation/outgoing/index.ts'
import { changesBetween, truncate, maskedText, snapshotOf, type Snapshot } from './changes.ts'
import type { Step, TracedRequest } from './record.ts'

/** Maximum number of steps of one request. */
const MAX_STEPS = 2000
/** Maximum total characters of the changes of one request. */
const MAX_TEXT_LENGTH = 262_144
/** Maximum characters of a URL, a statement, a message. */
const MAX_URL_LENGTH = 2000
const MAX_SQL_LENGTH = 4000
const MAX_MESSAGE_LENGTH = 500

/** A request that is being recorded. */
interface Recording {
  readonly request: TracedRequest
  readonly started: number
  /** Milliseconds spent on recording, which are excluded from the times of the request. */
  overheadMs: number
  /** Indexes of the recorded steps, by span. */
  readonly indexes: WeakMap<Span, number>
  isOver: boolean
  /** Whether the request is not logged, because the trace page made it. */
  isExcluded: boolean
}

type StepFacts = Pick<Step, 'kind' | 'name' | 'plugin'> & Partial<Step>

/** Records the requests of one site from the tracing channels. */
export class Recorder {
  readonly #site: Hooks
  readonly #onRequest: (request: TracedRequest) => void
  readonly #recordings = new WeakMap<Span, Recording>()
  /** Snapshots of the arguments of taps before they ran. */
  readonly #before = new WeakMap<Span, Snapshot>()
  #count = 0

  /** @param over called with each request once its response is written */
  constructor(site: Hooks, over: (request: TracedRequest) => void) {
    this.#site = site
    this.#onRequest = over
  }

  /** Starts recording. @returns a function that stops it */
  listen(): () => void {
    const stops = [
      listenTo(tracing.request, this.#requestBegins, this.#requestEnds),
      listenTo(tracing.hook, () => {}, this.#stepEnds),
      listenTo(tracing.tap, this.#tapBegins, this.#tapEnds),
      listenTo(tracing.handler, this.#handlerBegins, this.#stepEnds),
      listenTo(tracing.transaction, this.#transactionBegins, this.#stepEnds),
      listenTo(
        tracing.load,
        () => {},
        () => {},
      ),
      listenTo(tracing.sql, this.#statementBegins, this.#statementEnds),
      listenTo(tracing.outgoing, this.#outgoingBegins, this.#outgoingEnds),
    ]
    return () => stops.forEach((stop) => stop())
  }

  /** The recorded request that the running code belongs to; null if there is no such request. */
  current(): TracedRequest | null {
    return this.#recordingOf(currentSpan())?.request ?? null
  }

  /** Excludes the request that the running code belongs to. */
  exclude(): void {
    const recording = this.#recordingOf(currentSpan())
    if (recording !== undefined) recording.isExcluded = true
  }

  readonly #requestBegins = (span: RequestSpan): void => {
    const { site, from, id, method } = span
    if (site !== this.#site) return
    const url = maskedText(span.url, MAX_URL_LENGTH)
    if (from === 'inside')
      return this.#startStep(span, { kind: 'request', name: `${truncate(method, 20)} ${url}`, plugin: null })
    this.#count += 1
    const request: TracedRequest = {
      number: this.#count,
      id,
      at: Date.now(),
      method: truncate(method, 20),
      url,
      fromCache: false,
      route: null,
      path: null,
      status: null,
      user: null,
      ms: null,
      error: null,
      steps: [],
      unlisted: 0,
      text: 0,
    }
    const started = performance.now()
    this.#recordings.set(span, {
      request,
      started,
      overheadMs: 0,
      indexes: new WeakMap(),
      isOver: false,
      isExcluded: false,
    })
  }

  readonly #requestEnds = (span: RequestSpan): void => {
    if (span.from === 'inside') {
      const step = this.#endStep(span)
      if (step === undefined) return
      step.route = span.route
      if (span.status !== null) step.status = span.status
      const { result } = span
      if (result instanceof RestResponse && result.isError) step.failed = errorOf(result)
      return
    }
    const recording = this.#recordings.get(span)
    if (recording === undefined) return
    const { request } = recording
    const { route, status, user, fromCache } = span
    recording.isOver = true
    const login = user?.login === undefined ? null : truncate(user.login, MAX_MESSAGE_LENGTH)
    Object.assign(request, { route, status, fromCache, ms: clockOf(recording), user: user && { id: user.id, login } })
    if ('error' in span) request.error ??= messageOf(span.error)
    if (!recording.isExcluded) this.#onRequest(request)
  }

  readonly #tapBegins = (span: TapSpan): void => {
    const { tap: name, plugin, hook, args } = span
    const recording = this.#recordingOf(span)
    if (recording === undefined || recording.isOver) return
    excludeTime(recording, () => this.#before.set(span, snapshotOf(args[0], args)))
    this.#startStep(span, { kind: 'tap', name, plugin, hook })
  }

  readonly #tapEnds = (span: TapSpan): void => {
    const step = this.#endStep(span)
    const before = this.#before.get(span)
    if (step === undefined || before === undefined || 'error' in span) return
    this.#before.delete(span)
    const recording = this.#recordingOf(span)!
    excludeTime(recording, () => this.#recordChanges(recording, step, before, span))
  }

  #recordChanges(
    { request, isOver: isLate }: Recording,
    step: Step,
    before: Snapshot,
    { result, args }: TapSpan,
  ): void {
    const { changed, unlisted } = changesBetween(before, snapshotOf(result === undefined ? args[0] : result, args))
    const length = changed.reduce((sum, one) => sum + one.path.length + lengthOf(one.before) + lengthOf(one.after), 0)
    const fits = !isLate && request.text + length <= MAX_TEXT_LENGTH
    if (fits) request.text += length
    if (fits && changed.length > 0) step.changed = changed
    const omitted = unlisted + (fits ? 0 : changed.length)
    if (omitted > 0) step.unlisted = omitted
  }

  readonly #handlerBegins = (span: HandlerSpan): void => {
    const { part: kind, method, route, plugin } = span
    this.#startStep(span, { kind, name: `${method} ${route}`, plugin })
  }

  readonly #transactionBegins = (span: TransactionSpan): void => {
    this.#startStep(span, { kind: 'transaction', name: `on ${span.dialect}`, plugin: null })
  }

  readonly #statementBegins = (span: SqlSpan): void => {
    const { sql, parameters } = span
    const askers = this.#requesterIndexes(span)
    this.#startStep(span, {
      kind: 'sql',
      name: maskedText(sql, MAX_SQL_LENGTH),
      plugin: null,
      parameters,
      ...(askers.length > 1 && { askers }),
    })
  }

  readonly #statementEnds = (span: SqlSpan): void => {
    const step = this.#endStep(span)
    if (step === undefined) return
    step.waited = round(span.waited)
    if (span.rows !== null) step.rows = span.rows
  }

  readonly #outgoingBegins = (span: OutgoingSpan): void => {
    this.#startStep(span, {
      kind: 'outgoing',
      name: `${span.method} ${truncate(span.origin, MAX_URL_LENGTH)}`,
      plugin: null,
    })
  }

  readonly #outgoingEnds = (span: OutgoingSpan): void => {
    const step = this.#endStep(span)
    if (step !== undefined && span.status !== null) step.status = span.status
  }

  readonly #stepEnds = (span: Span): void => void this.#endStep(span)

  /** Adds a step to the request of a span. The step of a hook is added with its first tap. */
  #startStep(span: Span, facts: StepFacts): void {
    const recording = this.#recordingOf(span)
    if (recording === undefined || recording.isOver) return
    const { request, indexes } = recording
    const parent = this.#indexOf(span.parent, recording)
    if (request.steps.length >= MAX_STEPS) {
      request.unlisted += 1
      return
    }
    indexes.set(span, request.steps.length)
    request.steps.push({ ...facts, parent, start: clockOf(recording), ms: null })
  }

  #endStep(span: Span): Step | undefined {
    const recording = this.#recordingOf(span)
    const step = this.#stepOf(span)
    if (recording === undefined || step === undefined) return undefined
    step.ms = round(clockOf(recording) - step.start)
    if ('error' in span) step.failed = messageOf(span.error)
    return step
  }

  /** Index of the step that a span is, or belongs to. */
  #indexOf(span: Span | null, recording: Recording): number {
    for (let one = span; one !== null; one = one.parent) {
      const index = recording.indexes.get(one)
      if (index !== undefined) return index
      if (isHook(one)) {
        this.#startStep(one, { kind: 'hook', name: one.hook, plugin: null })
        return recording.indexes.get(one) ?? -1
      }
    }
    return -1
  }

  #stepOf(span: Span): Step | undefined {
    const recording = this.#recordingOf(span)
    const index = recording?.indexes.get(span)
    return index === undefined ? undefined : recording!.request.steps[index]
  }

  /** Indexes of the steps for which a statement loads data. */
  #requesterIndexes(span: Span): number[] {
    const recording = this.#recordingOf(span)
    if (recording === undefined) return []
    for (let one = span.parent; one !== null; one = one.parent) {
      if (!isLoad(one)) continue
      return [...new Set([...one.askers].map((requester) => this.#indexOf(requester, recording)))]
    }
    return []
  }

  #recordingOf(span: Span | null): Recording | undefined {
    let top = span
    while (top?.parent) top = top.parent
    return top === null ? undefined : this.#recordings.get(top)
  }
}

/** The error code and message of an error response. */
export function errorOf({ data }: RestResponse): string {
  const { code, message } = data as { code?: unknown; message?: unknown }
  return maskedText(`${asText(code)}: ${asText(message)}`, MAX_MESSAGE_LENGTH)
}

const isHook = (span: Span): span is HookSpan => 'hook' in span && !('tap' in span)
const isLoad = (span: Span): span is LoadSpan => 'askers' in span

function messageOf(error: unknown): string {
  return maskedText(asText(error), MAX_MESSAGE_LENGTH)
}

/**
 * The message of an error, or another thrown value as text. Any value can be thrown, including one that cannot be
 * converted to a string.
 */
function asText(value: unknown): string {
  try {
    return String(value instanceof Error ? value.message : value)
  } catch {
    return `(a value that cannot be converted to a string: ${typeof value})`
  }
}

const lengthOf = (text: string | null) => text?.length ?? 0
/** Milliseconds since the arrival of a request, without the time spent on recording. */
const clockOf = ({ started, overheadMs }: Recording) => round(performance.now() - started - overheadMs)

function excludeTime(recording: Recording, act: () => void): void {
  const from = performance.now()
  act()
  recording.overheadMs += performance.now() - from
}

/** Rounds milliseconds to microseconds. */
export const round = (ms: number) => Math.round(ms * 1000) / 1000
