import { setTimeout as delay } from 'node:timers/promises'

/** Maximum number of checks, one every ten milliseconds: at least a minute, longer on a slow machine. */
const TRIES = 6000

/** Waits until `done` returns a truthy value. @throws Error after the last check */
export async function until(done: () => unknown): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (await done()) return
    await delay(10)
  }
  throw new Error(`This never came about: ${done.toString()}`)
}
