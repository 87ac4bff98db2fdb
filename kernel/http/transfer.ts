import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { guarded } from './guarded.ts'

/** Bytes per write. Small writes make the progress of a slow client visible. */
const SLICE_BYTES = 65_536

/** Returns whether responses with this status have neither a body nor a `Content-Length` (RFC 9110, 8.6). */
export function isBodyless(status: number): boolean {
  return status === 204 || status === 304
}

/** Writes a body in slices, waiting for the client when the connection's buffer is full. */
export function writeBody(outgoing: ServerResponse, pieces: readonly Buffer[]): void {
  if (pieces.length === 1 && pieces[0]!.length <= SLICE_BYTES) return void outgoing.end(pieces[0])
  const last = pieces.length - 1
  const writeFrom = (piece: number, from: number): void => {
    for (let [index, at] = [piece, from]; index <= last; [index, at] = [index + 1, 0]) {
      const body = pieces[index]!
      while (index < last ? at < body.length : body.length - at > SLICE_BYTES) {
        const more = outgoing.write(body.subarray(at, at + SLICE_BYTES))
        at = Math.min(at + SLICE_BYTES, body.length)
        if (more) continue
        const continueWriting = () => writeFrom(index, at)
        outgoing.once(
          'drain',
          guarded(() => outgoing.destroy(), continueWriting),
        )
        return
      }
      if (index === last) outgoing.end(at === 0 ? body : body.subarray(at))
    }
  }
  writeFrom(0, 0)
}

/**
 * Checks that a body has the length in its `Content-Length`. Otherwise the client would misread the next response on
 * the connection.
 * @param fail called before an excess chunk is written, or at the end of a short body
 */
export function checkLength(body: Readable, length: number, fail: (error: Error) => void): void {
  let remaining = length
  const check = (isWrong: boolean) => {
    if (isWrong)
      fail(new Error(`The body is ${remaining < 0 ? 'longer' : 'shorter'} than its Content-Length of ${length} bytes.`))
  }
  body.on('data', (piece: Buffer | string) => {
    remaining -= Buffer.byteLength(piece)
    check(remaining < 0)
  })
  body.on('end', () => check(remaining > 0))
}

export function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0)
}

/** Reads and drops the rest of a body. Closes the connection after more than `maxBytes` bytes. */
export function discard(incoming: IncomingMessage, maxBytes: number): Promise<void> {
  return new Promise((resolve) => {
    let remaining = maxBytes
    const done = () => resolve()
    if (incoming.readableEnded || incoming.destroyed) return done()
    incoming.on('data', (piece: Buffer) => {
      remaining -= piece.length
      if (remaining < 0) incoming.socket.destroy()
    })
    incoming.once('end', done)
    incoming.once('close', done)
    incoming.once('error', done)
    incoming.resume()
  })
}
