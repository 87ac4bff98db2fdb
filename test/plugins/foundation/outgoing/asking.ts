import { once } from 'node:events'
import type { LookupAddress } from 'node:dns'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { SyncWaterfallHook } from 'tapable'
import type { Hooks } from '../../../../kernel/index.ts'
import { OutgoingClient, type ClientLimits } from '../../../../plugins/foundation/outgoing/client.ts'
import type { OutgoingOptions } from '../../../../plugins/foundation/outgoing/index.ts'
import type { Lookup } from '../../../../plugins/foundation/outgoing/guard.ts'

/** A local server that counts connections and requests. */
export interface Receiver {
  readonly url: string
  readonly port: number
  /** Number of opened connections. */
  readonly connections: () => number
  /** Received request lines: `GET /a`. */
  readonly requestLines: string[]
  /** Connections that are open. */
  readonly open: ReadonlySet<Socket>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a server. @param host address that it listens on */
export async function receive(listener: RequestListener, host = '127.0.0.1', port = 0): Promise<Receiver> {
  const requestLines: string[] = []
  const open = new Set<Socket>()
  let connections = 0
  const server: Server = createServer((request, response) => {
    requestLines.push(`${request.method} ${request.url}`)
    listener(request, response)
  })
  server.on('connection', (socket: Socket) => {
    connections += 1
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  server.listen(port, host)
  await once(server, 'listening')
  const { port: chosen } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${chosen}`,
    port: chosen,
    connections: () => connections,
    requestLines,
    open,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Options of a test client. */
export interface TestClientOptions extends Partial<ClientLimits> {
  readonly allow?: readonly string[]
  readonly ports?: readonly number[]
  readonly home?: string
  readonly lookup?: Lookup
}

/** Returns a client as the plugin creates it, with the options of a test. Its requests count for the site. */
export function makeClient({ allow = [], ports = [80, 443], home, lookup, ...limits }: TestClientOptions = {}) {
  const hook = new SyncWaterfallHook<[Readonly<Record<string, string>>, unknown]>(['headers', 'hop'])
  const client = new OutgoingClient(
    {
      allow,
      ports,
      home: () => home ?? 'https://own.test',
      lookup: lookup ?? (() => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' }))),
    },
    { time: 20_000, size: 1_000_000, concurrency: 50, perOrigin: 10, perUser: 60, ...limits },
    { outgoing_request_headers: hook } as unknown as Hooks,
  )
  const request = (url: string | URL, options: Partial<OutgoingOptions> = {}) =>
    OutgoingClient.prototype.request.call(client, url, { requester: 'site', ...options })
  return Object.assign(client, { hook, request, [Symbol.asyncDispose]: () => client.stop() })
}

/** Converts addresses to the result of a DNS lookup. */
export const addresses = (...all: string[]): LookupAddress[] =>
  all.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

/** Returns the code of the rejection, or the result as JSON. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  return await promise.then(
    (value) => `resolved: ${JSON.stringify(value)}`,
    (error: { code?: string; message: string }) => error.code ?? error.message,
  )
}
