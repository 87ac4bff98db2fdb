import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { connect, type Socket } from 'node:net'

/** A response as received bytes. */
export interface WireResponse {
  readonly status: number
  /** Headers by lowercase name. */
  readonly headers: Readonly<Record<string, string>>
  /** All bytes, including the head. */
  readonly bytes: Buffer
  /** The bytes after the head. */
  readonly body: Buffer
}

/** Sends raw bytes and returns all received bytes once the connection is closed. */
export function wire(home: string, bytes: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = open(home, bytes)
    const pieces: Buffer[] = []
    socket.on('data', (piece: Buffer) => pieces.push(piece))
    socket.on('end', () => resolve(Buffer.concat(pieces)))
    socket.on('error', reject)
  })
}

/** Sends raw bytes and returns the open socket, for tests that close the connection. */
export function open(home: string, bytes: string): Socket {
  const { hostname, port } = new URL(home)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  return socket
}

/** Resolves with the server's socket of the next request that arrives in this process. */
export function nextServerSocket(): Promise<Socket> {
  const channel = 'http.server.request.start'
  return new Promise((resolve) => {
    const onStart = (message: unknown) => {
      unsubscribe(channel, onStart)
      resolve((message as { socket: Socket }).socket)
    }
    subscribe(channel, onStart)
  })
}

/** Returns the request line and headers of a request. With the header `Connection: close` the server closes the connection. */
export function head(method: string, path: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ Host: 'site.test', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** Sends one request on a new connection. All bytes after the head count as the body, even if there should be no body. */
export async function wireRequest(
  home: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<WireResponse> {
  const bytes = await wire(home, head(method, path, { ...headers, Connection: 'close' }))
  const end = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const received: Record<string, string> = {}
  for (const line of lines) {
    const name = line.slice(0, line.indexOf(':')).toLowerCase()
    if (name in received) throw new Error(`${method} ${path}: the header ${name} is there twice.`)
    received[name] = line.slice(name.length + 1).trim()
  }
  return { status: Number(first.split(' ')[1]), headers: received, bytes, body: bytes.subarray(end + 4) }
}
