import { RequestCache, type CurrentUser, type PluginContext } from '../../../kernel/index.ts'
import { EDIT_LOCK_KEY } from '../meta-keys.ts'

/** Seconds after the last activity until a lock expires. */
const LOCK_SECONDS = 150
/** Seconds after which a lock is stored again; each write is a change of the post. */
const LOCK_REFRESH_SECONDS = 60

/** The user who is editing a post, and the time of their last activity in Unix seconds. */
export interface Lock {
  readonly time: number
  readonly user: number
}

export function writtenLock({ time, user }: Lock): string {
  return `${time}:${user}`
}

/** Locks a post for a user unless another user holds the lock. Returns the current lock. */
export function refreshLock({ services }: PluginContext, post: number, user: CurrentUser): Promise<Lock> {
  return services.transactions.inTurn(async () => {
    const now = Math.floor(Date.now() / 1000)
    const scope = new RequestCache()
    const lock = readLock(await services.meta.single('post', post, EDIT_LOCK_KEY, scope))
    const isHeld = lock !== null && lock.time > now - LOCK_SECONDS
    if (isHeld && (lock.user !== user.id || lock.time > now - LOCK_REFRESH_SECONDS)) return lock
    const next = { time: now, user: user.id }
    await services.meta.write('post', post, EDIT_LOCK_KEY, [writtenLock(next)], scope)
    return next
  })
}

/** Locks a post for a user, even if another user holds the lock. Returns the new lock. */
export function takeLock(
  { services }: Pick<PluginContext, 'services'>,
  post: number,
  user: CurrentUser,
): Promise<Lock> {
  return services.transactions.inTurn(async () => {
    const lock = { time: Math.floor(Date.now() / 1000), user: user.id }
    await services.meta.write('post', post, EDIT_LOCK_KEY, [writtenLock(lock)], new RequestCache())
    return lock
  })
}

/** Releases a user's lock of a post. */
export function removeLock({ services }: PluginContext, post: number, user: CurrentUser): Promise<void> {
  return services.transactions.inTurn(async () => {
    const scope = new RequestCache()
    const lock = readLock(await services.meta.single('post', post, EDIT_LOCK_KEY, scope))
    if (lock?.user === user.id) await services.meta.write('post', post, EDIT_LOCK_KEY, [], scope)
  })
}

/** Returns the active locks of posts by post ID, read in one statement. */
export async function locksOf(
  { services }: PluginContext,
  posts: readonly number[],
  scope: RequestCache,
): Promise<Map<number, Lock>> {
  const oldest = Math.floor(Date.now() / 1000) - LOCK_SECONDS
  const locks = await Promise.all(
    posts.map(async (id) => ({ id, lock: readLock(await services.meta.single('post', id, EDIT_LOCK_KEY, scope)) })),
  )
  return new Map(locks.flatMap(({ id, lock }) => (lock !== null && lock.time > oldest ? [[id, lock]] : [])))
}

function readLock(stored: unknown): Lock | null {
  const [, time, user] = /^(\d{1,12}):(\d{1,15})$/.exec(typeof stored === 'string' ? stored : '') ?? []
  return time === undefined ? null : { time: Number(time), user: Number(user) }
}
