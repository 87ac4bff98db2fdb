import type { Callback, Test } from 'uvu'

/** A test that did not run. */
export interface SkippedTest {
  readonly test: string
  /** Completes the sentence "Skipped, because …". */
  readonly reason: string
}

let skipped: SkippedTest[] = []

/**
 * Declares tests of a suite that are skipped. `npm test` lists them at its end.
 * @param reason completes the sentence "Skipped, because …"
 */
export function skipIn<C>(suite: Test<C>, reason: string): (name: string, test: Callback<C>) => void {
  return (test, callback) => {
    skipped.push({ test, reason })
    suite.skip(test, callback)
  }
}

/** Returns the tests skipped since the last call. */
export function takeSkippedTests(): SkippedTest[] {
  const tests = skipped
  skipped = []
  return tests
}
