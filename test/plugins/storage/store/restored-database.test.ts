import { suite } from 'uvu'
import { openStore } from '../../../../plugins/storage/store/open.ts'
import { addPosts } from '../../../helpers/content.ts'
import { EventClient } from '../../../helpers/event-source.ts'
import { restorables } from '../../../helpers/restorable.ts'
import { serve, type Site } from '../../../helpers/site.ts'
import { until } from '../../../helpers/until.ts'

/** Numbers of changes in the restored database before the servers check it: fewer and more than they knew. */
const CHANGES_SINCE = [0, 12]

for (const { name, make } of restorables) {
  const restored = suite(`a database that lost changes, on ${name}`)

  for (const since of CHANGES_SINCE) {
    restored(`no longer affects any server, with ${since} changes since`, async () => {
      await using place = await make()
      const id = await addPost(place.url)
      await place.save()
      await using one = await serve({ database: place.url })
      await using two = await serve({ database: place.url })
      const path = `/svc/v2/posts/${id}`
      const titleOn = async (site: Site) => {
        const post = (await site.json(path)) as { title?: { rendered: string } }
        return post.title?.rendered
      }
      using client = new EventClient(() => `${one.home}/svc-json/svc/v2/changes`, {
        headers: { accept: 'text/event-stream' },
        reconnects: true,
      })
      await until(() => client.isOpen)
      // Both cache a state that will be lost.
      for (const title of ['Second', 'Third', 'Lost']) await rename(one, id, title)
      for (const site of [one, two]) {
        await until(async () => (await titleOn(site)) === 'Lost')
        await until(async () => (await site.get(path)).headers.get('x-svc-cache') === 'HIT')
      }
      await until(() => client.changes.length === 3)

      await place.restore()
      await change(place.url, since)
      for (const site of [one, two]) await until(async () => (await titleOn(site)) === 'First')
      // Clients of the feed start again after the latest change.
      await until(() => client.of('reset').length > 0)
      await until(async () => {
        const { last } = await one.kernel.services.changeHistory.bounds()
        return client.lastEventId === String(last)
      })

      // Change numbers are reused for other changes.
      for (const [site, title] of [
        [two, 'Fourth'],
        [one, 'Fifth'],
        [two, 'Sixth'],
      ] as const) {
        await rename(site, id, title)
        for (const other of [one, two]) await until(async () => (await titleOn(other)) === title)
      }
      await until(() => client.changes.length >= 6)
    })
  }

  restored.run()
}

async function addPost(database: string): Promise<number> {
  await using site = await serve({ database })
  const [id] = await addPosts(site.store, { title: 'First' })
  return id!
}

async function rename({ store }: Site, id: number, title: string): Promise<void> {
  await store.run(store.db.updateTable('posts').set({ title }).where('id', '=', id))
}

/** Changes other data, like another program. */
async function change(database: string, times: number): Promise<void> {
  const store = await openStore(database)
  for (let time = 0; time < times; time += 1) await store.changes.touch([`stock:${time}`])
  await store.close()
}
