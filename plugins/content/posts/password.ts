import { createHash, timingSafeEqual } from 'node:crypto'
import type { Awaitable, PluginContext, RestRequest } from '../../../kernel/index.ts'
import { declaredValue } from './declared-value.ts'
import { errors } from './errors.ts'
import type { LeanPost } from './post.ts'

/** Whether a password opens a post. @throws rest_post_too_many_attempts */
export function opensPost(
  { loginAttempts }: PluginContext['services'],
  post: LeanPost,
  password: unknown,
  request: Pick<RestRequest, 'ip' | 'scope'>,
): Awaitable<boolean> {
  if (post.password === '') return true
  if (typeof password !== 'string' || password === '') return false
  // However often one request asks, it is one attempt.
  return request.scope.get(`post ${post.id} opened by ${password}`, async () => {
    const right = isSameText(post.password, password)
    // Read here alone: what depends on the client's address is not kept.
    const wait = await loginAttempts.check(`post:${post.id}`, request.ip, right)
    if (wait > 0) throw errors.rest_post_too_many_attempts(wait, { data: { retry_after: wait } })
    return right
  })
}

/** Compares two texts in a time that tells nothing of where they differ. */
function isSameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

/** The password that a request gives to read with, where it is one of its arguments; '' without any. */
export function passwordOf(request: RestRequest): string {
  if (request.method !== 'GET' && request.method !== 'HEAD') return ''
  const given = declaredValue(request, 'password')
  return typeof given === 'string' ? given : ''
}
