import { setTimeout as delay } from 'node:timers/promises'
import { type Store, sql } from '../../plugins/storage/store/index.ts'
import { openStore } from '../../plugins/storage/store/open.ts'
import { receive } from '../helpers/receiver.ts'
import { run } from '../helpers/svc-serve.ts'
import { until } from '../helpers/until.ts'

/** A plugin with a route that runs transactions, each of which changes several posts. A third are rolled back. */
const WRITER = `
  export default {
    name: 'writer',
    needs: ['store'],
    apply({ hooks, services: { store } }) {
      const { db } = store
      const write = (posts, undone) => store.inTurn(async (tx) => {
        for (const id of posts) {
          const slug = (undone ? 'undone-' : 'kept-') + Math.random()
          await tx.run(db.updateTable('posts').set({ slug }).where('id', '=', id))
        }
        if (undone) throw new Error('undone')
      }).catch(() => {})
      hooks.rest_api_init.tap('writer', (server) => server.registerRoute('writer/v1', '/write', {
        methods: 'POST',
        permission_callback: () => true,
        callback: async (request) => {
          const [posts, together, times] = ['posts', 'together', 'times'].map((name) => Number(request.get(name)))
          for (let time = 0; time < times; time += 1) {
            const from = Math.floor(Math.random() * posts)
            const ids = Array.from({ length: together }, (_, at) => 1 + ((from + at) % posts))
            await write(ids, Math.random() < 1 / 3)
          }
          return true
        },
      }))
    },
  }`
const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
/** Processes that serve the site. */
const PROCESSES = 2
/** Concurrent requests per process. */
const MAX_CONCURRENT_REQUESTS = 40
/** Seconds without a sign of life after which a process is considered dead. */
const LEASE = 1
/** Share of messages that the receiver rejects. */
const REJECTED_SHARE = 0.02

/** Size of a run. */
export interface KilledOptions {
  /** Minimum number of changes. */
  readonly changes: number
  /** Changes per transaction. */
  readonly changesPerTransaction: number
  /**
   * Minimum number of processes to kill during the changes. At most as many again are killed while the remaining
   * deliveries are sent.
   */
  readonly kills: number
  /** Average milliseconds between two kills. */
  readonly between: number
  /** Number of posts that are changed repeatedly. */
  readonly posts?: number
  /** Called with a description of the progress. */
  readonly progress?: (text: string) => void
}

/** Result of a run. */
export interface KilledFigures {
  /** Changes that were not sent, sent out of order, or sent without having been committed. */
  readonly faults: string[]
  readonly changes: number
  readonly requests: number
  readonly kills: number
  readonly seconds: number
}

/** Changes posts while processes are killed, and compares the messages to a webhook with the committed changes. */
export async function runKilled(database: string, options: KilledOptions): Promise<KilledFigures> {
  const {
    changes: minChanges,
    changesPerTransaction,
    kills: minKills,
    between,
    posts = 50,
    progress = () => {},
  } = options
  const startedAt = performance.now()
  await using receiver = await receive((_, response) => {
    response.writeHead(Math.random() < REJECTED_SHARE ? 500 : 204).end()
  })
  const store = await openStore(database)
  const children = new Set<Awaited<ReturnType<typeof start>>>()
  let kills = 0
  try {
    const rows = Array.from({ length: posts }, (_, at) => ({
      title: `Post ${at}`,
      slug: `post-${at}`,
      status: 'publish',
      author_id: 1,
    }))
    await store.run(store.db.insertInto('posts').values(rows))
    const starts = Array.from({ length: PROCESSES }, () => start(database, receiver.url))
    for (const child of await Promise.all(starts)) children.add(child)
    await until(async () => (await cursorOf(store)) !== undefined)
    const since = (await cursorOf(store))!
    let changeCount = 0
    let isWriting = true
    const write = async () => {
      while (isWriting) {
        if (changeCount >= minChanges) {
          await delay(100)
          continue
        }
        const [child] = [...children].filter(() => Math.random() < 0.6)
        const query = `posts=${posts}&together=${changesPerTransaction}&times=${Math.ceil(50 / changesPerTransaction)}`
        const url = `${child?.home}/svc-json/writer/v1/write?${query}`
        // The process may be killed during the request.
        const response = await fetch(url, { method: 'POST' }).catch(() => delay(20))
        if (response?.ok === false) throw new Error(await response.text())
      }
    }
    const writers = Promise.all([write(), write()])
    const killOne = async () => {
      const [child] = [...children].slice(Math.floor(Math.random() * children.size))
      if (child === undefined) return
      children.delete(child)
      await child.kill()
      kills += 1
      children.add(await start(database, receiver.url))
      progress(`${changeCount} changes, ${receiver.messages.length} requests, ${kills} kills`)
    }
    for (; changeCount < minChanges || kills < minKills; changeCount = await countOf(store, since)) {
      await delay(Math.random() * 2 * between)
      await killOne()
    }
    isWriting = false
    await writers
    const expected = await committed(store, since)
    const last = expected.at(-1)!.id
    const killsWhileWriting = kills
    const isWorkLeft = async () => (await open(store)) > 0 || ((await cursorOf(store)) ?? 0) < last
    for (let killAt = 0; await isWorkLeft();) {
      await delay(200)
      if (performance.now() < killAt || kills >= 2 * killsWhileWriting) continue
      await killOne()
      killAt = performance.now() + Math.random() * 2 * between
    }
    const seconds = (performance.now() - startedAt) / 1000
    const { length: requests } = receiver.messages
    return { faults: faultsOf(expected, receiver.messages), changes: expected.length, requests, kills, seconds }
  } finally {
    for (const child of children) await child.running[Symbol.asyncDispose]()
    await store.close()
  }
}

