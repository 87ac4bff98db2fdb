import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

/** A message that a receiver has received. */
export interface ReceivedMessage {
  readonly id: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly type: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests say what they expect by looking at it
  readonly data: any
}

/** Responds to a message. Default: status 204. */
export type Answer = (message: ReceivedMessage, response: ServerResponse) => void

/** Starts a server that collects webhook messages. */
export async function receive(answer: Answer = (_, response) => void response.writeHead(204).end()) {
  const messages: ReceivedMessage[] = []
  const handler = { answer }
  const listen = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const { type, data } = JSON.parse(body) as Pick<ReceivedMessage, 'type' | 'data'>
    const one = { id: headers['webhook-id']!, path: request.url!, headers, body, type, data }
    messages.push(one)
    handler.answer(one, response)
  }
  const server = createServer((request, response) => {
    listen(request, response).catch((error: Error) => response.destroy(error))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    messages,
    url: `http://127.0.0.1:${port}/hook`,
    host: `127.0.0.1:${port}`,
    /** Replaces the response to later messages. */
    answer: (next: Answer) => void (handler.answer = next),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Verifies a message as receivers do. @throws Error if it is not signed with the secret */
export function verify({ body, headers }: ReceivedMessage, secret: string): unknown {
  return new Webhook(secret).verify(body, headers)
}

/** Responds with a status. */
export const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (_, response) =>
    void response.writeHead(code, headers).end(body)
