import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createApi, type Api } from './api.ts'
import { brokenDatabase, withStore } from './inspect.ts'
import { addUsers, type SiteUsers } from './users.ts'
import { runRaces } from './races.ts'
import type { Report } from './report.ts'
import { makeSite, startServer, type AuditSite } from './server.ts'

/** Number of rounds of each trial on two servers with one database, and the database. */
export interface TwoServersOptions {
  rounds: number
  /** A PostgreSQL server, else SQLite. */
  server?: string | undefined
}

interface Context {
  here: Api
  there: Api
  users: SiteUsers
  site: AuditSite
}

/** Time after which a server must have received a change of the other server. */
const SYNC_TIMEOUT_MS = 1000
/** Number of clients that create the same object at the same time. */
const CONCURRENT_CLIENTS = 16
const V2 = '/svc/v2'

/** A plugin that records in a file each time a server publishes a scheduled post. */
const WATCHER = `import { appendFileSync } from 'node:fs'
export default { name: 'watcher', needs: ['posts'], apply({ hooks }) {
  hooks.transition_post_status.tap('watcher', (to, from, post) => {
    if (from === 'future' && to === 'publish') appendFileSync('FILE', post.id + '\\n')
  })
} }`

let serial = 0
const newText = (kind: string) => `${kind} ${(serial += 1)}`
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** Trials that compare two servers. Each returns its problems. */
const TRIALS: Readonly<Record<string, (context: Context) => Promise<string[]>>> = {
  'slugs, terms and logins that many want at once': async (context) => [
    ...(await createSameSlugs(context)),
    ...(await createOnce(context, '/tags', () => ({ name: newText('Tag') }))),
    ...(await createOnce(context, '/users', newUser)),
  ],
  'a write on one is seen on the other': async ({ here, there }) => {
    const { body } = await here('POST', `${V2}/posts`, { title: 'a', status: 'publish' })
    // Cached by the other server, which must invalidate it.
    await there('GET', `${V2}/posts/${body.id}`)
    await here('POST', `${V2}/posts/${body.id}`, { title: 'b' })
    return follows('a title', async () => (await there('GET', `${V2}/posts/${body.id}`)).body.title?.rendered === 'b')
  },
  'a revoked application password': async ({ here, there, users }) => {
    if ((await there('GET', `${V2}/users/me`, undefined, 'spare')).status !== 200) return ['it was no good before']
    const removed = await here('DELETE', `${V2}/users/${users.ids.spare}/application-passwords`)
    if (removed.status !== 200) return [`it was not revoked: ${removed.text.slice(0, 200)}`]
    return follows(
      'a revocation',
      async () => (await there('GET', `${V2}/users/me`, undefined, 'spare')).status === 401,
    )
  },
  'a role that is taken away': async ({ here, there, users }) => {
    const write = () => there('POST', `${V2}/pages`, { title: 'x' }, 'editor')
    if ((await write()).status !== 201) return ['an editor could not write a page']
    await here('POST', `${V2}/users/${users.ids.editor}`, { roles: ['subscriber'] })
    const broken = await follows('a change of roles', async () => (await write()).status === 403)
    await here('POST', `${V2}/users/${users.ids.editor}`, { roles: ['editor'] })
    return [...broken, ...(await follows('the role given back', async () => (await write()).status === 201))]
  },
  'scheduled posts are published once': async ({ here, there, site }) => {
    const date_gmt = new Date(Date.now() + 7_200_000).toISOString().slice(0, 19)
    const make = (index: number) =>
      (index % 2 ? here : there)('POST', `${V2}/posts`, { title: newText('Later'), status: 'publish', date_gmt })
    const ids = (await Promise.all(times(CONCURRENT_CLIENTS, make))).map(({ body }) => body.id as number)
    // A date within a minute is published immediately, so the trial changes the date in the database.
    const soon = new Date(Date.now() + 1500).toISOString().slice(0, 19).replace('T', ' ')
    await withStore(site, (store) =>
      store.run(store.db.updateTable('posts').set({ date: soon, date_gmt: soon }).where('id', 'in', ids)),
    )
    const published = async () => {
      const lines = (await readFile(join(site.folder, 'published'), 'utf8').catch(() => ''))
        .trim()
        .split('\n')
        .map(Number)
      return lines.filter((id) => ids.includes(id))
    }
    for (let waits = 0; waits < 100 && new Set(await published()).size < ids.length; waits += 1) await delay(100)
    // Time in which a server could publish a post twice.
    await delay(1200)
    const seen = await published()
    return ids.flatMap((id) => {
      const count = seen.filter((one) => one === id).length
      return count === 1 ? [] : [`a scheduled post was published ${count} times`]
    })
  },
}

