import { Agent, request, type IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib'

/** A response as received over the network, without decoding. */
export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The body, decoded. */
  readonly text: string
}

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  br: promisify(brotliDecompress),
  gzip: promisify(gunzip),
  zstd: promisify(zstdDecompress),
}

/** Sends requests with only the given headers, over persistent connections. */
export class RawReader implements Disposable {
  readonly #agent = new Agent({ keepAlive: true })

  read(url: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<RawAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
    const sent = request(url, { method, headers, agent: this.#agent }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => void parts.push(part))
      answer.once('error', reject)
      answer.once('end', () => {
        const decode = DECODERS[answer.headers['content-encoding'] ?? '']
        const bytes = Buffer.concat(parts)
        const decoded = decode === undefined || bytes.length === 0 ? Promise.resolve(bytes) : decode(bytes)
        const toAnswer = (body: Buffer): RawAnswer => ({
          status: answer.statusCode!,
          headers: answer.headers,
          text: body.toString(),
        })
        decoded.then(toAnswer).then(resolve, reject)
      })
    })
    sent.once('error', reject)
    sent.end()
    return promise
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}
