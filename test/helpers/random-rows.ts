import type { RandomTools, Writes } from './random-tools.ts'

/** Writes by SQL, as a plugin or an external program does. */
export function writesOfRows(tools: RandomTools): Writes {
  const { store, users } = tools.site
  const { db } = store
  const run = (statement: Parameters<typeof store.run>[0]) => store.run(statement)
  const { ann, ed } = users
  return {
    'write to posts': () =>
      run(db.updateTable('posts').set({ title: tools.text() }).where('id', '=', tools.pick('posts'))),
    'write to authors': () => run(db.updateTable('posts').set({ author_id: ed }).where('author_id', '=', ann)),
    'write to comments': () =>
      run(db.updateTable('comments').set({ approved: '0' }).where('post_id', '=', tools.pick('posts'))),
    'move a comment': () => {
      const [id, post] = [tools.pick('comments'), tools.pick('posts')]
      return run(db.updateTable('comments').set({ post_id: post, parent_id: 0 }).where('id', '=', id))
    },
    'write to terms of posts': () =>
      run(db.deleteFrom('term_relationships').where('post_id', '=', tools.pick('posts'))),
    'exchange terms of posts': async () => {
      const [one, other] = [tools.objects.tags[0] ?? 0, tools.next() + 1000]
      await tools.change('posts', { tags: [one] })
      const term = { id: other, taxonomy: 'post_tag', name: tools.text(), slug: tools.text() }
      await run(db.insertInto('terms').values(term))
      await run(db.updateTable('term_relationships').set({ term_id: other }).where('term_id', '=', one))
    },
    'write to meta': () => run(db.deleteFrom('post_meta').where('post_id', '=', tools.pick('posts'))),
    'move meta': async () => {
      const [one, other] = [tools.pick('posts'), tools.pick('posts')]
      await tools.change('posts', { meta: { mark: tools.text() } }, one)
      const mark = db.updateTable('post_meta').where('key', '=', 'mark').where('post_id', '=', one)
      await run(mark.set({ post_id: other }))
    },
    'write to users': () => run(db.updateTable('users').set({ name: tools.text() }).where('id', '=', ann)),
    'write and take back': async () => {
      const change = db.updateTable('posts').set({ title: 'taken back' }).where('id', '=', tools.pick('posts'))
      const refused = store.transaction(async (tx) => {
        await tx.run(change)
        throw new Error('taken back')
      })
      await refused.catch(() => {})
    },
  }
}
