import { stat } from 'node:fs/promises'
import { parse } from 'uvu/parse'

/** Beginnings of the paths of test files that run alone: they measure what a neighbour would disturb. */
const ALONE: readonly string[] = []

/** The test files whose path holds one of the parts (all without parts), the largest first so that none starts last. */
export async function testFiles(parts: readonly string[]) {
  const { suites } = await parse('test', /\.test\.ts$/)
  const chosen = suites.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)))
  const sized = await Promise.all(chosen.map(async ({ name, file }) => ({ name, size: (await stat(file)).size })))
  const names = sized.toSorted((one, other) => other.size - one.size).map(({ name }) => name)
  const isAlone = (name: string) => ALONE.some((start) => name.startsWith(start))
  return { sideBySide: names.filter((name) => !isAlone(name)), alone: names.filter(isAlone) }
}
