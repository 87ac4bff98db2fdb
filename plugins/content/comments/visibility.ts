import type { Expression, SqlBool } from 'kysely'
import type { Branding, CurrentUser, PluginContext, RequestCache } from '../../../kernel/index.ts'
import type { PostSubject } from '../../people/roles/index.ts'
import { sql, type Row } from '../../storage/store/index.ts'
import type { ContentType, Status } from '../content-types/index.ts'
import { BEFORE_TRASH } from '../meta-keys.ts'

/** Comment type of editorial notes, visible only to users who can edit the post. */
export const NOTE = 'note'
/** Values of the meta field that resolves or reopens the thread of a note. */
export const NOTE_STATUSES = ['resolved', 'reopen'] as const
/** Name of the note status in the REST API. */
export const noteStatusName = ({ typeName }: Branding) => `_${typeName('note_status')}`
/** Post status that takes its visibility from the parent post. */
const INHERIT = 'inherit'

/** Posts of some types in some statuses. */
export interface PostSet {
  readonly types: readonly string[]
  readonly statuses: readonly string[]
}

/** Posts on which a user may act: posts of any author, and additional posts of their own. */
export interface PostScope {
  readonly any: readonly PostSet[]
  readonly own: readonly PostSet[]
}

/**
 * Comments that a user may see, as plain data about their posts. The database applies it, so hidden comments do not
 * affect totals, searches or pages.
 */
export interface Visibility {
  /** ID of the user; 0 for a visitor. */
  readonly user: number
  readonly readable: PostScope
  readonly editable: PostScope
  /** Types whose posts can inherit the visibility of their parent, and the parents that the user may read. */
  readonly inheriting: readonly string[]
  readonly parents: PostScope
  /**
   * IDs of protected posts that the user has opened with the password. Without the password, only users who can edit
   * the post see its comments.
   */
  readonly opened: readonly number[]
  /** Whether to include comments on protected posts; the caller must hide their text. */
  readonly includesProtected?: boolean
  /** Whether to include comments whose post no longer exists. */
  readonly orphans: boolean
}

type Services = PluginContext['services']

/** The comments that a user can read because of their roles, without those on posts opened with a password. */
export type RoleVisibility = Omit<Visibility, 'opened' | 'includesProtected'>

/**
 * Returns the comments that a user may see.
 * @param opened IDs of protected posts that a password has opened
 */
export function visibilityFor(
  { comments }: Services,
  user: CurrentUser,
  opened: readonly number[],
  scope: RequestCache,
): Visibility {
  return { ...scope.get('visibility of comments', () => comments.rights.rightsOf(user)), opened }
}

/** Returns the comments that a user can read because of their roles. `CommentService.rights` caches the result. */
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
    // Authors see their own uploads regardless of the parent.
    if (status.name === INHERIT) return own && isOpen(type) && capabilities.can(user, type.capabilities.read)
    return (isOpen(type) && status.public) || may('read_post', type, status, own)
  }
  return {
    user: user.id,
    readable: scopeOf(exposed, isReadable),
    // Visitors cannot edit posts.
    editable: user.id === 0 ? NO_POSTS : scopeOf(exposed, (type, status, own) => may('edit_post', type, status, own)),
    inheriting: exposed.filter(isOpen).map(({ name }) => name),
    parents: scopeOf(contentTypes.all(), isReadable),
    orphans: capabilities.can(user, 'moderate_comments'),
  }
}

const NO_POSTS: PostScope = { any: [], own: [] }

/** Groups types that have the same statuses. */
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
 * Returns the condition that selects the visible rows of `comments`.
 * @param ordinary whether the query selects only approved comments that are not notes
 */
export function isVisible(visibility: Visibility, ordinary: boolean): Expression<SqlBool> {
  const { user, readable, editable, opened, orphans, includesProtected = false } = visibility
  const isEditable = isInScope('posts', editable, user)
  const conditions = [anyOf([isInScope('posts', readable, user), isReadAsParent(visibility)])]
  if (!includesProtected)
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
  const ownConditions = own.map((set) => sql<SqlBool>`(${sql.ref(`${table}.author_id`)} = ${user} and ${isIn(set)})`)
  return anyOf([...any.map(isIn), ...ownConditions])
}

/** Selects posts that inherit the visibility of a parent that is readable or missing. */
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

/**
 * Checks whether the user sees a comment because they wrote it. Notes are excluded: only users who can edit the post
 * see them.
 */
export function isOwn(
  { author_id: author, type }: Pick<Row<'comments'>, 'author_id' | 'type'>,
  user: CurrentUser,
): boolean {
  return user.id !== 0 && author === user.id && type !== NOTE
}

/** Checks whether every reader of the post may see a comment. */
export function isOrdinary({ approved, type }: Pick<Row<'comments'>, 'approved' | 'type'>): boolean {
  return approved === '1' && type !== NOTE
}
