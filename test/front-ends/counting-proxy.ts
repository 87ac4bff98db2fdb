import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy between a front end and the REST API that records the requests. */
export interface CountingProxy extends AsyncDisposable {
  /** Root of the REST API for the front end. */
  readonly url: string
  /** Paths with query strings, in their order. */
  readonly requests: readonly string[]
}

/** Starts a proxy that forwards GET requests. @param target root of the REST API */
export async function startProxy(target: string): Promise<CountingProxy> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    fetch(target + request.url).then(
      async (answer) => {
        const headers = ['content-type', 'cache-tag', 'x-svc-totalpages'].flatMap((name) => {
          const value = answer.headers.get(name)
          return value === null ? [] : [[name, value] as const]
        })
        response.writeHead(answer.status, Object.fromEntries(headers)).end(Buffer.from(await answer.arrayBuffer()))
      },
      () => response.writeHead(502).end(),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests, [Symbol.asyncDispose]: () => close(server) }
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}
