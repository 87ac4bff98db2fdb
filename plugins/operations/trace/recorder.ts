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
import { changesBetween, cut, shownText, snapshotOf, type Snapshot } from './changes.ts'
import type { Step, TracedRequest } from './record.ts'

/** Steps of one request. */
const MOST_STEPS = 2000
/** Characters of the changes of one request. */
const MOST_TEXT = 262_144
/** Characters of a URL, a statement, a message. */
const MOST_URL = 2000
const MOST_SQL = 4000
const MOST_MESSAGE = 500

/** A request that is being recorded. */
interface Recording {
  readonly request: TracedRequest
  readonly started: number
  /** Milliseconds that were spent on recording: nobody is to be blamed for them, so the clock of the request leaves them out. */
  spent: number
  /** Places of the steps that are there, by span. */
  readonly places: WeakMap<Span, number>
  isOver: boolean
  /** Whether it is left out: the page that shows traces asked for it. */
  isOwn: boolean
}

type StepFacts = Pick<Step, 'kind' | 'name' | 'plugin'> & Partial<Step>

/** Records what the server tells of the requests of one site. */
export class Recorder {
  readonly #site: Hooks
  readonly #over: (request: TracedRequest) => void
  readonly #recordings = new WeakMap<Span, Recording>()
  /** What taps are given, as it was before them. */
  readonly #before = new WeakMap<Span, Snapshot>()
  #count = 0

  /** @param over is called with each request once its response is written */
  constructor(site: Hooks, over: (request: TracedRequest) => void) {
    this.#site = site
    this.#over = over
  }

  /** Listens from now on. @returns ends it */
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

  /** The request that the running code belongs to, as far as it is recorded; null for none. */
  current(): TracedRequest | null {
    return this.#recordingOf(currentSpan())?.request ?? null
  }

  /** Leaves out the request that the running code belongs to. */
  leaveOut(): void {
    const recording = this.#recordingOf(currentSpan())
    if (recording !== undefined) recording.isOwn = true
  }

  readonly #requestBegins = (span: RequestSpan): void => {
    const { site, from, id, method } = span
    if (site !== this.#site) return
    const url = shownText(span.url, MOST_URL)
    if (from === 'inside')
      return this.#begin(span, { kind: 'request', name: `${cut(method, 20)} ${url}`, plugin: null })
    this.#count += 1
    const request: TracedRequest = {
      number: this.#count,
      id,
      at: Date.now(),
      method: cut(method, 20),
      url,
      isKept: false,
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
    this.#recordings.set(span, { request, started, spent: 0, places: new WeakMap(), isOver: false, isOwn: false })
  }

  readonly #requestEnds = (span: RequestSpan): void => {
    if (span.from === 'inside') {
      const step = this.#end(span)
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
    const { route, status, user, isKept } = span
    recording.isOver = true
    const login = user?.login === undefined ? null : cut(user.login, MOST_MESSAGE)
    Object.assign(request, { route, status, isKept, ms: clockOf(recording), user: user && { id: user.id, login } })
    if ('error' in span) request.error ??= messageOf(span.error)
    if (!recording.isOwn) this.#over(request)
  }

  readonly #tapBegins = (span: TapSpan): void => {
    const { tap: name, plugin, hook, args } = span
    const recording = this.#recordingOf(span)
    if (recording === undefined || recording.isOver) return
    recordedBy(recording, () => this.#before.set(span, snapshotOf(args[0], args)))
    this.#begin(span, { kind: 'tap', name, plugin, hook })
  }

  readonly #tapEnds = (span: TapSpan): void => {
    const step = this.#end(span)
    const before = this.#before.get(span)
    if (step === undefined || before === undefined || 'error' in span) return
    this.#before.delete(span)
    const recording = this.#recordingOf(span)!
    recordedBy(recording, () => this.#noteChanges(recording, step, before, span))
  }

  #noteChanges({ request, isOver: isLate }: Recording, step: Step, before: Snapshot, { result, args }: TapSpan): void {
    const { changed, unlisted } = changesBetween(before, snapshotOf(result === undefined ? args[0] : result, args))
    const length = changed.reduce((sum, one) => sum + one.path.length + lengthOf(one.before) + lengthOf(one.after), 0)
    const fits = !isLate && request.text + length <= MOST_TEXT
    if (fits) request.text += length
    if (fits && changed.length > 0) step.changed = changed
    const left = unlisted + (fits ? 0 : changed.length)
    if (left > 0) step.unlisted = left
  }

