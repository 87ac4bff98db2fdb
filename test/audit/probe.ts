import { Agent, get } from 'node:http'

/** Milliseconds between two questions. */
const PAUSE = 25

/** A wait that was longer than any before. */
export interface Wait {
  milliseconds: number
  begun: number
}

/** Asks one cheap question again and again over a connection of its own: how long does anybody wait for it? */
export interface Probe extends AsyncDisposable {
  readonly longest: Wait
  /** Forgets the waits so far. */
  reset(): void
}

/**
 * @param home of the server
 * @param onWait told of each wait longer than `limit` milliseconds
 */
export function startProbe(home: string, limit = Infinity, onWait?: (wait: Wait) => void): Probe {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let longest: Wait = { milliseconds: 0, begun: 0 }
  let over = false
  const ask = () =>
    new Promise<void>((resolve) => {
      get(`${home}/svc-json/svc/v2/statuses`, { agent }, (answer) => {
        answer.resume().on('close', resolve)
      }).on('error', () => resolve())
    })
  const asking = (async () => {
    while (!over) {
      const begun = performance.now()
      await ask()
      const wait = { milliseconds: performance.now() - begun, begun }
      if (wait.milliseconds > longest.milliseconds) longest = wait
      if (wait.milliseconds > limit) onWait?.(wait)
      await new Promise((resolve) => setTimeout(resolve, PAUSE))
    }
  })()
  return {
    get longest() {
      return longest
    },
    reset: () => void (longest = { milliseconds: 0, begun: 0 }),
    [Symbol.asyncDispose]: async () => {
      over = true
      await asking
      agent.destroy()
    },
  }
}
