import { Agent, request } from 'node:http'
import { connect } from 'node:net'

/** A request as it is sent. */
export interface Sent {
  method: string
  /** Path and query, encoded. */
  path: string
  headers: Record<string, string>
  body?: Buffer
  /** Raw bytes that replace the whole request, sent on a new connection. */
  raw?: Buffer
}

/** A response. */
export interface Answer {
  /** 0 if the connection was closed without a response. */
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  /** The reason why there is no response. */
  failure?: string
  /** Milliseconds from the first byte sent to the last one received. */
  took: number
}

/** Sends requests over persistent connections. */
export interface Client extends Disposable {
  send(sent: Sent): Promise<Answer>
}

/**
 * @param port port on 127.0.0.1
 * @param connections maximum number of concurrent requests
 * @param patience timeout of a request in milliseconds
 */
export function createClient(port: number, connections: number, patience: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  return {
    send: (sent) =>
      sent.raw === undefined ? sendRequest(sent, agent, port, patience) : sendRaw(sent.raw, port, patience),
    [Symbol.dispose]: () => agent.destroy(),
  }
}

function sendRequest(
  { method, path, headers, body }: Sent,
  agent: Agent,
  port: number,
  patience: number,
): Promise<Answer> {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const fail = (failure: string) =>
      resolve({ status: 0, headers: {}, text: '', failure, took: performance.now() - startedAt })
    const length = body === undefined ? {} : { 'content-length': String(body.length) }
    let outgoing
    try {
      outgoing = request({ agent, host: '127.0.0.1', port, method, path, headers: { ...headers, ...length } })
    } catch (error) {
      return fail((error as Error).message)
    }
    const late = setTimeout(() => outgoing.destroy(new Error(`no answer within ${patience} ms`)), patience)
    outgoing.on('error', (error) => {
      clearTimeout(late)
      fail(error.message)
    })
    outgoing.on('response', (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => void parts.push(part))
      answer.on('close', () => {
        clearTimeout(late)
        if (!answer.complete) return fail('the answer ended early')
        const text = Buffer.concat(parts).toString()
        const { statusCode: status = 0, headers: received } = answer
        resolve({ status, headers: received, text, took: performance.now() - startedAt })
      })
    })
    outgoing.end(body)
  })
}

/** Sends raw bytes and reads until the server closes the connection or the timeout expires. */
function sendRaw(bytes: Buffer, port: number, patience: number): Promise<Answer> {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    let text = ''
    let failure: string | undefined
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes))
    socket.setTimeout(patience, () => {
      failure = `no end within ${patience} ms`
      socket.destroy()
    })
    socket.on('data', (part) => (text += part.toString('latin1')))
    socket.on('error', (error) => (failure ??= error.message))
    socket.on('close', () => {
      const [head = '', ...rest] = text.split('\r\n\r\n')
      const [first = '', ...lines] = head.split('\r\n')
      const headers = Object.fromEntries(
        lines.map((line) => {
          const [name = '', ...value] = line.split(':')
          return [name.toLowerCase(), value.join(':').trim()]
        }),
      )
      resolve({
        status: Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0),
        headers,
        text: Buffer.from(rest.join('\r\n\r\n'), 'latin1').toString(),
        ...(failure !== undefined && { failure }),
        took: performance.now() - startedAt,
      })
    })
  })
}
