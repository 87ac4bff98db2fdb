import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** An event as the HTML standard dispatches it. */
export interface ServerEvent {
  readonly type: string
  readonly data: string
  readonly id: string
}

/** Delay before a reconnect. Ignores the `retry` field of the server, which is meant for browsers. */
const RETRY_MS = 10

/** A client of server-sent events by the HTML standard: parses events and reconnects with the last event ID. */
export class EventClient implements Disposable {
  readonly events: ServerEvent[] = []
  /** Received comments, which serve as heartbeats. */
  readonly comments: string[] = []
  lastEventId = ''
  connections = 0
  /** Status and headers of the latest response. */
  response: IncomingMessage | null = null
  isOpen = false
  readonly #url: () => string
  readonly #headers: Readonly<Record<string, string>>
  readonly #reconnects: boolean
  #sent: ClientRequest | null = null
  #isClosed = false

  /** @param url called for each connection, because a restarted server can have another URL */
  constructor(
    url: () => string,
    { headers = {}, reconnects = false }: { headers?: Readonly<Record<string, string>>; reconnects?: boolean } = {},
  ) {
    this.#url = url
    this.#headers = headers
    this.#reconnects = reconnects
    this.#connect()
  }

  /** The received changes. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests say what they expect by looking at it
  get changes(): any[] {
    return this.events.filter(({ type }) => type === 'message').map(({ data }) => JSON.parse(data))
  }

  of(type: string): ServerEvent[] {
    return this.events.filter((event) => event.type === type)
  }

  /** Stops reading, so that further data stays in the buffers. */
  pause(): void {
    this.response!.pause()
  }

  close(): void {
    this.#isClosed = true
    this.#sent?.destroy()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #connect(): void {
    this.connections += 1
    const resumes = this.lastEventId === '' ? {} : { 'last-event-id': this.lastEventId }
    const headers = { accept: 'text/event-stream', ...this.#headers, ...resumes }
    const again = () => {
      this.isOpen = false
      if (this.#isClosed || !this.#reconnects || this.#sent !== sent) return
      this.#sent = null
      void delay(RETRY_MS).then(() => this.#isClosed || this.#connect())
    }
    const sent = request(this.#url(), { headers, agent: false }, (response) => {
      this.response = response
      this.isOpen = response.statusCode === 200
      this.#read(response)
      response.once('close', again)
      response.once('error', again)
    })
    this.#sent = sent
    sent.once('error', again)
    sent.end()
  }

  #read(response: IncomingMessage): void {
    let text = ''
    let [type, data, id] = ['', [] as string[], this.lastEventId]
    response.setEncoding('utf8').on('data', (piece: string) => {
      const lines = (text + piece).split('\n')
      text = lines.pop()!
      for (const line of lines) {
        const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
        if (line === '') {
          this.lastEventId = id
          if (data.length > 0) this.events.push({ type: type || 'message', data: data.join('\n'), id })
          ;[type, data] = ['', []]
        } else if (name === '') this.comments.push(value)
        else if (name === 'event') type = value
        else if (name === 'data') data.push(value)
        else if (name === 'id') id = value
      }
    })
  }
}
