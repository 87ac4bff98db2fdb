import { sql, type Expression, type SqlBool } from 'kysely'
import { type CurrentUser, type PluginContext, type RequestCache } from '../../../kernel/index.ts'
import type { ContentType, Status } from '../content-types/index.ts'
import type { PostSubject } from '../../people/roles/index.ts'
import type { Comment } from './reader.ts'

/** The type of comments that only those see who work on the post. */
export const NOTE = 'note'
/** The status of posts that follow the post above them. */
const INHERIT = 'inherit'
/** What a post in the trash may have been: who may do something to all of these may do it to the post. */
const BEFORE_TRASH = ['publish', 'draft', 'private']

/** Posts by what they are and what state they are in. */
interface Kind {
  readonly types: readonly string[]
  readonly statuses: readonly string[]
}

/** Posts that a person may do something with: those of everybody, and further ones of their own. */
interface ReadScope {
  readonly any: readonly Kind[]
  readonly own: readonly Kind[]
}

/**
 * Which comments a person may see, told by the posts that they are about, so that the database can look: what is not
 * seen is not counted, not found, and moves nothing. Plain data.
 */
export interface Sight {
  /** Id of the person; 0 for a visitor. */
  readonly user: number
  readonly readable: ReadScope
  readonly editable: ReadScope
  /** Types whose items may be read as the post above them may, and what may be read of those posts. */
  readonly inheriting: readonly string[]
  readonly above: ReadScope
  /** Protected posts that a password has opened. */
  readonly opened: readonly number[]
  /** Whether comments are seen whose post is gone. */
  readonly orphans: boolean
}

type Services = PluginContext['services']

/** What a person sees; `opened` names the protected posts that a password has opened. */
export function sightOf(services: Services, user: CurrentUser, opened: readonly number[], scope: RequestCache): Sight {
  return { ...scope.get('sight of comments', () => reaches(services, user)), opened }
}

function reaches({ capabilities, contentTypes, statuses }: Services, user: CurrentUser): Omit<Sight, 'opened'> {
  const exposed = contentTypes.exposed()
  const may = (capability: string, type: ContentType, status: Status, own: boolean) => {
    const author_id = own ? user.id : 0
    const subject: PostSubject = { id: 0, type: type.name, status: status.name, author_id, parent_id: 0, parent: null }
    if (status.name !== 'trash') return capabilities.can(user, capability, subject)
    return BEFORE_TRASH.every((previous) =>
      capabilities.can(user, capability, { ...subject, previous_status: previous }),
    )
  }
  const readScope = (
    types: readonly ContentType[],
    allows: (type: ContentType, status: Status, own: boolean) => boolean,
  ) => {
    const kinds = (own: boolean) => kindsOf(types, statuses.all(), (type, status) => allows(type, status, own))
    return { any: kinds(false), own: user.id === 0 ? [] : kinds(true) }
  }
  const isOpen = (type: ContentType) => type.capabilities.read === 'read'
  const isReadable = (type: ContentType, status: Status, own: boolean) => {
    // Whoever put it there sees it wherever it is.
    if (status.name === INHERIT) return own && isOpen(type) && capabilities.can(user, type.capabilities.read)
    return (isOpen(type) && status.public) || may('read_post', type, status, own)
  }
  return {
    user: user.id,
    readable: readScope(exposed, isReadable),
    // Visitors may change nothing.
    editable: user.id === 0 ? NOTHING : readScope(exposed, (type, status, own) => may('edit_post', type, status, own)),
    inheriting: exposed.filter(isOpen).map(({ name }) => name),
    above: readScope(contentTypes.all(), isReadable),
    orphans: capabilities.can(user, 'moderate_comments'),
  }
}

const NOTHING: ReadScope = { any: [], own: [] }

/** Types with the same statuses stand together. */
function kindsOf(
  types: readonly ContentType[],
  statuses: readonly Status[],
  allows: (type: ContentType, status: Status) => boolean,
): Kind[] {
  const kinds = new Map<string, { types: string[]; statuses: string[] }>()
  for (const type of types) {
    const allowed = statuses.filter((status) => allows(type, status)).map(({ name }) => name)
    if (allowed.length === 0) continue
    const key = allowed.join(' ')
    const kind = kinds.get(key)
    if (kind === undefined) kinds.set(key, { types: [type.name], statuses: allowed })
    else kind.types.push(type.name)
  }
  return [...kinds.values()]
}

/**
 * The condition that a row of `comments` is seen.
 * @param ordinary whether the query holds nothing but approved comments that are no notes
 */
export function isSeen(sight: Sight, ordinary: boolean): Expression<SqlBool> {
  const { user, readable, editable, opened, orphans } = sight
  const isEditable = within('posts', editable, user)
  const conditions = [
    anyOf([within('posts', readable, user), follows(sight)]),
    anyOf([sql<SqlBool>`posts.password = ''`, isOneOf('posts.id', opened), isEditable]),
  ]
  if (!ordinary) {
    const approved = sql<SqlBool>`comments.approved = '1' and comments.type <> ${NOTE}`
    const own = user === 0 ? never : sql<SqlBool>`comments.author_id = ${user}`
    conditions.push(anyOf([approved, own, isEditable]))
  }
  const post = sql`select 1 from posts where posts.id = comments.post_id`
  const seen = sql<SqlBool>`exists (${post} and ${sql.join(conditions, sql` and `)})`
  return orphans ? sql<SqlBool>`(${seen} or not exists (${post}))` : seen
}

const never = sql<SqlBool>`(1 = 0)`

/** Whether a post is one of those that are reached. */
function within(table: string, { any, own }: ReadScope, user: number): Expression<SqlBool> {
  const isOf = ({ types, statuses }: Kind) =>
    sql<SqlBool>`(${isOneOf(`${table}.type`, types)} and ${isOneOf(`${table}.status`, statuses)})`
  const theirs = own.map((kind) => sql<SqlBool>`(${sql.ref(`${table}.author_id`)} = ${user} and ${isOf(kind)})`)
  return anyOf([...any.map(isOf), ...theirs])
}

/** Whether a post follows the one above it, and that can be read or is not there. */
function follows({ inheriting, above, user }: Sight): Expression<SqlBool> {
  const unreadable = sql`select 1 from posts as above where above.id = posts.parent_id and not ${within('above', above, user)}`
  const follower = sql`posts.status = ${INHERIT} and ${isOneOf('posts.type', inheriting)}`
  return sql<SqlBool>`(${follower} and not exists (${unreadable}))`
}

function isOneOf(column: string, values: readonly (string | number)[]): Expression<SqlBool> {
  return values.length === 0 ? never : sql<SqlBool>`${sql.ref(column)} in (${sql.join(values)})`
}

function anyOf(conditions: readonly Expression<SqlBool>[]): Expression<SqlBool> {
  const possible = conditions.filter((condition) => condition !== never)
  return possible.length === 0 ? never : sql<SqlBool>`(${sql.join(possible, sql` or `)})`
}

/** Whether a comment is for everybody who reads the post. */
export function isOrdinary({ approved, type }: Pick<Comment, 'approved' | 'type'>): boolean {
  return approved === '1' && type !== NOTE
}
