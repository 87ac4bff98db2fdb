import type { Readable } from 'node:stream'
import type { Call } from '../../../kernel/index.ts'

/**
 * Waits for the first piece of a body, so that a body that stalls or fails can still become an error response. Destroys
 * the body if the response is closed before that.
 */
export async function waitForData(body: Readable, call: Call): Promise<void> {
  const { outgoing, incoming } = call
  if (outgoing.writableEnded || outgoing.destroyed) return void body.destroy()
  if (body.readableLength > 0 || body.readableEnded || incoming.method === 'HEAD') return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onData = () => resolve()
  const onClose = () => body.destroy()
  body.once('readable', onData).once('end', onData).once('close', onData).once('error', reject)
  outgoing.once('close', onClose)
  call.stage = 'the body of the page has not emitted any data'
  await promise
  call.stage = null
  body.off('readable', onData).off('end', onData).off('close', onData)
  outgoing.off('close', onClose)
}
