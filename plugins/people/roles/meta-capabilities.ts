import type { CurrentUser } from '../../../kernel/index.ts'
import type { Row } from '../../storage/store/index.ts'

/** A post as the object of a capability. */
export interface PostSubject extends Pick<Row<'posts'>, 'id' | 'type' | 'status' | 'author_id' | 'parent_id'> {
  /** The parent post; null if it does not exist. Required for the status `inherit` and for revisions. */
  readonly parent?: PostSubject | null | undefined
  /** Status before the post was moved to the trash; '' if unknown. */
  readonly previous_status?: string | undefined
}

/** A term as the object of a capability. */
export interface TermSubject extends Pick<Row<'terms'>, 'id' | 'taxonomy'> {
  /** Whether new posts get this term by default; such a term cannot be deleted. */
  readonly is_default?: boolean | undefined
}

/** A comment as the object of a capability. */
export interface CommentSubject extends Pick<Row<'comments'>, 'id' | 'post_id' | 'author_id'> {
  /** The post of the comment; null if it does not exist. */
  readonly post?: PostSubject | null | undefined
}

/** A user as the object of a capability. */
export type UserSubject = Pick<Row<'users'>, 'id'>

/** Objects of capabilities. */
export type CapabilityObject = PostSubject | TermSubject | CommentSubject | UserSubject

/** The part of a registry that decides on capabilities. */
export interface Registry<T> {
  get(name: string): Readonly<T> | undefined
}

/** The registries that name the primitive capabilities of posts and terms. */
export interface MetaCapabilityRegistries {
  readonly contentTypes?: Registry<{ capabilities: PostCapabilities; map_meta_cap: boolean }> | undefined
  readonly statuses?: Registry<{ public: boolean; private: boolean }> | undefined
  readonly taxonomies?: Registry<{ capabilities: TermCapabilities }> | undefined
}

/** In a list of required capabilities, it refuses every user. */
const DO_NOT_ALLOW = 'do_not_allow'

/** Returns the capabilities of a content type by its names: `edit_books` for `edit_posts`. */
export function postCapabilities(one: string, many: string) {
  return {
    edit_post: `edit_${one}`,
    read_post: `read_${one}`,
    delete_post: `delete_${one}`,
    edit_posts: `edit_${many}`,
    edit_others_posts: `edit_others_${many}`,
    delete_posts: `delete_${many}`,
    publish_posts: `publish_${many}`,
    read_private_posts: `read_private_${many}`,
    create_posts: `edit_${many}`,
    read: 'read',
    delete_private_posts: `delete_private_${many}`,
    delete_published_posts: `delete_published_${many}`,
    delete_others_posts: `delete_others_${many}`,
    edit_private_posts: `edit_private_${many}`,
    edit_published_posts: `edit_published_${many}`,
  }
}

export type PostCapabilities = Readonly<ReturnType<typeof postCapabilities>>

/** The capabilities of posts on a site without content types. */
const POST_CAPABILITIES = postCapabilities('post', 'posts')

/** Capabilities that are granted with another capability, for any object. */
const ALIASES: Readonly<Record<string, string>> = {
  edit_categories: 'manage_categories',
  delete_categories: 'manage_categories',
  assign_categories: 'edit_posts',
  manage_post_tags: 'manage_categories',
  edit_post_tags: 'manage_categories',
  delete_post_tags: 'manage_categories',
  assign_post_tags: 'edit_posts',
  customize: 'edit_theme_options',
  edit_css: 'unfiltered_html',
  activate_plugin: 'activate_plugins',
  deactivate_plugin: 'activate_plugins',
  deactivate_plugins: 'activate_plugins',
  manage_privacy_options: 'manage_options',
  export_others_personal_data: 'manage_options',
  erase_others_personal_data: 'manage_options',
  add_users: 'promote_users',
  // Users who can edit posts can edit reusable blocks.
  publish_blocks: 'publish_posts',
  read_private_blocks: 'read_private_posts',
  edit_private_blocks: 'edit_private_posts',
  delete_private_blocks: 'delete_private_posts',
  // No role permits uploads of every file type: a plugin that needs it maps this capability.
  unfiltered_upload: DO_NOT_ALLOW,
}

