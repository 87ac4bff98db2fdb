import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Site } from './site.ts'

/** A server in front of a site that can hold requests. Its responses contain its own URL instead of the site's. */
export interface HeldSite extends AsyncDisposable {
  readonly url: string
  /** Paths of the received requests. */
  readonly requests: readonly string[]
  /** Holds requests whose paths match, until they are released. */
  hold(paths: RegExp): Held
}

export interface Held {
  /** Resolves when a request is held. */
  readonly reached: Promise<void>
  release(): void
}

/** Starts a server in front of a site. */
export async function holdSite(site: Pick<Site, 'home'>): Promise<HeldSite> {
  const requests: string[] = []
  const holds = new Set<{ paths: RegExp; reached: () => void; released: Promise<void> }>()
  const releases: (() => void)[] = []
  const { hostname, port } = new URL(site.home)
  const server = createServer((request, response) => void forward(request, response))
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const withUrl = (text: string) =>
    text.replaceAll(site.home, url()).replaceAll(site.home.replaceAll('/', '\\/'), url().replaceAll('/', '\\/'))
  const answer = async (got: IncomingMessage, response: ServerResponse) => {
    const { 'content-length': _length, ...headers } = got.headers
    const body = await buffer(got)
    const isText = /json|text|xml/.test(headers['content-type'] ?? '')
    const changed = Object.entries(headers).map(([key, value]) => [key, withUrl(String(value))] as const)
    response.writeHead(got.statusCode!, Object.fromEntries(changed)).end(isText ? withUrl(body.toString()) : body)
  }
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url!
    requests.push(path)
    for (const hold of holds) {
      if (!hold.paths.test(path)) continue
      hold.reached()
      await hold.released
    }
    const headers = { ...request.headers, 'accept-encoding': 'identity' }
    const sent = send({ hostname, port, path, method: request.method, headers })
    const fail = () => response.destroy()
    sent.on('error', fail)
    sent.on('response', (got) => void answer(got, response).catch(fail))
    request.pipe(sent)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: url(),
    requests,
    hold(paths) {
      const reached = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      const hold = { paths, reached: reached.resolve, released: released.promise }
      const release = () => {
        holds.delete(hold)
        released.resolve()
      }
      holds.add(hold)
      releases.push(release)
      return { reached: reached.promise, release }
    },
    async [Symbol.asyncDispose]() {
      for (const release of releases) release()
      server.closeAllConnections()
      server.close()
    },
  }
}
