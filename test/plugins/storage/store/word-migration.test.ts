import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { migrateWord } from '../../../../plugins/storage/store/word-migration.ts'
import { stores } from '../../../helpers/stores.ts'
import type { Store } from '../../../../plugins/storage/store/store.ts'

const word = suite('word migration')

async function fill(store: Store, types: readonly string[], taxonomies: readonly string[]): Promise<void> {
  for (const type of types) await store.run(store.db.insertInto('posts').values({ type }))
  for (const [at, taxonomy] of taxonomies.entries()) {
    await store.run(store.db.insertInto('terms').values({ taxonomy, name: `t${at}`, slug: `t${at}` }))
  }
}

async function namesIn(store: Store): Promise<[types: string[], taxonomies: string[]]> {
  const posts = await store.all(store.db.selectFrom('posts').select('type').orderBy('id'))
  const terms = await store.all(store.db.selectFrom('terms').select('taxonomy').orderBy('id'))
  return [posts.map(({ type }) => type), terms.map(({ taxonomy }) => taxonomy)]
}

for (const kind of stores) {
  word(`renames types and taxonomies with the former word, on ${kind.name}`, async () => {
    await using opened = await kind.open()
    const { store } = opened
    await migrateWord(store, 'svc')
    await fill(
      store,
      ['post', 'svc_block', 'svcx', 'svc', 'nav_menu_item', 'wp_of_a_plugin'],
      ['svc_theme', 'post_tag'],
    )
    await migrateWord(store, 'wp')
    assert.equal(await namesIn(store), [
      ['post', 'wp_block', 'svcx', 'svc', 'nav_menu_item', 'wp_of_a_plugin'],
      ['wp_theme', 'post_tag'],
    ])
    await migrateWord(store, 'wp')
    await migrateWord(store, 'longword')
    assert.equal((await namesIn(store))[0][1], 'longword_block')
  })
}

for (const kind of stores) {
  word(`renames types in menu items, the change log and webhooks, on ${kind.name}`, async () => {
    await using opened = await kind.open()
    const { store } = opened
    await migrateWord(store, 'svc')
    const { db } = store
    const change = {
      time: 1,
      kind: 'post',
      object: '7',
      change: 'created',
      tags: '["posts:type=svc_block","posts:svc_theme=1"]',
      before: null,
    }
    for (const type of ['svc_block', 'post'])
      await store.run(db.insertInto('changes').values({ ...change, type, after: JSON.stringify({ type, slug: '' }) }))
    const webhook = { source: 'site', name: '', url: 'https://a.example', created: 1 }
    await store.run(db.insertInto('webhooks').values({ ...webhook, types: '["post","svc_block"]' }))
    await store.run(db.insertInto('posts').values({ type: 'nav_menu_item' }))
    const { id } = (await store.first(db.selectFrom('posts').select('id')))!
    for (const key of ['_menu_item_object', 'other'])
      await store.run(db.insertInto('post_meta').values({ post_id: id, key, value: 'svc_block', json: 0 }))
    await migrateWord(store, 'wp')
    const meta = await store.all(db.selectFrom('post_meta').select('value').orderBy('id'))
    assert.equal(
      meta.map(({ value }) => value),
      ['wp_block', 'svc_block'],
    )
    const changes = await store.all(
      db.selectFrom('changes').select(['type', 'tags', 'after']).where('object', '=', '7'),
    )
    for (const { tags } of changes) assert.is(tags, '["posts:type=wp_block","posts:wp_theme=1"]')
    const shown = changes.map(({ type, after }) => `${type} ${(JSON.parse(after!) as { type: string }).type}`)
    assert.equal(shown.sort(), ['post post', 'wp_block wp_block'])
    assert.is((await store.first(db.selectFrom('webhooks').select('types')))?.types, '["post","wp_block"]')
  })
}

word('changes nothing if the word is the same', async () => {
  await using opened = await stores.at(-1)!.open()
  const { store } = opened
  await migrateWord(store, 'svc')
  const statements: string[] = []
  store.onStatement(({ sql }) => statements.push(sql))
  await migrateWord(store, 'svc')
  assert.is(statements.length, 1)
})

word('assumes the word svc for a database without a stored word', async () => {
  await using opened = await stores.at(-1)!.open()
  await fill(opened.store, ['svc_block'], [])
  await migrateWord(opened.store, 'wp')
  assert.equal((await namesIn(opened.store))[0], ['wp_block'])
})

word.run()
