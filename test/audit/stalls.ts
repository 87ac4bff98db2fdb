import { createClient } from './client.ts'
import type { AuditServer } from './server.ts'
import { STALL_PATH } from './stall-meter.ts'

/** Milliseconds between two questions. */
const PAUSE = 100

/** Asks the stall meter of a server. */
export interface Stalls extends Disposable {
  /** Milliseconds for which nobody else had a turn, at the most since it was last asked; 0 where nobody answers. */
  longest(): Promise<number>
}

/** @param patience milliseconds after which no answer is waited for any longer */
export function createStalls({ port }: AuditServer, patience: number): Stalls {
  const client = createClient(port, 1, patience)
  return {
    async longest() {
      const { status, text } = await client.send({ method: 'GET', path: STALL_PATH, headers: {} })
      return status === 200 ? Number(text) : 0
    },
    [Symbol.dispose]: () => client[Symbol.dispose](),
  }
}

/** Asks again and again. @param onAnswer told each answer, and when the time that it is about began */
export function watchStalls(stalls: Stalls, onAnswer: (milliseconds: number, since: number) => void): AsyncDisposable {
  let over = false
  const asking = (async () => {
    for (let since = performance.now(); !over;) {
      const asked = performance.now()
      onAnswer(await stalls.longest(), since)
      since = asked
      await new Promise((resolve) => setTimeout(resolve, PAUSE))
    }
  })()
  return {
    [Symbol.asyncDispose]: async () => {
      over = true
      await asking
    },
  }
}
