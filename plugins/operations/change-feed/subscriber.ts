import type { ResponseStream } from '../../library/long-work/index.ts'
import type { ChangeFilter } from './filter.ts'
import type { Events } from './events.ts'
import type { Identity } from './identity.ts'

/** Bytes that may wait for a subscriber before it is disconnected. It continues where it was after it reconnects. */
const MAX_WAITING_BYTES = 262_144
/** Milliseconds after which a client reconnects. */
const RETRY_DELAY_MS = 3000

/** A client with an open stream. */
export class Subscriber {
  readonly identity: Identity
  readonly network: string
  readonly filter: ChangeFilter
  /** Cache key of the filter: the same for all subscribers with the same filter. */
  readonly filterKey: string
  /** ID of the last change that was sent or skipped. */
  last: number
  readonly #stream: ResponseStream
  /** Whether the permissions of the user have changed since the last event `reset`. */
  #hasChanged = false

  constructor(parts: Pick<Subscriber, 'identity' | 'network' | 'filter' | 'last'>, stream: ResponseStream) {
    this.identity = parts.identity
    this.network = parts.network
    this.filter = parts.filter
    this.last = parts.last
    const { kinds, types } = parts.filter
    this.filterKey = kinds.length + types.length === 0 ? '' : JSON.stringify([kinds, types])
    this.#stream = stream
  }

  get isOver(): boolean {
    return this.#stream.isOver
  }

  /** Sends the event `ready` with the ID at which the stream begins. */
  sendReady(): void {
    this.#send(`: changes\nretry: ${RETRY_DELAY_MS}\n${eventOf('ready', this.last)}`)
  }

  /** Sends the event `reset`: data that the client holds may be outdated. */
  sendReset(last: number): void {
    this.last = last
    this.#hasChanged = false
    this.#send(eventOf('reset', last))
  }

  /** Checks the credentials again, and ends the stream if they are no longer valid. */
  async check(): Promise<void> {
    const state = await this.identity.check()
    if (state === 'gone') this.end()
    else if (state === 'changed') this.#hasChanged = true
  }

  /** Sends the event `reset` if the permissions of the user have changed. Call it once all earlier changes are sent. */
  sendResetIfChanged(): void {
    if (this.#hasChanged) this.sendReset(this.last)
  }

  send({ text, last }: Events): void {
    this.last = last
    if (text !== '') this.#send(text)
  }

  /** Keeps the connection alive. The ID lets the client continue after changes that were not sent to it. */
  beat(): void {
    this.#send(`: beat\nid: ${this.last}\n\n`)
  }

  /** Resolves once the client has read most of the data that was sent. */
  async waitForDrain(): Promise<void> {
    if (this.#stream.isOver || this.#stream.waiting < MAX_WAITING_BYTES / 4) return
    await new Promise<void>((resolve) => {
      this.#resume = resolve
      this.#stream.onDrain(resolve)
    })
  }

  end(): void {
    this.#stream.end()
  }

  /** Call this when the response has ended. */
  onEnd(): void {
    this.#resume?.()
  }

  #resume: (() => void) | null = null

  #send(text: string): void {
    // Only earlier data counts: a single event may be longer than the limit.
    if (this.#stream.waiting > MAX_WAITING_BYTES) this.#stream.cut()
    else this.#stream.write(text)
  }
}

function eventOf(name: 'ready' | 'reset', last: number): string {
  return `event: ${name}\nid: ${last}\ndata: ${JSON.stringify({ last })}\n\n`
}
