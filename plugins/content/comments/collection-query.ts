import { cursorOf, pageRange, valuesOf } from '../../resources/index.ts'
import type { PluginContext, RestRequest } from '../../../kernel/index.ts'
import { dateRangeOf } from './dates.ts'
import type { CommentOrder, CommentQuery } from './query.ts'
import { visibilityFor } from './visibility.ts'

type Services = PluginContext['services']

/** The stored states that a request's `status` stands for; any other stands for itself. */
const STATES: Readonly<Record<string, readonly string[]>> = { approve: ['1'], hold: ['0'], all: ['1', '0'], any: [] }
/** The types that a request's `type` stands for; any other stands for itself. */
const TYPES: Readonly<Record<string, readonly string[]>> = { all: [], pings: ['pingback', 'trackback'] }

/** What a request for the list asks for. */
export async function collectionQuery(services: Services, request: RestRequest): Promise<CommentQuery> {
  const { user, scope } = request
  const offset = request.get('offset') as number | undefined
  // An empty choice, as forms send one, chooses nothing in particular.
  const status = (request.get('status') as string) || 'all'
  const type = (request.get('type') as string) || 'all'
  const search = request.get('search') as string | undefined
  const email = request.get('author_email') as string | null
  const types = Object.hasOwn(TYPES, type) ? TYPES[type]! : [type]
  const { fieldIndex } = services
  const subtypes = types.length === 0 ? [''] : types
  const asked = fieldIndex.has('comment') ? await fieldIndex.askedBy('comment', 'comment', request, subtypes) : null
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
    // What only moderators see of an author, others cannot search either.
    ...(search && { search, searchPrivate: services.capabilities.can(user, 'moderate_comments') }),
    ...(await dateRangeOf(services, request)),
    ...(asked !== null && asked.where.length > 0 && { where: asked.where }),
    orderby: asked?.orderby ?? (request.get('orderby') as CommentOrder),
    order: request.get('order') as 'asc' | 'desc',
    ...pageRange(request),
    ...cursorOf(request),
    ...(offset !== undefined && { offset: Math.abs(offset) }),
  }
}

/** The IDs of the posts asked for that the password of the request opens. */
async function openedPosts({ posts }: Services, request: RestRequest): Promise<number[]> {
  const password = request.get('password') as string | undefined
  const ids = valuesOf<number>(request, 'post')
  // A password is that of one post.
  if (password === undefined || ids.length !== 1) return []
  const asked = await Promise.all(ids.map(async (id) => posts.get(id, request.scope)))
  const opened = asked.map(async (post) => {
    if (post === undefined || post.password === '') return []
    // The conditions of the list let those in who may edit the post.
    if (await posts.isEditable(post, request.user, request.scope)) return []
    return (await posts.opens(post, password, request)) ? [post.id] : []
  })
  return (await Promise.all(opened)).flat()
}
