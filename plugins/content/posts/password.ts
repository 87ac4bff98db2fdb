import { createHash, timingSafeEqual } from 'node:crypto'
import type { Awaitable, PluginContext, RestRequest } from '../../../kernel/index.ts'
import { declaredValue } from './declared-value.ts'
import { errors } from './errors.ts'
import type { LeanPost } from './post.ts'

/** Checks a password for a post. @throws rest_post_too_many_attempts */
export function opensPost(
  { loginAttempts }: PluginContext['services'],
  post: LeanPost,
  password: unknown,
  request: Pick<RestRequest, 'ip' | 'scope'>,
): Awaitable<boolean> {
  if (post.password === '') return true
  if (typeof password !== 'string' || password === '') return false
  // Repeated checks within one request count as one attempt.
  return request.scope.get(`post ${post.id} opened by ${password}`, async () => {
    const isCorrect = isSameText(post.password, password)
    // Called only here: a result that depends on the client's address must not be cached.
    const wait = await loginAttempts.check(`post:${post.id}`, request.ip, isCorrect)
    if (wait > 0) throw errors.rest_post_too_many_attempts(wait, { data: { retry_after: wait } })
    return isCorrect
  })
}

/** Compares two texts in constant time. */
function isSameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

/** The password in a read request, if the endpoint declares the argument; otherwise ''. */
export function passwordOf(request: RestRequest): string {
  if (request.method !== 'GET' && request.method !== 'HEAD') return ''
  const password = declaredValue(request, 'password')
  return typeof password === 'string' ? password : ''
}
