import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  fingerprint,
  keyOfName,
  normalizeGuid,
  normalizeHome,
} from '../../../../../plugins/operations/importer/old-sites/fingerprint.ts'
import { OldSite } from '../../../../../plugins/operations/importer/old-sites/old-site.ts'
import type { MappedKind } from '../../../../../plugins/operations/importer/old-sites/tables.ts'
import type { Store } from '../../../../../plugins/storage/store/store.ts'
import { stores } from '../../../../helpers/stores.ts'
import { createTables } from '../importing.ts'

const key = (kind: MappedKind, oldId: number, taxonomy = '') => ({ kind, taxonomy, oldId })
const here = (newId: number) => ({ newId, name: 1, source: 2, written: 3 })

for (const kind of stores) {
  const test = suite(`map of an old site: ${kind.name}`)

  const openStore = async () => {
    const opened = await kind.open()
    await createTables(opened.store)
    return opened
  }

  /** Opens the map in a transaction, which is committed. */
  const open = async <T>(store: Store, home: string, work: (site: OldSite, tx: Store) => Promise<T>): Promise<T> =>
    await store.inTurn(async (tx) => {
      const site = await OldSite.open(tx, home)
      const done = await work(site, tx)
      await site.flush()
      return done
    })

  test('finds the objects of earlier imports, whatever the form of the home URL', async () => {
    await using opened = await openStore()
    await open(opened.store, 'http://old.test/blog', async (site) => {
      assert.is(site.isNew, true)
      site.set(key('post', 30), here(812))
      site.set(key('term', 9, 'category'), here(5))
      site.set(key('term', 9, 'post_tag'), here(6))
      assert.is(site.newIdOf('post', 30), 812)
      assert.equal(await site.find('post', [30, 31]), new Map([[30, here(812)]]))
    })
    for (const home of ['https://old.test/blog', 'https://www.OLD.test/blog/', '//old.test/blog//']) {
      await open(opened.store, home, async (site) => {
        assert.is(site.isNew, false, home)
        assert.is(site.newIdOf('post', 30), 0)
        await site.load('post', [30, 31])
        assert.is(site.newIdOf('post', 30), 812)
        assert.equal(await site.find('term', [9], 'post_tag'), new Map([[9, here(6)]]))
        assert.is((await site.all('term')).length, 2)
        assert.equal(
          [...(await site.findByNewIds('post', [811, 812])).values()].flat().map(({ oldId }) => oldId),
          [30],
        )
      })
    }
    await open(opened.store, 'https://other.test', async (site) => {
      assert.is(site.isNew, true)
      assert.equal(await site.find('post', [30]), new Map())
    })
  })

  test('forgets the ID of an object that is deleted here, by a statement or with its post', async () => {
    await using opened = await openStore()
    const { store } = opened
    await store.run(store.db.insertInto('posts').values({ id: 812, title: 'A' }))
    await store.run(store.db.insertInto('comments').values({ id: 70, post_id: 812 }))
    await store.run(store.db.insertInto('terms').values({ id: 5, taxonomy: 'category', slug: 'a', name: 'A' }))
    await store.run(store.db.insertInto('users').values({ id: 4, login: 'ann', slug: 'ann' }))
    await open(store, 'http://old.test', async (site) => {
      site.set(key('post', 30), here(812))
      site.set(key('comment', 31), here(70))
      site.set(key('term', 9, 'category'), here(5))
      site.set(key('user', 2), here(4))
    })
    await store.run(store.db.deleteFrom('posts').where('id', '=', 812))
    await store.run(store.db.deleteFrom('terms').where('id', '=', 5))
    await store.run(store.db.deleteFrom('users').where('id', '=', 4))
    await store.run(store.db.deleteFrom('comments').where('id', '=', 70))
    // An ID that is assigned again belongs to a new object.
    await store.run(store.db.insertInto('posts').values({ id: 812, title: 'B' }))
    await open(store, 'http://old.test', async (site) => {
      await site.load('post', [30])
      assert.is(site.newIdOf('post', 30), 0)
      for (const [one, id, taxonomy] of [
        ['post', 30, ''],
        ['comment', 31, ''],
        ['term', 9, 'category'],
        ['user', 2, ''],
      ] as const) {
        assert.equal((await site.find(one, [id], taxonomy)).get(id)?.newId, 0, one)
      }
    })
  })

  test('remembers drafts that were never saved, and which IDs are kept', async () => {
    await using opened = await openStore()
    await open(opened.store, 'http://old.test', async (site) => {
      site.addUnsaved(7)
      await site.keepIds('post')
      assert.is(site.keepsIds('post'), true)
    })
    await open(opened.store, 'http://old.test', async (site) => {
      assert.equal(await site.unsavedAmong([6, 7]), new Set([7]))
      assert.is(site.keepsIds('post'), true)
      assert.is(site.keepsIds('term'), false)
    })
  })

  test.run()
}

const names = suite('names of old objects')

names('of the same site or object are equal', () => {
  assert.is(normalizeHome('HTTPS://www.Old.test:8080/A/b//?x#y'), 'old.test:8080/A/b')
  assert.is(normalizeHome(''), '')
  assert.is(normalizeGuid('http://www.old.test/?post_type=page&#038;p=5'), 'old.test/?post_type=page&p=5')
})

names('have hashes that fit into a number, and keys that are no IDs', () => {
  assert.ok(Number.isSafeInteger(fingerprint(['a', 1])))
  assert.is.not(fingerprint(['a', 'b']), fingerprint(['ab']))
  assert.is(fingerprint(['a\0b']), fingerprint(['ab']))
  assert.ok(keyOfName('a') < 0)
})

names.run()
