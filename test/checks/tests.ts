// npm test [-- part-of-a-path …]: runs test/**/*.test.ts with uvu in this process, and closes three gaps of its own
// command: a `before` hook that throws, a file that forgets `.run()`, and a test that leaves something open all fail.
import { pathToFileURL } from 'node:url'
import { parse } from 'uvu/parse'

/** What uvu answers for a suite: the printed errors (true: none), tests passed, tests skipped, all its tests. */
type Outcome = [errors: string | true, passed: number, skipped: number, total: number]
type Queued = string | (() => Promise<Outcome>)

declare global {
  var UVU_DEFER: number
  var UVU_INDEX: number
  var UVU_QUEUE: Queued[][]
}

/** How long the process may stay alive after the last test, in milliseconds. */
const LINGER = 30_000

const parts = process.argv.slice(2)
const { suites } = await parse('test', /\.test\.ts$/)
const chosen = suites.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)))

if (chosen.length === 0) {
  console.error(`No test file has ${parts.join(' or ')} in its path.`)
  process.exit(1)
}

// Set before uvu loads: suites then wait in the queue instead of running on their own.
globalThis.UVU_DEFER = 1
const { exec } = await import('uvu')

for (const [index, { name, file }] of chosen.entries()) {
  globalThis.UVU_INDEX = index
  globalThis.UVU_QUEUE.push([name])
  await import(pathToFileURL(file).href)
}
globalThis.UVU_QUEUE = globalThis.UVU_QUEUE.map((group) =>
  group.length > 1 ? group.map(guarded) : [...group, noSuite],
)

await exec()

setTimeout(() => {
  console.error(`The tests are done, but something is still open: ${process.getActiveResourcesInfo().join(', ')}`)
  process.exit(1)
}, LINGER).unref()

/** The suite, failing where uvu would not: when a hook threw and its tests did not run. */
function guarded(queued: Queued): Queued {
  if (typeof queued === 'string') return queued
  return async () => {
    const [errors, passed, skipped, total] = await queued()
    const hookFailed = errors === true && passed < total
    return [
      hookFailed ? '  A before hook of this suite threw: do its work in a test to see why.\n' : errors,
      passed,
      skipped,
      total,
    ]
  }
}

async function noSuite(): Promise<Outcome> {
  return ['  This file runs no suite: end it with `.run()`.\n', 0, 0, 1]
}
