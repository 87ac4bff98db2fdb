import type { ResponseStream } from '../../library/long-work/index.ts'
import type { ChangeFilter } from './filter.ts'
import type { Events } from './events.ts'
import type { Identity } from './identity.ts'

/** Bytes that may wait for a subscriber before it is cut off; it goes on from where it was once it is back. */
const MOST_WAITING = 262_144
/** Milliseconds after which a client that lost its connection is back. */
const RETRY_DELAY_MS = 3000

/** A client that listens. */
export class Subscriber {
  readonly identity: Identity
  readonly network: string
  readonly filter: ChangeFilter
  /** The same for those who want the same. */
  readonly wants: string
  /** Number of the last change that it was told of, or need not be. */
  last: number
  readonly #stream: ResponseStream
  /** Whether its user may do other things than when it was told of that last. */
  #hasChanged = false

  constructor(parts: Pick<Subscriber, 'identity' | 'network' | 'filter' | 'last'>, stream: ResponseStream) {
    this.identity = parts.identity
    this.network = parts.network
    this.filter = parts.filter
    this.last = parts.last
    const { kinds, types } = parts.filter
    this.wants = kinds.length + types.length === 0 ? '' : JSON.stringify([kinds, types])
    this.#stream = stream
  }

  get isOver(): boolean {
    return this.#stream.isOver
  }

  /** Tells where it begins. */
  begin(): void {
    this.#send(`: changes\nretry: ${RETRY_DELAY_MS}\n${eventOf('ready', this.last)}`)
  }

  /** Tells that what it knows may be out of date. */
  reset(last: number): void {
    this.last = last
    this.#hasChanged = false
    this.#send(eventOf('reset', last))
  }

  /** Looks at its credentials anew, and ends it where they are good no more. */
  async check(): Promise<void> {
    const state = await this.identity.check()
    if (state === 'gone') this.end()
    else if (state === 'changed') this.#hasChanged = true
  }

  /** Tells it where its user may do other things, once it has been told of all that came before that. */
  resetIfChanged(): void {
    if (this.#hasChanged) this.reset(this.last)
  }

  /** Sends events. */
  send({ text, last }: Events): void {
    this.last = last
    if (text !== '') this.#send(text)
  }

  /** Keeps the connection alive. By the number alone it goes on behind what it was not told of. */
  beat(): void {
    this.#send(`: beat\nid: ${this.last}\n\n`)
  }

  /** Resolves once most of what was sent has been taken. */
  async drained(): Promise<void> {
    if (this.#stream.isOver || this.#stream.waiting < MOST_WAITING / 4) return
    await new Promise<void>((resolve) => {
      this.#resume = resolve
      this.#stream.onDrain(resolve)
    })
  }

  end(): void {
    this.#stream.end()
  }

  /** To be called when its response is over. */
  ended(): void {
    this.#resume?.()
  }

  #resume: (() => void) | null = null

  #send(text: string): void {
    // What it has not taken of earlier ones: a single event may be long.
    if (this.#stream.waiting > MOST_WAITING) this.#stream.cut()
    else this.#stream.write(text)
  }
}

function eventOf(name: 'ready' | 'reset', last: number): string {
  return `event: ${name}\nid: ${last}\ndata: ${JSON.stringify({ last })}\n\n`
}
