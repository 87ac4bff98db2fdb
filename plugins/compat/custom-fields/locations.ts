import type { CurrentUser } from '../../public.ts'
import type { FieldGroup, LocationRule } from './model.ts'
import type { TargetType } from './targets.ts'

/** Facts about an object that location rules test. Facts of other kinds of objects are undefined. */
export interface LocationFacts {
  readonly target: TargetType
  /** The requesting user; a visitor for schemas. */
  readonly user: Pick<CurrentUser, 'id' | 'roles'>
  readonly id: number
  /** Whether a user edits the object in the admin. */
  readonly isInAdmin?: boolean
  readonly post?: PostFacts
  /** Roles of the user that the fields belong to. */
  readonly roles?: readonly string[]
  /** Content type of the post of a comment. */
  readonly commentedType?: string
}

/** Facts about a post. */
export interface PostFacts {
  readonly status: string
  readonly parent: number
  readonly template: string
  readonly hasChildren: boolean
  /** Terms of the post as `taxonomy:slug` and `taxonomy:ID`. */
  readonly terms: ReadonlySet<string>
  readonly frontPage: number
  readonly postsPage: number
}

/** Parameters that test posts. */
const POST_PARAMS: ReadonlySet<string> = new Set([
  'post_type',
  'post',
  'post_template',
  'post_status',
  'post_format',
  'post_category',
  'post_taxonomy',
  'page',
  'page_template',
  'page_parent',
  'page_type',
])
/** Parameters for which the posts of a rule must be read. */
const READ_PARAMS: ReadonlySet<string> = new Set([...POST_PARAMS].filter((param) => param !== 'post_type'))
const USER_PARAMS: ReadonlySet<string> = new Set(['current_user', 'current_user_role'])
const KINDS: Readonly<Record<string, TargetType['kind']>> = {
  taxonomy: 'term',
  user_form: 'user',
  user_role: 'user',
  comment: 'comment',
}
/** Parameters of navigation menus. Their groups apply to no object, but menus have the field. */
const MENU_PARAMS: ReadonlySet<string> = new Set(['nav_menu', 'nav_menu_item'])

/** Whether a group can apply to some object of a type. */
export function canApply({ location }: FieldGroup, target: TargetType): boolean {
  return location.some((rules) => rules.length > 0 && rules.every((rule) => isPossible(rule, target)))
}

function isPossible({ param, isNegated, value }: LocationRule, { kind, subtype }: TargetType): boolean {
  if (param === 'post_type') return kind === 'post' && (value === subtype || value === 'all') !== isNegated
  if (POST_PARAMS.has(param)) return kind === 'post'
  if (USER_PARAMS.has(param)) return true
  if (MENU_PARAMS.has(param)) return kind === 'term' && subtype === 'nav_menu'
  if (KINDS[param] !== kind) return false
  return param !== 'taxonomy' || (value === subtype || value === 'all') !== isNegated
}

/** The facts about a post that rules test: its type, also its other fields, or also whether it has children. */
export type PostReads = 'type' | 'post' | 'children'

/** Returns the facts about a post that the rules of some groups test. */
export function postReads(groups: readonly FieldGroup[]): PostReads {
  const rules = groups.flatMap(({ location }) => location.flat())
  if (rules.some(({ param, value }) => param === 'page_type' && value === 'parent')) return 'children'
  return rules.some(({ param }) => READ_PARAMS.has(param)) ? 'post' : 'type'
}

/** Whether the rules of a group depend on the requesting user. */
export function testsRequestingUser({ location }: FieldGroup): boolean {
  return location.flat().some(({ param }) => USER_PARAMS.has(param))
}

/** Whether a group applies to an object. */
export function applies({ location }: FieldGroup, facts: LocationFacts): boolean {
  return location.some((rules) => rules.length > 0 && rules.every((rule) => meets(rule, facts)))
}

/** Whether an object meets a rule. A rule about another kind of object is never met, even if it is negated. */
function meets(rule: LocationRule, facts: LocationFacts): boolean {
  const found = test(rule, facts)
  return found === null ? false : found !== rule.isNegated
}

/** Returns whether an object has the value of a rule; null if the rule is about another kind of object. */
function test({ param, value }: LocationRule, facts: LocationFacts): boolean | null {
  const { target, user, post, roles, commentedType, isInAdmin = false } = facts
  if (param === 'current_user') return testCurrentUser(value, user, isInAdmin)
  if (param === 'current_user_role') return user.roles?.includes(value) === true
  if (param === 'post_type') return target.kind === 'post' ? value === target.subtype || value === 'all' : null
  if (POST_PARAMS.has(param)) return post === undefined ? null : testPost(param, value, post, facts)
  if (param === 'taxonomy') return target.kind === 'term' ? value === target.subtype || value === 'all' : null
  if (param === 'comment') return target.kind === 'comment' ? value === 'all' || value === commentedType : null
  if (param === 'user_form') return target.kind === 'user' ? true : null
  if (param === 'user_role') return target.kind === 'user' ? value === 'all' || roles?.includes(value) === true : null
  return null
}

function testCurrentUser(value: string, { id }: Pick<CurrentUser, 'id'>, isInAdmin: boolean): boolean {
  if (value === 'logged_in') return id > 0
  // Requests of the REST API are of the front end.
  return value === (isInAdmin ? 'viewing_back' : 'viewing_front')
}

function testPost(param: string, value: string, post: PostFacts, { target, id }: LocationFacts): boolean | null {
  switch (param) {
    case 'post':
      return id === Number(value)
    case 'page':
      return id === Number(value)
    case 'post_status':
      return post.status === value
    case 'page_parent':
      return target.subtype === 'page' ? post.parent === Number(value) : null
    case 'post_template':
      return (post.template || 'default') === value
    case 'page_template':
      return target.subtype === 'page' ? (post.template || 'default') === value : null
    case 'post_category':
      return post.terms.has(value.includes(':') ? value : `category:${value}`)
    case 'post_taxonomy':
      return post.terms.has(value)
    case 'post_format':
      return value === 'standard'
        ? ![...post.terms].some((term) => term.startsWith('post_format:'))
        : post.terms.has(`post_format:post-format-${value}`)
    default:
      return testPageType(value, post, id)
  }
}

function testPageType(value: string, post: PostFacts, id: number): boolean {
  switch (value) {
    case 'front_page':
      return id === post.frontPage
    case 'posts_page':
      return id === post.postsPage
    case 'top_level':
      return post.parent === 0
    case 'parent':
      return post.hasChildren
    case 'child':
      return post.parent !== 0
    default:
      return false
  }
}
