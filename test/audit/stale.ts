import { setTimeout as delay } from 'node:timers/promises'
import { findStale } from '../helpers/staleness.ts'
import { serve } from '../helpers/site.ts'
import { withUsers, type SiteWithUsers, type UserIds } from '../helpers/site-with-users.ts'
import type { Report } from './report.ts'
import { makeSite, startServer } from './server.ts'

/** Duration and database of the search for stale responses. */
export interface StaleAuditOptions {
  seed: number
  minutes: number
  /** A PostgreSQL server, else SQLite. */
  server?: string | undefined
}

const HOME = 'http://localhost:8080'
const ROLES = {
  admin: 'administrator',
  ed: 'editor',
  ann: 'author',
  con: 'contributor',
  sub: 'subscriber',
  shy: 'author',
} as const satisfies Record<keyof UserIds, string>

/** Compares the responses of two processes with a cache to those of one without, with a new site for each seed. */
export async function stale(report: Report, { seed, minutes, server }: StaleAuditOptions): Promise<void> {
  const line = report.line('stale', `caches of two servers, ${server === undefined ? 'SQLite' : 'PostgreSQL'}`)
  const end = Date.now() + minutes * 60_000
  let hits = 0
  let next = seed
  do {
    const found = await round(next, server)
    line.times += found.compared
    hits += found.hits
    line.broken.push(...found.stale)
    next += 1
  } while (Date.now() < end)
  if (hits < line.times * 0.2) line.broken.push(`only ${hits} of ${line.times} were kept`)
  line.note = `${hits} were kept; seeds ${seed} to ${next - 1}`
}

async function round(seed: number, server: string | undefined) {
  await using site = await makeSite({ server, config: { home: HOME } })
  const { database, uploads } = site
  const attempts = { tries: 1_000_000 }
  const plugins = { 'login-attempts': attempts, 'response-cache': { enabled: false } }
  await using kernel = await serve({ database, uploads, home: HOME, plugins })
  const users: Record<string, number> = {}
  for (const [login, role] of Object.entries(ROLES)) {
    const user = { login, email: `${login}@mail.example`, name: login, roles: [role] }
    users[login] = (await kernel.kernel.services.users.create(user)).id
  }
  const fresh = withUsers(kernel, users as unknown as UserIds)
  await using one = await startServer(site)
  await using two = await startServer(site)
  // Only the external program writes: the servers do not know the users that it writes for.
  const writers: SiteWithUsers[] = [fresh]
  const roots = [one.root, two.root]
  // Servers in other processes must have received a write after this time.
  const follows = () => delay(50)
  // Awaited here, because the servers stop at the end of this scope.
  return await findStale({ seed, writes: 60, reads: 30, follows, roots, writers, fresh, kernels: [] })
}