async function start(database: string, url: string) {
  const webhooks = {
    allow: ['127.0.0.1:*'],
    concurrency: MAX_CONCURRENT_REQUESTS,
    schedule: Array.from({ length: 50 }, () => 0.05),
    endpoints: { front: { url, secret: SECRET, kinds: ['post'] } },
  }
  const outgoing = { concurrency: 2 * MAX_CONCURRENT_REQUESTS, per_origin: MAX_CONCURRENT_REQUESTS }
  const plugins = { './writer.mjs': true, webhooks, outgoing, jobs: { lease: LEASE }, 'first-run': false }
  const config = { database, port: 0, log: 'fatal', plugins }
  const running = await run([], { 'writer.mjs': WRITER, 'svc.config.json': JSON.stringify(config) })
  const home = await running.home()
  const kill = async () => {
    running.kill('SIGKILL')
    await running.end()
    await running[Symbol.asyncDispose]()
  }
  return { running, home, kill }
}

async function cursorOf(store: Store): Promise<number | undefined> {
  return (await store.first(store.db.selectFrom('webhook_cursor').select('change_id'), []))?.change_id
}

async function open(store: Store): Promise<number> {
  const query = store.db.selectFrom('webhook_deliveries').select(sql<number>`count(*)`.as('count'))
  return (await store.first(query.where('state', 'in', ['queued', 'waiting']), []))!.count
}

interface Committed {
  readonly id: number
  readonly object: string
}

const changesOf = ({ db }: Store, since: number) =>
  db.selectFrom('changes').where('id', '>', since).where('kind', '=', 'post')

function committed(store: Store, since: number): Promise<Committed[]> {
  return store.all(changesOf(store, since).select(['id', 'object']).orderBy('id'), [])
}

async function countOf(store: Store, since: number): Promise<number> {
  return (await store.first(changesOf(store, since).select(sql<number>`count(*)`.as('count')), []))!.count
}

function faultsOf(expected: readonly Committed[], messages: Awaited<ReturnType<typeof receive>>['messages']): string[] {
  const faults: string[] = []
  const objects = new Map(expected.map(({ id, object }) => [id, object]))
  const receivedIds = new Set<number>()
  const last = new Map<string, number>()
  for (const { data, body } of messages) {
    const { change, object } = data as { change: number; object: number }
    if (objects.get(change) !== String(object)) faults.push(`${change} of ${object} was sent but never committed`)
    if (body.includes('undone-')) faults.push(`${change} was sent but rolled back`)
    if (receivedIds.has(change)) continue
    receivedIds.add(change)
    const before = last.get(String(object)) ?? 0
    if (before > change) faults.push(`${change} of ${object} was first sent after ${before}`)
    last.set(String(object), change)
  }
  for (const { id } of expected) if (!receivedIds.has(id)) faults.push(`${id} was never sent`)
  return faults
}
