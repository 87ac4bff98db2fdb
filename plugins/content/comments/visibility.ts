import type { Expression, SqlBool } from 'kysely'
import type { Branding, CurrentUser, PluginContext, RequestCache } from '../../../kernel/index.ts'
import type { PostSubject } from '../../people/roles/index.ts'
import { sql, type Row } from '../../storage/store/index.ts'
import type { ContentType, Status } from '../content-types/index.ts'
import { BEFORE_TRASH } from '../meta-keys.ts'

/** The type of comments for those alone who may edit the post. */
export const NOTE = 'note'
/** What a note says of the one that it replies to. */
export const NOTE_STATUSES = ['resolved', 'reopen'] as const
/** The meta key that says it. */
export const noteStatusKey = ({ typeName }: Branding) => `_${typeName('note_status')}`
/** The status of posts that are read as their parent is. */
const INHERIT = 'inherit'

/** Posts of some types in some statuses. */
export interface PostSet {
  readonly types: readonly string[]
  readonly statuses: readonly string[]
}

/** Posts that a user may do something with: whoever wrote them, and further ones of their own. */
export interface PostScope {
  readonly any: readonly PostSet[]
  readonly own: readonly PostSet[]
}

/**
 * Which comments a user may see, told by the posts that they are about, so that the database can decide: what is hidden
 * is not counted, not found, and moves nothing. Plain data.
 */
export interface Visibility {
  /** ID of the user; 0 for a visitor. */
  readonly user: number
  readonly readable: PostScope
  readonly editable: PostScope
  /** Types whose posts may be read as their parent may, and which parents may be read. */
  readonly inheriting: readonly string[]
  readonly parents: PostScope
  /** IDs of protected posts that a password has opened. */
  readonly opened: readonly number[]
  /** Whether comments on protected posts are told of, whose text is then for the caller to hide. */
  readonly toldOfProtected?: boolean
  /** Whether comments are visible whose post is gone. */
  readonly orphans: boolean
}

type Services = PluginContext['services']

/** What a user may see by their roles, without the posts that a password has opened. */
export type RoleVisibility = Omit<Visibility, 'opened' | 'toldOfProtected'>

/** What a user may see; `opened` are the IDs of protected posts that a password has opened. */
export function visibilityFor(
  { comments }: Services,
  user: CurrentUser,
  opened: readonly number[],
  scope: RequestCache,
): Visibility {
  return { ...scope.get('visibility of comments', () => comments.rights.of(user)), opened }
}

/** Computes what a user may see by their roles; `CommentService.rights` caches it. */
export function visibilityByRoles(
  { capabilities, contentTypes, statuses }: Services,
  user: CurrentUser,
): RoleVisibility {
  const exposed = contentTypes.exposed()
  const may = (capability: string, type: ContentType, status: Status, own: boolean) => {
    const author_id = own ? user.id : 0
    const post: PostSubject = { id: 0, type: type.name, status: status.name, author_id, parent_id: 0, parent: null }
    if (status.name !== 'trash') return capabilities.can(user, capability, post)
    return BEFORE_TRASH.every((previous_status) => capabilities.can(user, capability, { ...post, previous_status }))
  }
  const scopeOf = (
    types: readonly ContentType[],
    allows: (type: ContentType, status: Status, own: boolean) => boolean,
  ): PostScope => {
    const sets = (own: boolean) => postSets(types, statuses.all(), (type, status) => allows(type, status, own))
    return { any: sets(false), own: user.id === 0 ? [] : sets(true) }
  }
  const isOpen = (type: ContentType) => type.capabilities.read === 'read'
  const isReadable = (type: ContentType, status: Status, own: boolean) => {
    // Authors see their own wherever it is attached.
    if (status.name === INHERIT) return own && isOpen(type) && capabilities.can(user, type.capabilities.read)
    return (isOpen(type) && status.public) || may('read_post', type, status, own)
  }
  return {
    user: user.id,
    readable: scopeOf(exposed, isReadable),
    // Visitors may edit nothing.
    editable: user.id === 0 ? NO_POSTS : scopeOf(exposed, (type, status, own) => may('edit_post', type, status, own)),
    inheriting: exposed.filter(isOpen).map(({ name }) => name),
    parents: scopeOf(contentTypes.all(), isReadable),
    orphans: capabilities.can(user, 'moderate_comments'),
  }
}

