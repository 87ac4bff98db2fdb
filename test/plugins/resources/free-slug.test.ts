import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { firstFreeSlug } from '../../../plugins/resources/index.ts'

const freeSlug = suite('first free slug')

/** What is taken, and how many slugs were asked for each time. */
function site(...slugs: string[]) {
  const asked: number[] = []
  const taken = async (some: readonly string[]) => {
    asked.push(some.length)
    return new Set(some.filter((slug) => slugs.includes(slug)))
  }
  return { asked, taken }
}

freeSlug('is the slug itself where nothing has it', async () => {
  const { asked, taken } = site('other')
  assert.is(await firstFreeSlug('rose', taken), 'rose')
  assert.equal(asked, [1])
})

freeSlug('is the first number that is free, asked for ten at a time', async () => {
  const { asked, taken } = site('rose', 'rose-2', 'rose-4')
  assert.is(await firstFreeSlug('rose', taken), 'rose-3')
  assert.equal(asked, [1, 10])
})

freeSlug('begins with a later number where the first are known to be taken', async () => {
  const { asked, taken } = site('rose')
  assert.is(await firstFreeSlug('rose', taken, { first: 2 }), 'rose-2')
  assert.equal(asked, [10])
})

freeSlug('asks for no more at once than it may', async () => {
  const many = Array.from({ length: 40 }, (_, index) => `rose-${index + 1}`)
  const { asked, taken } = site('rose', ...many)
  assert.is(await firstFreeSlug('rose', taken, { most: 20 }), 'rose-41')
  assert.equal(asked, [1, 10, 20, 20])
})

freeSlug('stays as short as slugs are, without half of an encoded letter', async () => {
  const long = `${'a'.repeat(196)}%c3%a4`.slice(0, 202)
  const { taken } = site(long)
  const free = await firstFreeSlug(long, taken)
  assert.is(free, `${'a'.repeat(196)}-2`)
})

freeSlug.run()
