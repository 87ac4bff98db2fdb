import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { firstFreeSlug } from '../../../plugins/resources/index.ts'

const freeSlug = suite('firstFreeSlug')

/** Returns a lookup of taken slugs that records the number of candidates per call. */
function site(...slugs: string[]) {
  const counts: number[] = []
  const findTaken = async (some: readonly string[]) => {
    counts.push(some.length)
    return new Set(some.filter((slug) => slugs.includes(slug)))
  }
  return { counts, findTaken }
}

freeSlug('returns the slug itself if it is free', async () => {
  const { counts, findTaken } = site('other')
  assert.is(await firstFreeSlug('rose', findTaken), 'rose')
  assert.equal(counts, [1])
})

freeSlug('returns the first free number, testing ten candidates at a time', async () => {
  const { counts, findTaken } = site('rose', 'rose-2', 'rose-4')
  assert.is(await firstFreeSlug('rose', findTaken), 'rose-3')
  assert.equal(counts, [1, 10])
})

freeSlug('starts with the number in the option first', async () => {
  const { counts, findTaken } = site('rose')
  assert.is(await firstFreeSlug('rose', findTaken, { first: 2 }), 'rose-2')
  assert.equal(counts, [10])
})

freeSlug('tests at most as many candidates per call as the option most allows', async () => {
  const many = Array.from({ length: 40 }, (_, index) => `rose-${index + 1}`)
  const { counts, findTaken } = site('rose', ...many)
  assert.is(await firstFreeSlug('rose', findTaken, { most: 20 }), 'rose-41')
  assert.equal(counts, [1, 10, 20, 20])
})

freeSlug('keeps the maximum length without splitting an encoded letter', async () => {
  const long = `${'a'.repeat(196)}%c3%a4`.slice(0, 202)
  const { findTaken } = site(long)
  const free = await firstFreeSlug(long, findTaken)
  assert.is(free, `${'a'.repeat(196)}-2`)
})

freeSlug.run()
