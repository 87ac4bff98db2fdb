import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { SeenChange } from '../../../../plugins/operations/change-feed/index.ts'
import type { Change } from '../../../../plugins/storage/changes/index.ts'
import {
  createContent,
  restoreContent,
  writesOfComments,
  writesOfMedia,
  writesOfPosts,
  writesOfTerms,
} from '../../../helpers/random-content.ts'
import { RandomTools, type Writes } from '../../../helpers/random-tools.ts'
import { randomOf } from '../../../helpers/random.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { currentUser, nameOf, pathOf, LOGINS, reads, type Login } from './readable.ts'

/** Number of writes; `SVC_TEST_FEED=100` runs more than fit in a regular test run. */
const WRITES = Number(process.env['SVC_TEST_FEED'] ?? 12)
const RESTORED = 6

/** The changed objects that users can read, determined by requests. */
class Readers {
  readonly #site: SiteWithUsers
  readonly #paths = new Map<string, string | null>()
  readonly #now = new Map<string, boolean>()
  /** Objects that a user could read at some point. */
  readonly ever = new Set<string>()

  constructor(site: SiteWithUsers) {
    this.#site = site
  }

  could(name: string, login: Login): boolean {
    return this.#now.get(`${login} ${name}`) === true
  }

  trackPaths(changes: readonly Change[]): void {
    for (const change of changes) {
      const path = pathOf(this.#site, change)
      if (path !== null || !this.#paths.has(nameOf(change))) this.#paths.set(nameOf(change), path)
    }
  }

  /** Requests the changed objects again, and objects whose visibility depends on these posts. */
  async refresh(changes: readonly Change[]): Promise<void> {
    const changed = new Set(changes.map(nameOf))
    const follow = changes.some(({ kind, type }) => kind === 'post' && type !== 'revision')
    const affected = [...this.#paths].filter(
      ([name, path]) => changed.has(name) || (follow && path !== null && /\/(?:comments|media|users)\//.test(path)),
    )
    for (const login of LOGINS) {
      await Promise.all(
        affected.map(async ([name, path]) => {
          const key = `${login} ${name}`
          const may = await reads(this.#site, path, login)
          this.#now.set(key, may)
          if (may) this.ever.add(key)
        }),
      )
    }
  }
}

/** Writes in one transaction each, of objects that the feed reports. */
function writesOf(tools: RandomTools): Writes {
  const all = { ...writesOfPosts(tools), ...writesOfTerms(tools), ...writesOfComments(tools), ...writesOfMedia(tools) }
  const users = tools.site.kernel.services.users
  const hide = { status: 'draft' }
  return {
    ...all,
    'hide a post': () => tools.change('posts', hide),
    'make a post private': () => tools.change('posts', { status: 'private' }),
    'protect a post': () => tools.change('posts', { password: 'open sesame', sticky: false }),
    'attach an image to another post': () => tools.change('media', { post: tools.pick('posts') }),
    'rename a user': () => users.update(tools.site.users.shy, { name: tools.text() }),
    'rename an author': () => users.update(tools.site.users.ann, { name: tools.text() }),
  }
}

for (const { name, place } of databases) {
  const seen = suite(`seen changes on ${name}`)

  for (const seed of [3]) {
    seen(`S17: match for each user the objects that requests return to that user (seed ${seed})`, async () => {
      await using site = await serveWithUsers(place)
      const { changeHistory, options, changeFeed: seenChanges } = site.kernel.services
      // Without this, the second comment would be rejected by the flood limit.
      await options.set('comment_flood_seconds', 0)
      const tools = new RandomTools(site, randomOf(seed))
      const readers = new Readers(site)
      await createContent(tools)
      const begin = (await changeHistory.bounds()).first - 1
      let last = begin
      const readNewChanges = async () => {
        const changes = await changeHistory.after(last, 10_000)
        last = changes.at(-1)?.id ?? last
        readers.trackPaths(changes)
        return changes
      }
      await readers.refresh(await readNewChanges())
      for (let count = 1; count <= WRITES; count += 1) {
        const writes = writesOf(tools)
        const write = count % RESTORED === 0 ? 'restore' : tools.one(Object.keys(writes))!
        const before = new Map<Login, (name: string) => boolean>()
        const snapshot = new Set(LOGINS.flatMap((login) => findReadable(readers, login)))
        for (const login of LOGINS) before.set(login, (one) => snapshot.has(`${login} ${one}`))
        await (write === 'restore' ? restoreContent(tools) : writes[write]!())
        const changes = await readNewChanges()
        await readers.refresh(changes)
        for (const login of LOGINS) {
          const reported = await seenChanges.seenBy(await currentUser(site, login), changes)
          check({ write, login, changes, reported, could: before.get(login)!, can: (one) => readers.could(one, login) })
        }
      }
      // A client that connects late is sent nothing more.
      const all = await changeHistory.after(begin, 100_000)
      for (const login of LOGINS) {
        const reported = await seenChanges.seenBy(await currentUser(site, login), all)
        for (const change of reported)
          if (KINDS.has(change.kind) && isWhole(change))
            assert.ok(readers.ever.has(`${login} ${nameOf(change)}`), `${login} was sent ${JSON.stringify(change)}`)
      }
    })
  }

  seen.run()
}

const KINDS: ReadonlySet<string> = new Set(['post', 'term', 'comment', 'user'])

function findReadable(readers: Readers, login: Login): string[] {
  return [...readers.ever].filter((key) => {
    const [reader, kind, id] = key.split(' ')
    return reader === String(login) && readers.could(`${kind} ${id}`, login)
  })
}

interface Checked {
  write: string
  login: Login
  changes: readonly Change[]
  reported: readonly SeenChange[]
  could: (name: string) => boolean
  can: (name: string) => boolean
}

/** Options that content shows to visitors. */
const VISIBLE_OPTIONS: ReadonlySet<unknown> = new Set(['sticky_posts'])

/** Whether an event contains more than the ID of a reusable block, which other content shows. */
const isWhole = ({ type, slug, status }: SeenChange) =>
  type !== 'svc_block' || slug !== undefined || status !== undefined

/** Checks that the changes reported to a user match the objects the user could and can read. */
function check({ write, login, changes, reported, could, can }: Checked): void {
  const about = (value: unknown) => `${write}, ${login ?? 'visitor'}: ${JSON.stringify(value)}`
  const objects = Map.groupBy(
    changes.filter(({ kind, type }) => KINDS.has(kind) && type !== 'revision'),
    nameOf,
  )
  for (const [name, ofObject] of objects) {
    const reportedOfObject = reported.filter((change) => nameOf(change) === name)
    const [was, is] = [could(name), can(name)]
    // An intermediate transaction may have made it visible.
    if (!was && !is && ofObject.length === 1) assert.equal(reportedOfObject.filter(isWhole), [], about(ofObject))
    if (!was && is)
      assert.ok(
        reportedOfObject.some(({ change }) => change === 'create') ||
          (ofObject[0]!.before !== null && reportedOfObject.length > 0),
        about([ofObject, reportedOfObject]),
      )
    const isOne = new Set(changes.map(({ time }) => time)).size === 1
    if (was && is && isOne) assert.ok(reportedOfObject.length > 0, about([ofObject, reportedOfObject]))
    const hasFacts = ofObject.every(({ kind, before, after }) => kind !== 'user' && (before ?? after) !== null)
    if (was && !is && hasFacts && isOwnDoing(ofObject))
      assert.ok(
        reportedOfObject.some(({ change }) => change === 'delete'),
        about([ofObject, reportedOfObject]),
      )
  }
  for (const { kind, tags, slug, object } of reported) {
    if (kind === 'all') continue
    if (!KINDS.has(kind) && !VISIBLE_OPTIONS.has(object)) assert.is(login, 'admin', about([kind, object]))
    if (login === undefined)
      assert.not.ok(
        tags.some((tag) => /^un(?:published|approved):/.test(tag)),
        about(tags),
      )
    if (slug !== undefined) assert.type(slug, 'string')
  }
}

/** Whether the object itself was hidden, not the post it is attached to. */
function isOwnDoing(changes: readonly Change[]): boolean {
  const [first, last] = [changes[0]!.before, changes.at(-1)!.after]
  return first !== null && (last === null ? first['status'] !== 'inherit' : first['status'] !== last['status'])
}
