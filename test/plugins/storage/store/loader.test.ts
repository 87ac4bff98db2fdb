import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isThenable, RequestCache } from '../../../../kernel/index.ts'
import { collectDependencies } from '../../../../plugins/library/caching/index.ts'
import { loaderOf } from '../../../../plugins/storage/store/index.ts'

const loaders = suite('loaders')

/** A loader that doubles numbers, and the keys of each of its reads. */
function doublingLoader() {
  const reads: number[][] = []
  const read = async (keys: readonly number[]) => {
    reads.push([...keys])
    if (keys.includes(13)) throw new Error('no luck')
    return keys.map((key) => 2 * key)
  }
  const tags = { of: (key: number) => [`number:${key}`], found: (value: number) => [`double:${value}`] }
  const loader = loaderOf(new RequestCache(), 'doubled', read, tags)
  return { loader, reads }
}

loaders('read keys requested at the same time together, each once', async () => {
  const { loader, reads } = doublingLoader()
  const later = Promise.resolve().then(async () => loader.load(3))
  assert.equal(await Promise.all([loader.load(1), loader.loadAll([1, 2]), later]), [2, [undefined], 6])
  assert.equal(reads, [[1, 2, 3]])
  assert.is(loader.loadAll([1, 2, 3]), undefined)
})

loaders('return loaded and primed values without a promise', async () => {
  const { loader, reads } = doublingLoader()
  loader.prime(4, 9)
  assert.is(loader.load(4), 9)
  await loader.load(5)
  loader.prime(5, 9)
  assert.is(loader.load(5), 10)
  assert.equal(reads, [[5]])
})

loaders('let callers with loaded values wait for an open batch', async () => {
  const { loader } = doublingLoader()
  loader.prime(1, 2)
  const unknown = loader.load(2)
  const cached = loader.load(1)
  assert.ok(isThenable(cached))
  assert.equal(await Promise.all([unknown, cached]), [4, 2])
})

loaders('read a key again after a failure', async () => {
  const { loader, reads } = doublingLoader()
  for (const _ of [1, 2]) {
    const failure = await Promise.resolve(loader.load(13)).catch((error: Error) => error.message)
    assert.is(failure, 'no luck')
  }
  assert.equal(reads, [[13], [13]])
})

loaders('read at most a thousand keys per call', async () => {
  const { loader, reads } = doublingLoader()
  await loader.loadAll(Array.from({ length: 1500 }, (_, index) => index + 100))
  assert.equal(
    reads.map((keys) => keys.length),
    [1000, 500],
  )
})

loaders('add the tags of a value to every caller, also for loaded values', async () => {
  const { loader } = doublingLoader()
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