/** Capabilities about a user: the capability required for others, and whether all users have them about themselves. */
const USER_CAPABILITIES: Readonly<Record<string, { needs: string; self: boolean }>> = {
  edit_user: { needs: 'edit_users', self: true },
  remove_user: { needs: 'remove_users', self: false },
  delete_user: { needs: 'delete_users', self: false },
  promote_user: { needs: 'promote_users', self: false },
  create_app_password: { needs: 'edit_users', self: true },
  list_app_passwords: { needs: 'edit_users', self: true },
  read_app_password: { needs: 'edit_users', self: true },
  edit_app_password: { needs: 'edit_users', self: true },
  delete_app_passwords: { needs: 'edit_users', self: true },
  delete_app_password: { needs: 'edit_users', self: true },
}

const TERM_CAPABILITIES = {
  edit_term: 'edit_terms',
  delete_term: 'delete_terms',
  assign_term: 'assign_terms',
} as const

export type TermCapabilities = Readonly<Record<(typeof TERM_CAPABILITIES)[keyof typeof TERM_CAPABILITIES], string>>

const META_CAPABILITY = /^(?:edit|add|delete)_(post|term|comment|user)_meta$/

/**
 * Returns the primitive capabilities that a user needs for a capability. Resources can require other ones in their
 * `permissions.ts`.
 * @returns names; an empty list permits every user, `do_not_allow` in it refuses every user
 */
export function mapMetaCapability(
  registries: MetaCapabilityRegistries,
  user: CurrentUser,
  capability: string,
  object?: CapabilityObject,
): string[] {
  const alias = Object.hasOwn(ALIASES, capability) ? ALIASES[capability]! : capability
  if (alias !== capability) return mapMetaCapability(registries, user, alias, object)

  const meta = META_CAPABILITY.exec(capability)
  if (meta !== null) return mapMetaCapability(registries, user, `edit_${meta[1]}`, object)

  const aboutUser = Object.hasOwn(USER_CAPABILITIES, capability) ? USER_CAPABILITIES[capability] : undefined
  if (aboutUser !== undefined) {
    if (object === undefined) return [DO_NOT_ALLOW]
    return aboutUser.self && user.id !== 0 && object.id === user.id ? [] : [aboutUser.needs]
  }

  if (capability === 'edit_comment') {
    if (object === undefined || !('post_id' in object)) return [DO_NOT_ALLOW]
    if (object.post === undefined) return [DO_NOT_ALLOW]
    // The post does not exist: users who can edit posts can clean up.
    return object.post === null ? ['edit_posts'] : mapPost(registries, user, 'edit_post', object.post)
  }

  if (Object.hasOwn(TERM_CAPABILITIES, capability)) {
    return mapTerm(registries, user, capability as keyof typeof TERM_CAPABILITIES, object)
  }

  const aboutPost = postCapability(registries, capability, object)
  if (aboutPost === undefined) return [capability]
  if (object === undefined || !isPost(object)) return [DO_NOT_ALLOW]
  return mapPost(registries, user, aboutPost, object)
}

type PostCapability = 'edit_post' | 'read_post' | 'delete_post' | 'publish_post'

const POST_META: ReadonlySet<string> = new Set('edit_post read_post delete_post publish_post'.split(' '))

/**
 * Returns the rule for a capability about a post; content types have their own names for capabilities (`edit_page`).
 */
function postCapability(
  registries: MetaCapabilityRegistries,
  capability: string,
  object: CapabilityObject | undefined,
): PostCapability | undefined {
  if (POST_META.has(capability)) return capability as PostCapability
  const type = object !== undefined && isPost(object) ? registries.contentTypes?.get(object.type) : undefined
  if (type?.map_meta_cap !== true) return undefined
  if (type.capabilities.edit_post === capability) return 'edit_post'
  if (type.capabilities.read_post === capability) return 'read_post'
  if (type.capabilities.delete_post === capability) return 'delete_post'
  return undefined
}

