import { RequestCache, type CurrentUser, type PluginContext } from '../../../kernel/index.ts'

/** Meta of a post: when somebody was last seen to edit it, in Unix seconds, and who: `1764500000:7`. */
const LOCK_KEY = '_edit_lock'
/** Seconds for which somebody who was seen to edit a post is taken to be there. */
const LOCK_SECONDS = 150
/** Seconds after which a lock is stored anew: each time is a change of the post. */
const LOCK_REFRESH_SECONDS = 60

/** Who edits a post. */
export interface Lock {
  readonly time: number
  readonly user: number
}

export function writtenLock({ time, user }: Lock): string {
  return `${time}:${user}`
}

/** Notes that a user edits a post, unless somebody else does. Returns the lock that holds then. */
export function refreshLock({ services }: PluginContext, post: number, user: CurrentUser): Promise<Lock> {
  return services.transactions.inTurn(async () => {
    const now = Math.floor(Date.now() / 1000)
    const scope = new RequestCache()
    const lock = readLock(await services.meta.single('post', post, LOCK_KEY, scope))
    const isHeld = lock !== null && lock.time > now - LOCK_SECONDS
    if (isHeld && (lock.user !== user.id || lock.time > now - LOCK_REFRESH_SECONDS)) return lock
    const next = { time: now, user: user.id }
    await services.meta.write('post', post, LOCK_KEY, [writtenLock(next)], scope)
    return next
  })
}

/** Notes that a user edits a post, whoever else does. Returns the lock that holds then. */
export function takeLock(
  { services }: Pick<PluginContext, 'services'>,
  post: number,
  user: CurrentUser,
): Promise<Lock> {
  return services.transactions.inTurn(async () => {
    const lock = { time: Math.floor(Date.now() / 1000), user: user.id }
    await services.meta.write('post', post, LOCK_KEY, [writtenLock(lock)], new RequestCache())
    return lock
  })
}

/** Notes that a user does not edit a post any more, where the lock is theirs. */
export function removeLock({ services }: PluginContext, post: number, user: CurrentUser): Promise<void> {
  return services.transactions.inTurn(async () => {
    const scope = new RequestCache()
    const lock = readLock(await services.meta.single('post', post, LOCK_KEY, scope))
    if (lock?.user === user.id) await services.meta.write('post', post, LOCK_KEY, [], scope)
  })
}

/** The locks that hold of some posts, by their IDs. Read together. */
export async function locksOf(
  { services }: PluginContext,
  posts: readonly number[],
  scope: RequestCache,
): Promise<Map<number, Lock>> {
  const oldest = Math.floor(Date.now() / 1000) - LOCK_SECONDS
  const locks = await Promise.all(
    posts.map(async (id) => ({ id, lock: readLock(await services.meta.single('post', id, LOCK_KEY, scope)) })),
  )
  return new Map(locks.flatMap(({ id, lock }) => (lock !== null && lock.time > oldest ? [[id, lock]] : [])))
}

function readLock(stored: unknown): Lock | null {
  const [, time, user] = /^(\d{1,12}):(\d{1,15})$/.exec(typeof stored === 'string' ? stored : '') ?? []
  return time === undefined ? null : { time: Number(time), user: Number(user) }
}
