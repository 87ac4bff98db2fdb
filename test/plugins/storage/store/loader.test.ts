import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isThenable, RequestCache } from '../../../../kernel/index.ts'
import { collectDependencies } from '../../../../plugins/library/caching/index.ts'
import { loaderOf } from '../../../../plugins/storage/store/index.ts'

const loaders = suite('loaders')

/** A loader that doubles numbers, and what it was asked for each time. */
function doubling() {
  const asked: number[][] = []
  const read = async (keys: readonly number[]) => {
    asked.push([...keys])
    if (keys.includes(13)) throw new Error('no luck')
    return keys.map((key) => 2 * key)
  }
  const tags = { of: (key: number) => [`number:${key}`], found: (value: number) => [`double:${value}`] }
  const loader = loaderOf(new RequestCache(), 'doubled', read, tags)
  return { loader, asked }
}

loaders('read together what is asked for at the same time, and each of it once', async () => {
  const { loader, asked } = doubling()
  const later = Promise.resolve().then(async () => loader.load(3))
  assert.equal(await Promise.all([loader.load(1), loader.loadAll([1, 2]), later]), [2, [undefined], 6])
  assert.equal(asked, [[1, 2, 3]])
  assert.is(loader.loadAll([1, 2, 3]), undefined)
})

loaders('have what was read, or told, without a promise', async () => {
  const { loader, asked } = doubling()
  loader.prime(4, 9)
  assert.is(loader.load(4), 9)
  await loader.load(5)
  loader.prime(5, 9)
  assert.is(loader.load(5), 10)
  assert.equal(asked, [[5]])
})

loaders('let those who have theirs wait with those who do not, so that they ask together again', async () => {
  const { loader } = doubling()
  loader.prime(1, 2)
  const unknown = loader.load(2)
  const known = loader.load(1)
  assert.ok(isThenable(known))
  assert.equal(await Promise.all([unknown, known]), [4, 2])
})

loaders('read again what could not be read', async () => {
  const { loader, asked } = doubling()
  for (const _ of [1, 2]) {
    const failure = await Promise.resolve(loader.load(13)).catch((error: Error) => error.message)
    assert.is(failure, 'no luck')
  }
  assert.equal(asked, [[13], [13]])
})

loaders('read no more than a thousand with one statement', async () => {
  const { loader, asked } = doubling()
  await loader.loadAll(Array.from({ length: 1500 }, (_, index) => index + 100))
  assert.equal(
    asked.map((keys) => keys.length),
    [1000, 500],
  )
})

loaders('tell what each who asks depends on, also where it is known', async () => {
  const { loader } = doubling()
  const tags = () =>
    collectDependencies(async (dependencies) => {
      await loader.load(1)
      return [...dependencies.tags]
    })
  assert.equal(await Promise.all([tags(), tags()]), [
    ['number:1', 'double:2'],
    ['number:1', 'double:2'],
  ])
  assert.equal(await tags(), ['number:1', 'double:2'])
})

loaders.run()
