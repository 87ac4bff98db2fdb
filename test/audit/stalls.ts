import { createClient } from './client.ts'
import type { AuditServer } from './server.ts'
import { STALL_PATH } from './stall-meter.ts'

/** Interval of the requests. */
const INTERVAL_MS = 100

/** Reads the stall meter of a server. */
export interface Stalls extends Disposable {
  /** Returns the longest block of the event loop since the last call in milliseconds; 0 without a response. */
  readLongestBlock(): Promise<number>
}

/** @param patience timeout of a request in milliseconds */
export function createStalls({ port }: AuditServer, patience: number): Stalls {
  const client = createClient(port, 1, patience)
  return {
    async readLongestBlock() {
      const { status, text } = await client.send({ method: 'GET', path: STALL_PATH, headers: {} })
      return status === 200 ? Number(text) : 0
    },
    [Symbol.dispose]: () => client[Symbol.dispose](),
  }
}

/** Reads the stall meter repeatedly. @param onAnswer receives each result, and the start of the measured time */
export function watchStalls(stalls: Stalls, onAnswer: (milliseconds: number, since: number) => void): AsyncDisposable {
  let over = false
  const polling = (async () => {
    for (let since = performance.now(); !over;) {
      const requestedAt = performance.now()
      onAnswer(await stalls.readLongestBlock(), since)
      since = requestedAt
      await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS))
    }
  })()
  return {
    [Symbol.asyncDispose]: async () => {
      over = true
      await polling
    },
  }
}
