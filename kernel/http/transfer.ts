import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { guarded } from './guarded.ts'

/** Bytes that are written at once, so that the connection shows how far a slow client is. */
const SLICE_BYTES = 65_536

/** Whether a response of this status never has a body, and no length of one (RFC 9110, 8.6). */
export function isBodyless(status: number): boolean {
  return status === 204 || status === 304
}

/** Writes a whole body, given in pieces, as fast as the client takes it. */
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
        const goOn = () => writeFrom(index, at)
        outgoing.once(
          'drain',
          guarded(() => outgoing.destroy(), goOn),
        )
        return
      }
      if (index === last) outgoing.end(at === 0 ? body : body.subarray(at))
    }
  }
  writeFrom(0, 0)
}

/**
 * Watches a body whose length has been told: with more or fewer bytes, others would pass for the next response.
 * @param fail called at once, before a piece that is too much is written
 */
export function exactly(body: Readable, length: number, fail: (error: Error) => void): void {
  let left = length
  const check = (isWrong: boolean) => {
    if (isWrong)
      fail(new Error(`A body has ${left < 0 ? 'more' : 'less'} than the ${length} bytes that it was said to have.`))
  }
  body.on('data', (piece: Buffer | string) => {
    left -= Buffer.byteLength(piece)
    check(left < 0)
  })
  body.on('end', () => check(left > 0))
}

/** Bytes of all pieces. */
export function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0)
}

/** Reads what is left of a body and forgets it; a client that sends more than `most` bytes is cut off. */
export function discard(incoming: IncomingMessage, most: number): Promise<void> {
  return new Promise((resolve) => {
    let left = most
    const done = () => resolve()
    if (incoming.readableEnded || incoming.destroyed) return done()
    incoming.on('data', (piece: Buffer) => {
      left -= piece.length
      if (left < 0) incoming.socket.destroy()
    })
    incoming.once('end', done)
    incoming.once('close', done)
    incoming.once('error', done)
    incoming.resume()
  })
}
