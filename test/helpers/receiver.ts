import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

/** What a receiver was told. */
export interface Told {
  readonly id: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly type: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests say what they expect by looking at it
  readonly data: any
}

/** Answers a message; by default with 204. */
export type Answer = (told: Told, response: ServerResponse) => void

/** A server that is told of changes. */
export async function receive(answer: Answer = (_, response) => void response.writeHead(204).end()) {
  const told: Told[] = []
  const handler = { answer }
  const listen = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const { type, data } = JSON.parse(body) as Pick<Told, 'type' | 'data'>
    const one = { id: headers['webhook-id']!, path: request.url!, headers, body, type, data }
    told.push(one)
    handler.answer(one, response)
  }
  const server = createServer((request, response) => {
    listen(request, response).catch((error: Error) => response.destroy(error))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    told,
    url: `http://127.0.0.1:${port}/hook`,
    host: `127.0.0.1:${port}`,
    /** Answers differently from now on. */
    answer: (next: Answer) => void (handler.answer = next),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Checks a message with the verifier that receivers use. @throws Error for one that is not signed with the secret */
export function verify({ body, headers }: Told, secret: string): unknown {
  return new Webhook(secret).verify(body, headers)
}

/** Answers with a status. */
export const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (_, response) =>
    void response.writeHead(code, headers).end(body)
