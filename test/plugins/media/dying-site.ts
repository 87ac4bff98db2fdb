// A process of its own: serves a site, does something with a file, and is killed at the moment that it is told.
import { definePlugin } from '../../../kernel/index.ts'
import { stageUploads } from '../../../importer/uploads.ts'
import { FILE_KEY } from '../../../plugins/media/facts.ts'
import { openStore, type Store } from '../../../plugins/store/store.ts'
import { as, serve } from '../../site.ts'

const [database = '', uploads = '', moment = ''] = process.argv.slice(2)

const die = () => void process.kill(process.pid, 'SIGKILL')

/** Where a request is, by the name of the moment. */
const dying = definePlugin({
  name: 'test-dying',
  after: ['media'],
  needs: ['store', 'posts'],
  apply({ hooks, services }) {
    const at = (name: string, tap: () => void) => {
      if (moment === name) tap()
    }
    at('placed', () => hooks.rest_pre_insert_attachment!.tap('dying', (change: unknown) => (die(), change)))
    at('stored', () => hooks.rest_insert_attachment!.tap('dying', die))
    at('committed', () => hooks.rest_after_insert_attachment!.tap('dying', die))
    at('deleting', () => hooks.deleted_post.tap('dying', die))
    at('deleted', () =>
      hooks.deleted_post.tap('dying', () => {
        services.store.onSettled(die)
      }),
    )
  },
})

if (moment === 'staged' || moment === 'promised') {
  const store = await openStore(database)
  const staged = await stageUploads(`${uploads}-source`, uploads)
  const importFiles = async (tx: Store) => {
    const post = tx.db.insertInto('posts').values({ type: 'attachment', status: 'inherit', slug: 'old' })
    const { id } = (await tx.first(post.returning('id')))!
    await tx.run(tx.db.insertInto('post_meta').values({ post_id: id, key: FILE_KEY, value: '2024/old.txt' }))
    await staged.promise(tx)
  }
  if (moment === 'promised') await store.inTurn(importFiles)
  die()
}

const site = await serve({ database, uploads, add: [dying], plugins: { batch: { transactions: true } } })
if (moment === 'batch') {
  let written = 0
  site.kernel.hooks.rest_insert_post!.tap('dying', () => {
    written += 1
    if (written === 3) die()
  })
  const requests = [1, 2, 3, 4].map((number) => ({ path: '/svc/v2/posts', body: { title: `Part ${number}` } }))
  await site.request('/batch/v1', {
    method: 'POST',
    headers: { ...as('administrator', 1), 'content-type': 'application/json' },
    body: JSON.stringify({ requests, transaction: true }),
  })
}
const { id } = (await (
  await site.request('/svc/v2/media', {
    method: 'POST',
    headers: {
      ...as('administrator', 1),
      'content-disposition': 'attachment; filename="note.txt"',
      'content-type': 'text/plain',
    },
    body: 'some text',
  })
).json()) as { id: number }
await site.request(`/svc/v2/media/${id}?force=true`, { method: 'DELETE', headers: as('administrator', 1) })
