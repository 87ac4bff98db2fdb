import { cursorOf, pageRange, valuesOf } from '../../resources/index.ts'
import type { PluginContext, RestRequest } from '../../../kernel/index.ts'
import { dateRangeOf } from './dates.ts'
import type { CommentOrder, CommentQuery } from './query.ts'
import { visibilityFor } from './visibility.ts'

type Services = PluginContext['services']

/** Stored states for the values of `status`; other values are stored states themselves. */
const STATES: Readonly<Record<string, readonly string[]>> = { approve: ['1'], hold: ['0'], all: ['1', '0'], any: [] }
/** Stored types for the values of `type`; other values are stored types themselves. */
const TYPES: Readonly<Record<string, readonly string[]>> = { all: [], pings: ['pingback', 'trackback'] }

/** Reads the query of a list request. */
export async function collectionQuery(services: Services, request: RestRequest): Promise<CommentQuery> {
  const { user, scope } = request
  const offset = request.get('offset') as number | undefined
  // Forms send empty strings for fields that are not set: they mean the default.
  const status = (request.get('status') as string) || 'all'
  const type = (request.get('type') as string) || 'all'
  const search = request.get('search') as string | undefined
  const email = request.get('author_email') as string | null
  const types = Object.hasOwn(TYPES, type) ? TYPES[type]! : [type]
  const { fieldIndex } = services
  const subtypes = types.length === 0 ? [''] : types
  const fieldQuery = fieldIndex.has('comment')
    ? await fieldIndex.conditionsOf('comment', 'comment', request, subtypes)
    : null
  return {
    visibility: visibilityFor(services, user, await openedPosts(services, request), scope),
    approved: Object.hasOwn(STATES, status) ? STATES[status]! : [status],
    types,
    posts: valuesOf<number>(request, 'post'),
    parents: valuesOf<number>(request, 'parent'),
    parentsExcluded: valuesOf<number>(request, 'parent_exclude'),
    authors: valuesOf<number>(request, 'author'),
    authorsExcluded: valuesOf<number>(request, 'author_exclude'),
    include: valuesOf<number>(request, 'include'),
    exclude: valuesOf<number>(request, 'exclude'),
    ...(email && { authorEmail: email }),
    // Only moderators see the email and IP addresses of authors, so other users must not search them.
    ...(search && { search, searchPrivate: services.capabilities.can(user, 'moderate_comments') }),
    ...(await dateRangeOf(services, request)),
    ...(fieldQuery !== null && fieldQuery.where.length > 0 && { where: fieldQuery.where }),
    orderby: fieldQuery?.orderby ?? (request.get('orderby') as CommentOrder),
    order: request.get('order') as 'asc' | 'desc',
    ...pageRange(request),
    ...cursorOf(request),
    ...(offset !== undefined && { offset: Math.abs(offset) }),
  }
}

/** Returns the ID of the requested post if the password of the request opens it. */
async function openedPosts({ posts }: Services, request: RestRequest): Promise<number[]> {
  const password = request.get('password') as string | undefined
  const ids = valuesOf<number>(request, 'post')
  // A password applies to a single post.
  if (password === undefined || ids.length !== 1) return []
  const requestedPosts = await Promise.all(ids.map(async (id) => posts.get(id, request.scope)))
  const opened = requestedPosts.map(async (post) => {
    if (post === undefined || post.password === '') return []
    // Users who can edit the post pass the visibility conditions of the list without a password.
    if (await posts.isEditable(post, request.user, request.scope)) return []
    return (await posts.checkPassword(post, password, request)) ? [post.id] : []
  })
  return (await Promise.all(opened)).flat()
}
