import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { VersionedCache } from '../../../../plugins/library/caching/versioned-cache.ts'

const caches = suite('versioned cache')

/** Data with a version, and a cache of at most two entries that depend on the tag of their key. */
function createCache() {
  const data = { version: 1 as number | null, changed: new Map<string, number>() }
  const versions = {
    state: () => data.version,
    unchanged: (tags: readonly string[], since: number) => tags.every((tag) => (data.changed.get(tag) ?? 0) <= since),
  }
  const cache = new VersionedCache<string, string>(versions, { maxEntries: 2, tagsOf: (_, key) => [key] })
  const change = (tag: string) => {
    data.version = data.version! + 1
    data.changed.set(tag, data.version)
  }
  return { data, cache, change }
}

caches('returns an entry until its data changes', () => {
  const { cache, change } = createCache()
  assert.is(cache.get('rose'), undefined)
  cache.set('rose', 'red', cache.begin())
  change('lily')
  assert.is(cache.get('rose'), 'red')
  change('rose')
  assert.is(cache.get('rose'), undefined)
})

caches('neither stores nor returns values in an unknown state', () => {
  const { data, cache } = createCache()
  data.version = null
  cache.set('rose', 'red', cache.begin())
  data.version = 1
  assert.is(cache.get('rose'), undefined)
  cache.set('rose', 'red', cache.begin())
  data.version = null
  assert.is(cache.get('rose'), undefined)
  data.version = 1
  assert.is(cache.get('rose'), 'red')
})

caches('does not return a value that was read before a change, even if it is stored afterwards', () => {
  const { cache, change } = createCache()
  const token = cache.begin()
  change('rose')
  cache.set('rose', 'red', token)
  assert.is(cache.get('rose'), undefined)
})

caches('deletes an entry unless another value has replaced it', () => {
  const { cache } = createCache()
  cache.delete('rose', 'red')
  cache.set('rose', 'red', cache.begin())
  cache.delete('rose', 'white')
  assert.is(cache.get('rose'), 'red')
  cache.delete('rose', 'red')
  assert.is(cache.get('rose'), undefined)
})

caches('evicts the least recently used entry', () => {
  const { cache } = createCache()
  for (const key of ['rose', 'lily']) cache.set(key, key, cache.begin())
  cache.get('rose')
  cache.set('iris', 'iris', cache.begin())
  assert.equal(
    ['rose', 'lily', 'iris'].map((key) => cache.get(key)),
    ['rose', undefined, 'iris'],
  )
})

caches.run()
