import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { NOTE_STATUS_KEY } from '../../../plugins/content/meta-keys.ts'
import { openStore } from '../../../plugins/storage/store/open.ts'
import { currentVersion } from '../../../plugins/storage/store/migrations/migrate.ts'
import { sql } from '../../../plugins/storage/store/index.ts'
import type { Store } from '../../../plugins/storage/store/store.ts'
import { databases, serveWithUsers, withUsers, type UserIds } from '../../helpers/site-with-users.ts'
import { serve } from '../../helpers/site.ts'
import { shared } from '../../helpers/stores.ts'

/** Version of the schema before meta keys lost the word. */
const VERSION_BEFORE = 22

/** Returns the keys of meta and options that contain a word. */
async function keysWithWord(store: Store): Promise<string[]> {
  const { db } = store
  const tables = ['post_meta', 'comment_meta', 'term_meta', 'user_meta'] as const
  const meta = await Promise.all(tables.map((table) => store.all(db.selectFrom(table as 'post_meta').select('key'))))
  const options = await store.all(db.selectFrom('options').select('name'))
  const keys = [...meta.flat().map(({ key }) => key), ...options.map(({ name }) => name)]
  return keys.filter((key) => /(?:^|_)(?:wp|svc)_/.test(key))
}

for (const { name, place } of databases) {
  const keys = suite(`stored keys on ${name}`)

  keys('contain no word, so that another word shows the values under its names', async () => {
    await using database = await place()
    const content = { title: 'A', content: 'A', status: 'publish' }
    const ids = { block: 0, post: 0, note: 0, users: {} as UserIds }
    {
      await using site = await serveWithUsers(shared(database))
      const create = async (path: string, body: object) => {
        const response = await site.send('POST', `/svc/v2/${path}`, body, 'admin')
        assert.is(response.status, 201, await response.clone().text())
        return ((await response.json()) as { id: number }).id
      }
      ids.block = await create('blocks', { ...content, meta: { svc_pattern_sync_status: 'unsynced' } })
      ids.post = await create('posts', content)
      const note = { post: ids.post, type: 'note', status: 'hold', content: 'A' }
      ids.note = await create('comments', { ...note, meta: { _svc_note_status: 'resolved' } })
      await create('font-families', {
        font_family_settings: JSON.stringify({ name: 'A', slug: 'a', fontFamily: 'A' }),
      })
      await site.send('POST', '/svc/v2/users/me', { meta: { persisted_preferences: { a: 1 } } }, 'admin')
      ids.users = site.users
      assert.equal(await keysWithWord(site.store), [])
    }
    await using other = withUsers(await serve({ database: database.url, word: 'wp' }), ids.users)
    const shown = async (path: string) => {
      const response = await other.send('GET', `/wp/v2/${path}?context=edit`, null, 'admin')
      return (await response.json()) as { wp_pattern_sync_status: string; meta: { _wp_note_status: string } }
    }
    assert.is((await shown(`blocks/${ids.block}`)).wp_pattern_sync_status, 'unsynced')
    assert.is((await shown(`comments/${ids.note}`)).meta._wp_note_status, 'resolved')
    const reopened = { meta: { _wp_note_status: 'reopen' } }
    assert.is((await other.send('PUT', `/wp/v2/comments/${ids.note}`, reopened, 'admin')).status, 200)
    assert.is((await shown(`comments/${ids.note}`)).meta._wp_note_status, 'reopen')
    assert.equal(await keysWithWord(other.store), [])
  })

  keys('lose the word in databases of earlier versions', async () => {
    await using database = await place()
    {
      const store = await openStore(database.url)
      const { db } = store
      const value = { value: 'unsynced', json: 0 }
      await store.run(db.insertInto('options').values({ name: 'word', value: '"blog"' }))
      await store.run(db.insertInto('posts').values([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]))
      await store.run(db.insertInto('comments').values({ id: 1, post_id: 1 }))
      for (const [id, key] of ['svc', 'wp', 'blog', 'other'].entries())
        await store.run(
          db.insertInto('post_meta').values({ post_id: id + 1, key: `${key}_pattern_sync_status`, ...value }),
        )
      await store.run(db.insertInto('post_meta').values({ post_id: 1, key: '_blog_font_face_file', ...value }))
      await store.run(db.insertInto('comment_meta').values({ comment_id: 1, key: '_blog_note_status', ...value }))
      await store.run(sql`delete from migrations where version > ${VERSION_BEFORE}`)
      await store.close()
    }
    const store = await openStore(database.url)
    const { db } = store
    const posts = await store.all(
      db.selectFrom('post_meta').select(['post_id', 'key']).orderBy('post_id').orderBy('key'),
    )
    const comments = await store.all(db.selectFrom('comment_meta').select('key'))
    const versions = await store.all(sql<{ version: number }>`select max(version) as version from migrations`)
    await store.close()
    assert.equal(
      posts.map(({ post_id, key }) => `${post_id} ${key}`),
      [
        '1 _font_face_file',
        '1 pattern_sync_status',
        '2 pattern_sync_status',
        '3 pattern_sync_status',
        '4 other_pattern_sync_status',
      ],
    )
    assert.equal(comments, [{ key: NOTE_STATUS_KEY }])
    assert.is(Number(versions[0]?.version), currentVersion)
  })

  keys.run()
}
