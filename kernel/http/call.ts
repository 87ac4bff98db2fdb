import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors, type RestError } from '../errors.ts'
import type { HeaderMap } from './headers.ts'
import { networksOf } from './networks.ts'
import type { RestRequest } from '../rest/request.ts'
import type { Asking, Turns } from './turns.ts'
import { Work } from '../work.ts'

/** A request of a client, from its arrival to its end. */
export class Call implements Asking {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly id: string
  readonly headers: HeaderMap
  readonly client: Client
  readonly work: Work
  /** Milliseconds of the process's clock at its arrival. */
  readonly arrived = performance.now()
  /** Until when its answer has to be there, in milliseconds of the process's clock. */
  until = 0
  /**
   * What happens then. A function that stands right behind `call.late =` would be made among V8's old objects, and keep
   * all that its request was answered with until the whole heap is collected; one that has a name first is not.
   */
  late: (() => void) | null = null
  /** What is asked of the interface. */
  request: RestRequest | null = null
  readonly #turns: Turns
  readonly #act: (call: Call) => void
  #isWorkedOn = false
  #isOver = false

  /** @param act works on it, once it is its turn; calls `rest` where it does not any more */
  constructor({ incoming, outgoing, id, headers, client, turns, act }: CallParts) {
    this.incoming = incoming
    this.outgoing = outgoing
    this.id = id
    this.headers = headers
    this.client = client
    this.work = new Work(null, networksOf(client.ip).client)
    this.#turns = turns
    this.#act = act
  }

  get network(): string {
    return this.work.network
  }

  begin(): void {
    this.#isWorkedOn = true
    this.#act(this)
  }

  isGone(): boolean {
    return this.outgoing.destroyed || !this.incoming.socket.writable
  }

  /** Leaves its place among those that are worked on: what is left to do is the client's, or nothing. */
  rest(): void {
    if (!this.#isWorkedOn) return
    this.#isWorkedOn = false
    this.#turns.leave(this.network)
  }

  /** Notes that it is answered, or never will be. */
  end(): void {
    this.#isOver = true
    // Its body is parsed into far more than it was, and its client may take long for the answer.
    this.request = null
    this.rest()
  }

  /** Waits for a place again, after `rest`. @throws why nobody waits for the answer any more */
  async goOn(): Promise<void> {
    await new Promise<void>((resolve) => {
      const begin = () => {
        this.#isWorkedOn = true
        resolve()
      }
      this.#turns.enter({ network: this.network, begin, isGone: () => false })
    })
    if (this.#isOver || this.work.aborted) this.rest()
    this.work.throwIfAborted()
  }
}

/** Who is at the other end. */
export interface Client {
  readonly ip: string
  /** Whether the request came over HTTPS. */
  readonly secure: boolean
}

interface CallParts extends Pick<Call, 'incoming' | 'outgoing' | 'id' | 'headers' | 'client'> {
  readonly turns: Turns
  readonly act: (call: Call) => void
}

/** Holds calls to the time that they may take. */
export class TimeLimit {
  readonly #time: number
  readonly #tell: (call: Call, what: string) => void
  readonly #calls = new Set<Call>()

  /**
   * @param time milliseconds
   * @param tell tells the log of what took too long
   */
  constructor(time: number, tell: (call: Call, what: string) => void) {
    this.#time = time
    this.#tell = tell
  }

  /**
   * What a call is answered with, as long as its client is there and it takes no longer than the limit. What has not
   * changed anything by then is stopped; what has is waited for once more as long, and then the connection is cut: to
   * say that it failed would not be true.
   */
  hold<T>(call: Call, answer: Promise<T>): Promise<T> {
    const { outgoing, work } = call
    outgoing.once('close', () => {
      if (!outgoing.writableFinished && work.abort(errors.rest_client_gone())) call.rest()
    })
    return new Promise((resolve, reject) => {
      const give = (error: RestError, what: string) => {
        this.#calls.delete(call)
        if (!outgoing.destroyed) this.#tell(call, what)
        reject(error)
      }
      const cut = () => {
        const what = 'a handler took too long after it had changed something: its client gets no answer'
        give(errors.rest_handler_timeout(this.#time), what)
        outgoing.destroy()
      }
      const late = () => {
        const error = errors.rest_handler_timeout(this.#time)
        if (work.abort(error)) return give(error, 'a handler took too long')
        call.until = performance.now() + this.#time
        call.late = cut
      }
      call.late = late
      call.until ||= performance.now() + this.#time
      this.#calls.add(call)
      const settled = <V>(settle: (value: V) => void) => {
        return (value: V) => {
          this.#calls.delete(call)
          settle(value)
        }
      }
      answer.then(settled(resolve), settled(reject))
    })
  }

  /** Looks at what has taken too long. @param now milliseconds of the process's clock */
  look(now: number): void {
    for (const call of this.#calls) if (call.until <= now) call.late?.()
  }
}
