import type { Readable } from 'node:stream'
import type { Call } from '../../../kernel/index.ts'

/**
 * Waits until a body gives its first piece, so that one that gives none, or fails, can still become an error response. It is
 * destroyed where its response is over before that.
 */
export async function begun(body: Readable, call: Call): Promise<void> {
  const { outgoing, incoming } = call
  if (outgoing.writableEnded || outgoing.destroyed) return void body.destroy()
  if (body.readableLength > 0 || body.readableEnded || incoming.method === 'HEAD') return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const begins = () => resolve()
  const isOver = () => body.destroy()
  body.once('readable', begins).once('end', begins).once('close', begins).once('error', reject)
  outgoing.once('close', isOver)
  call.stage = 'the body of the page has not begun'
  await promise
  call.stage = null
  body.off('readable', begins).off('end', begins).off('close', begins)
  outgoing.off('close', isOver)
}