/** Runs the trials on two servers with one database. */
export async function twoServers(report: Report, { rounds, server: postgres }: TwoServersOptions): Promise<void> {
  const kind = postgres === undefined ? 'SQLite' : 'PostgreSQL'
  const plugins = { './watcher.mjs': true }
  await using site = await makeSite({ server: postgres, config: { plugins } })
  await writeFile(join(site.folder, 'watcher.mjs'), WATCHER.replace('FILE', join(site.folder, 'published')))
  const users = await addUsers(site)
  await using one = await startServer(site)
  await using two = await startServer(site)
  using here = createApi(one, users)
  using there = createApi(two, users)
  const context = { here, there, users, site }
  for (const [title, trial] of Object.entries(TRIALS)) {
    const line = report.line('two servers', `${title}, ${kind}`)
    // A password can be revoked only once.
    for (let round = 0; round < (title.includes('password') ? 1 : rounds); round += 1) {
      line.broken.push(...(await trial(context)))
      line.times += 1
    }
  }
  const line = report.line('two servers', `colliding writes, ${kind}`)
  await runRaces(context, rounds, line, () => withStore(site, brokenDatabase))
}

/** Waits until `done` resolves with true. @returns a problem after the timeout */
async function follows(change: string, done: () => Promise<boolean>): Promise<string[]> {
  const startedAt = performance.now()
  for (;;) {
    const checkedAt = performance.now()
    if (await done()) return []
    if (checkedAt - startedAt > SYNC_TIMEOUT_MS) return [`${change} is not followed within ${SYNC_TIMEOUT_MS} ms`]
    await delay(20)
  }
}

async function createSameSlugs({ here, there }: Context): Promise<string[]> {
  const title = newText('Wanted')
  const make = (index: number) => (index % 2 ? here : there)('POST', `${V2}/posts`, { title, status: 'publish' })
  const responses = await Promise.all(times(CONCURRENT_CLIENTS, make))
  const slugs = responses.filter(({ status }) => status === 201).map(({ body }) => body.slug as string)
  const failed = responses.filter(({ status }) => status !== 201 && status !== 503)
  return [
    ...(new Set(slugs).size === slugs.length ? [] : [`of ${slugs.length} slugs some are the same`]),
    ...failed.map(({ status, text }) => `${status} for a post: ${text.slice(0, 200)}`),
  ]
}

const newUser = () => {
  const username = newText('user').replace(' ', '')
  return { username, email: `${username}@mail.example`, password: 'pass phrase', roles: ['author'] }
}

/** Creates the same object with several clients: one must succeed, the others must get an error. */
async function createOnce({ here, there }: Context, path: string, make: () => object): Promise<string[]> {
  const body = make()
  const answers = await Promise.all(
    times(CONCURRENT_CLIENTS, (index) => (index % 2 ? here : there)('POST', `${V2}${path}`, body)),
  )
  const createdCount = answers.filter(({ status }) => status === 201).length
  const failed = answers.filter(({ status }) => ![201, 400, 503].includes(status))
  return [
    ...(createdCount === 1 ? [] : [`${createdCount} of ${CONCURRENT_CLIENTS} were made of one ${path}`]),
    ...failed.map(({ status, text }) => `${status} for ${path}: ${text.slice(0, 200)}`),
  ]
}