const NO_POSTS: PostScope = { any: [], own: [] }

/** Types with the same statuses stand together. */
function postSets(
  types: readonly ContentType[],
  statuses: readonly Status[],
  allows: (type: ContentType, status: Status) => boolean,
): PostSet[] {
  const sets = new Map<string, { types: string[]; statuses: string[] }>()
  for (const type of types) {
    const allowed = statuses.filter((status) => allows(type, status)).map(({ name }) => name)
    if (allowed.length === 0) continue
    const key = allowed.join(' ')
    const set = sets.get(key)
    if (set === undefined) sets.set(key, { types: [type.name], statuses: allowed })
    else set.types.push(type.name)
  }
  return [...sets.values()]
}

/**
 * The condition that a row of `comments` is visible.
 * @param ordinary whether the query holds nothing but approved comments that are no notes
 */
export function isVisible(visibility: Visibility, ordinary: boolean): Expression<SqlBool> {
  const { user, readable, editable, opened, orphans, toldOfProtected = false } = visibility
  const isEditable = isInScope('posts', editable, user)
  const conditions = [anyOf([isInScope('posts', readable, user), isReadAsParent(visibility)])]
  if (!toldOfProtected)
    conditions.push(anyOf([sql<SqlBool>`posts.password = ''`, isOneOf('posts.id', opened), isEditable]))
  if (!ordinary) {
    const approved = sql<SqlBool>`comments.approved = '1' and comments.type <> ${NOTE}`
    const own = user === 0 ? never : sql<SqlBool>`(comments.author_id = ${user} and comments.type <> ${NOTE})`
    conditions.push(anyOf([approved, own, isEditable]))
  }
  const post = sql`select 1 from posts where posts.id = comments.post_id`
  const visible = sql<SqlBool>`exists (${post} and ${sql.join(conditions, sql` and `)})`
  return orphans ? sql<SqlBool>`(${visible} or not exists (${post}))` : visible
}

const never = sql<SqlBool>`(1 = 0)`

function isInScope(table: string, { any, own }: PostScope, user: number): Expression<SqlBool> {
  const isIn = ({ types, statuses }: PostSet) =>
    sql<SqlBool>`(${isOneOf(`${table}.type`, types)} and ${isOneOf(`${table}.status`, statuses)})`
  const theirs = own.map((set) => sql<SqlBool>`(${sql.ref(`${table}.author_id`)} = ${user} and ${isIn(set)})`)
  return anyOf([...any.map(isIn), ...theirs])
}

/** Whether a post is read as its parent is, and that may be read or is gone. */
function isReadAsParent({ inheriting, parents, user }: Visibility): Expression<SqlBool> {
  const hidden = sql`select 1 from posts as above where above.id = posts.parent_id and not ${isInScope('above', parents, user)}`
  const inherits = sql`posts.status = ${INHERIT} and ${isOneOf('posts.type', inheriting)}`
  return sql<SqlBool>`(${inherits} and not exists (${hidden}))`
}

function isOneOf(column: string, values: readonly (string | number)[]): Expression<SqlBool> {
  return values.length === 0 ? never : sql<SqlBool>`${sql.ref(column)} in (${sql.join(values)})`
}

function anyOf(conditions: readonly Expression<SqlBool>[]): Expression<SqlBool> {
  const possible = conditions.filter((condition) => condition !== never)
  return possible.length === 0 ? never : sql<SqlBool>`(${sql.join(possible, sql` or `)})`
}

/** Whether a comment is shown to a user because they wrote it: notes are for those who may edit the post, whoever wrote them. */
export function isOwn(
  { author_id: author, type }: Pick<Row<'comments'>, 'author_id' | 'type'>,
  user: CurrentUser,
): boolean {
  return user.id !== 0 && author === user.id && type !== NOTE
}

/** Whether a comment is for everybody who may read the post. */
export function isOrdinary({ approved, type }: Pick<Row<'comments'>, 'approved' | 'type'>): boolean {
  return approved === '1' && type !== NOTE
}
