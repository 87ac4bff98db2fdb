import { setTimeout as delay } from 'node:timers/promises'

/** How often is looked, every ten milliseconds: for a minute at least, and on a slow machine for longer. */
const TRIES = 6000

/** Waits until something has come about. @throws Error when it does not */
export async function until(done: () => unknown): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (await done()) return
    await delay(10)
  }
  throw new Error(`This never came about: ${done.toString()}`)
}