function mapPost(
  registries: MetaCapabilityRegistries,
  user: CurrentUser,
  capability: PostCapability,
  post: PostSubject,
): string[] {
  return neededFor(registries, user, capability, post).map((name) =>
    Object.hasOwn(ALIASES, name) ? ALIASES[name]! : name,
  )
}

function neededFor(
  registries: MetaCapabilityRegistries,
  user: CurrentUser,
  capability: PostCapability,
  post: PostSubject,
): string[] {
  if (post.type === 'revision') {
    // Revisions are deleted only with their post, or by the site itself.
    if (capability === 'delete_post') return [DO_NOT_ALLOW]
    // Other capabilities about a revision require the same capability about its post.
    return post.parent ? neededFor(registries, user, capability, post.parent) : [DO_NOT_ALLOW]
  }
  const type =
    registries.contentTypes === undefined
      ? { capabilities: POST_CAPABILITIES, map_meta_cap: true }
      : registries.contentTypes.get(post.type)
  // Posts of unregistered types are left to users who can edit posts of others.
  if (type === undefined) return ['edit_others_posts']
  const { capabilities } = type
  if (capability === 'publish_post') return [capabilities.publish_posts]
  if (!type.map_meta_cap) return [capabilities[capability]]
  if (capability === 'read_post') return mapRead(registries, user, capabilities, post)
  return mapChange(capabilities, isAuthor(user, post), capability, post)
}

function mapRead(
  registries: MetaCapabilityRegistries,
  user: CurrentUser,
  capabilities: PostCapabilities,
  post: PostSubject,
): string[] {
  const name = effectiveStatus(post)
  const status = name === undefined ? undefined : registries.statuses?.get(name)
  const isPublic = status?.public ?? (registries.statuses === undefined && name === 'publish')
  // Public content is readable for everyone, unless its type requires another capability.
  if (isPublic) return capabilities.read === 'read' ? [] : [capabilities.read]
  if (isAuthor(user, post)) return [capabilities.read]
  if (status?.private ?? name === 'private') return [capabilities.read_private_posts]
  return mapChange(capabilities, false, 'edit_post', post)
}

function mapChange(
  capabilities: PostCapabilities,
  own: boolean,
  capability: 'edit_post' | 'delete_post',
  post: PostSubject,
): string[] {
  const verb = capability === 'edit_post' ? 'edit' : 'delete'
  const status = post.status === 'trash' ? (post.previous_status ?? 'publish') : post.status
  const published = status === 'publish' || status === 'future'
  if (own) return [published ? capabilities[`${verb}_published_posts`] : capabilities[`${verb}_posts`]]
  const needed = [capabilities[`${verb}_others_posts`]]
  if (published) needed.push(capabilities[`${verb}_published_posts`])
  else if (status === 'private') needed.push(capabilities[`${verb}_private_posts`])
  return needed
}

function isPost(object: CapabilityObject): object is PostSubject {
  return 'type' in object && 'status' in object
}

/** Whether the user is the author. False for posts without an author and for visitors. */
function isAuthor(user: CurrentUser, post: PostSubject): boolean {
  return user.id !== 0 && post.author_id === user.id
}

/**
 * Returns the status that decides who can read a post; undefined if it depends on a parent post that was not passed.
 */
function effectiveStatus(post: PostSubject): string | undefined {
  if (post.status !== 'inherit') return post.status
  if (post.parent_id === 0 || post.parent === null) return 'publish'
  if (post.parent === undefined) return undefined
  return post.parent.status === 'trash' ? (post.parent.previous_status ?? 'trash') : effectiveStatus(post.parent)
}

function mapTerm(
  registries: MetaCapabilityRegistries,
  user: CurrentUser,
  capability: keyof typeof TERM_CAPABILITIES,
  object: CapabilityObject | undefined,
): string[] {
  if (object === undefined || !('taxonomy' in object)) return [DO_NOT_ALLOW]
  if (capability === 'delete_term' && object.is_default === true) return [DO_NOT_ALLOW]
  const taxonomy = registries.taxonomies?.get(object.taxonomy)
  if (taxonomy === undefined) return [DO_NOT_ALLOW]
  return mapMetaCapability(registries, user, taxonomy.capabilities[TERM_CAPABILITIES[capability]])
}
