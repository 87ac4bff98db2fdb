import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openStore } from '../../plugins/storage/store/open.ts'
import { filePlace, places } from '../helpers/stores.ts'
import { until } from '../helpers/until.ts'
import { connectToEach, runWorkers, type Client } from '../helpers/workers.ts'

const V2 = '/svc/v2'
/** Runs the same function with each client in turn. */
const inTurn = async <T>(
  clients: readonly Client[],
  times: number,
  work: (client: Client, index: number) => Promise<T>,
) => {
  const results: T[] = []
  for (let index = 0; index < times; index += 1) results.push(await work(clients[index % clients.length]!, index))
  return results
}

/** Returns the names of all files in a folder, recursively. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
}

for (const { name, make: place } of places) {
  const make = name === 'SQLite' ? filePlace : place
  const together = suite(`workers with one database, ${name}`)

  together('publish each scheduled post once', async () => {
    await using database = await make()
    await using site = await runWorkers(database.url)
    using clients = await connectToEach(site.home)
    const date_gmt = new Date(Date.now() + 7_200_000).toISOString().slice(0, 19)
    const created = await inTurn(clients, 9, ({ send }, index) =>
      send('POST', `${V2}/posts`, { title: `post ${index}`, status: 'publish', date_gmt }),
    )
    const last = created.at(-1)!.body.id
    assert.ok(created.every(({ status, body }) => status === 201 && body.status === 'future'))
    // A date within a minute is published immediately, so the test changes the date in the database.
    const [soon, later] = [1000, 2000].map((ms) =>
      new Date(Date.now() + ms).toISOString().slice(0, 19).replace('T', ' '),
    )
    const store = await openStore(database.url)
    try {
      const future = store.db.updateTable('posts').where('status', '=', 'future')
      await store.run(future.set({ date: soon, date_gmt: soon }).where('id', '<>', last))
      await store.run(future.set({ date: later, date_gmt: later }).where('id', '=', last))
    } finally {
      await store.close()
    }
    await until(async () => (await clients[0]!.send('GET', `${V2}/posts`)).body.length === created.length)
    site.kill('SIGTERM')
    const published = (await site.end()).out.match(/^published post \d/gm) ?? []
    assert.equal(
      published.toSorted(),
      created.map((_, index) => `published post ${index}`),
    )
  })

  together('write at the same time without losing posts', async () => {
    await using database = await make()
    await using site = await runWorkers(database.url)
    using clients = await connectToEach(site.home)
    const posts = await Promise.all(
      clients.map((client) =>
        inTurn([client], 30, ({ send }) => send('POST', `${V2}/posts`, { title: 'The same', status: 'publish' })),
      ),
    )
    const slugs = posts.flat().map(({ status, body }) => (assert.is(status, 201, JSON.stringify(body)), body.slug))
    assert.is(new Set(slugs).size, 60)
    const store = await openStore(database.url)
    try {
      assert.is((await store.all(store.db.selectFrom('posts').select('id'))).length, 60)
    } finally {
      await store.close()
    }
  })

  together('count wrong passwords together', async () => {
    await using database = await make()
    await using site = await runWorkers(database.url)
    using clients = await connectToEach(site.home)
    const { body } = await clients[0]!.send('POST', `${V2}/posts`, { title: 'x', status: 'publish', password: 'right' })
    const guesses = await inTurn(clients, 6, ({ send }) => send('GET', `${V2}/posts/${body.id}?password=wrong`))
    assert.equal(
      guesses.map(({ status }) => status),
      [403, 403, 403, 403, 403, 429],
    )
  })

  together('remove the files of an upload whose worker was killed', async () => {
    await using database = await make()
    const uploads = await mkdtemp(join(tmpdir(), 'uploads-'))
    try {
      await using site = await runWorkers(database.url, { uploads, plugins: { media: { sweep_interval: 1 } } })
      const headers = {
        'x-admin': '1',
        'content-type': 'text/plain',
        'content-disposition': 'attachment; filename="half.txt"',
      }
      const upload = fetch(`${site.home}/svc-json${V2}/media`, { method: 'POST', headers, body: 'half' })
      const [, pid] = await site.printed(/^attached by (\d+)/m)
      assert.is((await filesIn(uploads)).length, 1)
      process.kill(Number(pid), 'SIGKILL')
      assert.is(
        await upload.then(
          () => 'answered',
          () => 'cut off',
        ),
        'cut off',
      )
      await until(async () => (await filesIn(uploads)).length === 0)
    } finally {
      await rm(uploads, { recursive: true })
    }
  })

  together('enforce the limit of change streams for a network across all workers', async () => {
    await using database = await make()
    const plugins = { 'change-feed': { streams_per_network: 5 } }
    await using site = await runWorkers(database.url, { plugins })
    using _clients = await connectToEach(site.home)
    // Keeps a reference, because the garbage collector closes unreferenced responses.
    const open: { stop: AbortController; response: Response }[] = []
    const statuses: number[] = []
    // Workers get connections in turn, including those of other requests.
    for (let left = 40; left > 0; left -= 1) {
      const stop = new AbortController()
      const headers = { accept: 'text/event-stream' }
      const response = await fetch(`${site.home}/svc-json/svc/v2/changes`, { headers, signal: stop.signal })
      if (response.status !== 200) await response.body?.cancel()
      statuses.push(response.status)
      open.push({ stop, response })
    }
    assert.is(statuses.filter((status) => status === 200).length, 5, statuses.join())
    assert.is(statuses.filter((status) => status === 503).length, 35, statuses.join())
    for (const { stop } of open) stop.abort()
  })

  together('enforce the limit of outgoing requests for a user across all workers', async () => {
    await using database = await make()
    await using other = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html', connection: 'close' }).end('<title>Page</title>')
    }).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const host = `127.0.0.1:${(other.address() as AddressInfo).port}`
    const plugins = { outgoing: { allow: [host], per_user: 5 } }
    await using site = await runWorkers(database.url, { plugins })
    using clients = await connectToEach(site.home)
    const answers = await inTurn(clients, 12, ({ send }, index) =>
      send('GET', `/svc-block-editor/v1/url-details?url=${encodeURIComponent(`http://${host}/${index}`)}`),
    )
    assert.is(answers.filter(({ status }) => status === 200).length, 5)
    assert.is(answers.filter(({ status }) => status === 429).length, 7)
  })

  together.run()
}