  readonly #handlerBegins = (span: HandlerSpan): void => {
    const { part: kind, method, route, plugin } = span
    this.#begin(span, { kind, name: `${method} ${route}`, plugin })
  }

  readonly #transactionBegins = (span: TransactionSpan): void => {
    this.#begin(span, { kind: 'transaction', name: `on ${span.dialect}`, plugin: null })
  }

  readonly #statementBegins = (span: SqlSpan): void => {
    const { sql, parameters } = span
    const askers = this.#askersOf(span)
    this.#begin(span, {
      kind: 'sql',
      name: shownText(sql, MOST_SQL),
      plugin: null,
      parameters,
      ...(askers.length > 1 && { askers }),
    })
  }

  readonly #statementEnds = (span: SqlSpan): void => {
    const step = this.#end(span)
    if (step === undefined) return
    step.waited = round(span.waited)
    if (span.rows !== null) step.rows = span.rows
  }

  readonly #outgoingBegins = (span: OutgoingSpan): void => {
    this.#begin(span, { kind: 'outgoing', name: `${span.method} ${cut(span.origin, MOST_URL)}`, plugin: null })
  }

  readonly #outgoingEnds = (span: OutgoingSpan): void => {
    const step = this.#end(span)
    if (step !== undefined && span.status !== null) step.status = span.status
  }

  readonly #stepEnds = (span: Span): void => void this.#end(span)

  /** Adds a step to the request that the span belongs to; the run of a hook comes with its first tap. */
  #begin(span: Span, facts: StepFacts): void {
    const recording = this.#recordingOf(span)
    if (recording === undefined || recording.isOver) return
    const { request, places } = recording
    const parent = this.#placeOf(span.parent, recording)
    if (request.steps.length >= MOST_STEPS) {
      request.unlisted += 1
      return
    }
    places.set(span, request.steps.length)
    request.steps.push({ ...facts, parent, start: clockOf(recording), ms: null })
  }

  #end(span: Span): Step | undefined {
    const recording = this.#recordingOf(span)
    const step = this.#stepOf(span)
    if (recording === undefined || step === undefined) return undefined
    step.ms = round(clockOf(recording) - step.start)
    if ('error' in span) step.failed = messageOf(span.error)
    return step
  }

  /** The place of the step that a span is, or is a part of. */
  #placeOf(span: Span | null, recording: Recording): number {
    for (let one = span; one !== null; one = one.parent) {
      const place = recording.places.get(one)
      if (place !== undefined) return place
      if (isHook(one)) {
        this.#begin(one, { kind: 'hook', name: one.hook, plugin: null })
        return recording.places.get(one) ?? -1
      }
    }
    return -1
  }

  #stepOf(span: Span): Step | undefined {
    const recording = this.#recordingOf(span)
    const place = recording?.places.get(span)
    return place === undefined ? undefined : recording!.request.steps[place]
  }

  /** The steps that asked for what a statement reads. */
  #askersOf(span: Span): number[] {
    const recording = this.#recordingOf(span)
    if (recording === undefined) return []
    for (let one = span.parent; one !== null; one = one.parent) {
      if (!isLoad(one)) continue
      return [...new Set([...one.askers].map((asker) => this.#placeOf(asker, recording)))]
    }
    return []
  }

  #recordingOf(span: Span | null): Recording | undefined {
    let top = span
    while (top?.parent) top = top.parent
    return top === null ? undefined : this.#recordings.get(top)
  }
}

/** What a response that is an error says. */
export function errorOf({ data }: RestResponse): string {
  const { code, message } = data as { code?: unknown; message?: unknown }
  return shownText(`${asText(code)}: ${asText(message)}`, MOST_MESSAGE)
}

const isHook = (span: Span): span is HookSpan => 'hook' in span && !('tap' in span)
const isLoad = (span: Span): span is LoadSpan => 'askers' in span

function messageOf(error: unknown): string {
  return shownText(asText(error), MOST_MESSAGE)
}

/** The message of an error, or another value as a text: anything may be thrown, also what cannot be written. */
function asText(value: unknown): string {
  try {
    return String(value instanceof Error ? value.message : value)
  } catch {
    return `(a value that cannot be written: ${typeof value})`
  }
}

const lengthOf = (text: string | null) => text?.length ?? 0
/** Milliseconds since the arrival of a request, without those that were spent on recording. */
const clockOf = ({ started, spent }: Recording) => round(performance.now() - started - spent)

function recordedBy(recording: Recording, act: () => void): void {
  const from = performance.now()
  act()
  recording.spent += performance.now() - from
}

/** Milliseconds, to the microsecond. */
export const round = (ms: number) => Math.round(ms * 1000) / 1000
