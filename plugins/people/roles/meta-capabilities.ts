import type { CurrentUser } from '../../../kernel/index.ts'
import type { Row } from '../../storage/store/index.ts'

/** A post that a capability is about. */
export interface PostSubject extends Pick<Row<'posts'>, 'id' | 'type' | 'status' | 'author_id' | 'parent_id'> {
  /** The post above; null when it is not there. Needed for the status `inherit` and for revisions. */
  readonly parent?: PostSubject | null | undefined
  /** The status before the trash; '' when nobody knows it. */
  readonly previous_status?: string | undefined
}

/** A term that a capability is about. */
export interface TermSubject extends Pick<Row<'terms'>, 'id' | 'taxonomy'> {
  /** Whether new posts get this term; such a term cannot be deleted. */
  readonly is_default?: boolean | undefined
}

/** A comment that a capability is about. */
export interface CommentSubject extends Pick<Row<'comments'>, 'id' | 'post_id' | 'author_id'> {
  /** The post it is under; null when it is not there. */
  readonly post?: PostSubject | null | undefined
}

/** A user that a capability is about. */
export type UserSubject = Pick<Row<'users'>, 'id'>

/** What a capability can be about. */
export type CapabilityObject = PostSubject | TermSubject | CommentSubject | UserSubject

/** A registry, as far as its entries decide on capabilities. */
export interface Registry<T> {
  get(name: string): Readonly<T> | undefined
}

/** The registries whose entries name the primitive capabilities of posts and terms. */
export interface MetaCapabilityRegistries {
  readonly contentTypes?: Registry<{ capabilities: PostCapabilities; map_meta_cap: boolean }> | undefined
  readonly statuses?: Registry<{ public: boolean; private: boolean }> | undefined
  readonly taxonomies?: Registry<{ capabilities: TermCapabilities }> | undefined
}

/** In a list of needed capabilities, it refuses everybody. */
const DO_NOT_ALLOW = 'do_not_allow'

/** The capabilities of posts, as a content type names them: `edit_books` for `edit_posts`. */
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

/** Those of a site without content types. */
const POST_CAPABILITIES = postCapabilities('post', 'posts')

/** Capabilities that follow from another one, whatever they are about. */
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
  // Whoever may do something with posts may do it with reusable blocks.
  publish_blocks: 'publish_posts',
  read_private_blocks: 'read_private_posts',
  edit_private_blocks: 'edit_private_posts',
  delete_private_blocks: 'delete_private_posts',
  // Files of every kind are let in by nobody's rank: a plugin that wants them maps it.
  unfiltered_upload: DO_NOT_ALLOW,
}

/** Capabilities about a user that others need a right for, and whether everybody has them about themselves. */
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
 * The primitive capabilities that a user needs for a capability. Resources may ask for more, or for something else:
 * their `permissions.ts` says so.
 * @returns names; an empty list is open to everybody, `do_not_allow` in it refuses everybody
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
    // The post is gone: whoever may write posts may tidy up.
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

/** Which rule a capability about a post follows; content types have names of their own for them (`edit_page`). */
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
    // What a post was is not deleted by anybody, but with the post, or by the site itself.
    if (capability === 'delete_post') return [DO_NOT_ALLOW]
    // Who may do anything else to the post may do it to what the post was.
    return post.parent ? neededFor(registries, user, capability, post.parent) : [DO_NOT_ALLOW]
  }
  const type =
    registries.contentTypes === undefined
      ? { capabilities: POST_CAPABILITIES, map_meta_cap: true }
      : registries.contentTypes.get(post.type)
  // Content whose type nobody registers is in the hands of those who care for everything.
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
  // What is public is everybody's, unless its type asks for more than reading.
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

/** A post without an author is nobody's, and a visitor is nobody. */
function isAuthor(user: CurrentUser, post: PostSubject): boolean {
  return user.id !== 0 && post.author_id === user.id
}

/** The status that decides who may read; undefined when the post above it, whose status counts, is not told. */
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
