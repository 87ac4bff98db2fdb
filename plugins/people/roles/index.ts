import {
  action,
  applySyncFilter,
  definePlugin,
  OwnedMap,
  syncFilter,
  type Action,
  type CurrentUser,
  type HookSpecs,
  type SyncFilter,
} from '../../../kernel/index.ts'
import { addDeprecatedMembers } from '../../library/deprecated-names/index.ts'
import { createAccountChanges, type AccountChange, type AccountChanges } from './account-changes.ts'
import { mapMetaCapability, type CapabilityObject, type MetaCapabilityRegistries } from './meta-capabilities.ts'
import { Roles } from './roles.ts'

export type { AccountChange, AccountChanges } from './account-changes.ts'
export type {
  CapabilityObject,
  CommentSubject,
  MetaCapabilityRegistries,
  PostCapabilities,
  PostSubject,
  Registry as CapabilityRegistry,
  TermCapabilities,
  TermSubject,
  UserSubject,
} from './meta-capabilities.ts'
export { postCapabilities } from './meta-capabilities.ts'
export type { Role, Roles } from './roles.ts'

/** Capabilities that let a user take over the site. */
const TAKEOVER_CAPABILITIES =
  'manage_options edit_users create_users promote_users delete_users edit_files edit_plugins install_plugins'.split(' ')

/** Permissions of users. Every plugin checks permissions here. */
export interface Capabilities {
  /**
   * Whether a user may do something. Synchronous: a user carries the capabilities of their roles.
   *
   * @param capability a primitive one (`edit_posts`, `manage_options`, a plugin's own), or one that is about an object:
   *   `edit_post` `read_post` `delete_post` `publish_post` and what content types name theirs, `edit_term` `delete_term`
   *   `assign_term`, `edit_comment`, `edit_user` `delete_user` `promote_user` `remove_user`, `edit_post_meta` …
   * @param object the post, term, comment or user in question, as the store returns it. For posts of status `inherit`
   *   (attachments, revisions) the caller adds `parent`, for comments `post`, for posts in the trash `previous_status`.
   *   If one of these is missing, or the object is, the answer is false.
   */
  can(user: CurrentUser, capability: string, object?: CapabilityObject): boolean
  /**
   * Returns the primitive capabilities that a user needs for a capability that `can` checks. An empty list permits all
   * users; `do_not_allow` in it refuses every user.
   */
  map(user: CurrentUser, capability: string, object?: CapabilityObject): string[]
  /**
   * Whether a user has every power over the whole site that these capabilities give. No user can edit, create, or act
   * for, a user with more powers than they have.
   */
  hasPowersOf(user: CurrentUser, capabilities: Readonly<Record<string, boolean>>): boolean
  /**
   * Whether the results of `can` depend on roles, owners and states only: no plugin taps `map_meta_cap` or
   * `user_has_cap`.
   */
  readonly followRules: boolean
  /** Sets the registries that define the capabilities of posts and terms. For the plugins that own them. */
  setRegistries(registries: MetaCapabilityRegistries): void
  /** @deprecated Use `setRegistries`. */
  readonly know: Capabilities['setRegistries']
}

interface RoleHooks {
  /**
   * Filter: the primitive capabilities needed for a capability, which can be about an object. Add `do_not_allow` to
   * refuse every user; an empty list permits every user. @since 0.1.0
   */
  map_meta_cap: SyncFilter<string[], [capability: string, user: CurrentUser, object: CapabilityObject | undefined]>
  /** Filter: the capabilities of a user during one check. Return a changed copy. @since 0.1.0 */
  user_has_cap: SyncFilter<
    Readonly<Record<string, boolean>>,
    [needed: readonly string[], capability: string, user: CurrentUser, object: CapabilityObject | undefined]
  >
  /**
   * Action: a request is about to change an account, and its user is allowed to. A tap refuses the change by throwing,
   * for example because the credentials of the request are too weak. Runs before anything is stored; a transaction may
   * be open. Does not run for commands and jobs, nor for `accountChanges.asSite`. @since 0.1.0
   */
  pre_change_account: Action<[change: AccountChange, user: CurrentUser]>
}

declare module '../../../kernel/index.ts' {
  interface CurrentUser {
    /** Names of the user's roles; empty for visitors. */
    readonly roles?: readonly string[]
    /** Capabilities of the roles, as returned by `roles.capabilitiesOf`; visitors have none. */
    readonly capabilities?: Readonly<Record<string, boolean>>
  }
  interface Services {
    /**
     * Permissions of users.
     * @example
     * const mayWater = services.capabilities.can(request.user, 'water_plants')
     * const mayEdit = services.capabilities.can(request.user, 'edit_post', await services.posts.subject(post,
     * request.scope))
     */
    capabilities: Capabilities
    /**
     * Checks whether the credentials of a request suffice to change accounts. Call it before you store a change that
     * lets a user log in or do more than before.
     * @example
     * await services.accountChanges.check('password')
     * await services.accountChanges.asSite(() => services.users.update(7, { roles: ['member'] }))
     */
    accountChanges: AccountChanges
    /**
     * The roles of the site; plugins add roles and capabilities.
     * @example
     * services.roles.register('gardener', 'Gardener', ['read', 'water_plants'])
     * services.roles.grant('editor', 'water_plants')
     */
    roles: Roles
  }
  interface Hooks extends RoleHooks {}
}

const NOTHING: Readonly<Record<string, boolean>> = Object.freeze(Object.create(null) as Record<string, boolean>)

/** Roles, their capabilities, and the rules for capabilities about an object. */
export default definePlugin({
  name: 'roles',
  provides: ['roles', 'capabilities', 'accountChanges'],
  hooks: {
    map_meta_cap: syncFilter('needed', 'capability', 'user', 'object'),
    user_has_cap: syncFilter('capabilities', 'needed', 'capability', 'user', 'object'),
    pre_change_account: action('change', 'user'),
  } satisfies HookSpecs<RoleHooks>,
  apply({ hooks, provide }) {
    const registered = new OwnedMap<MetaCapabilityRegistries>('capability rules')
    const registries: MetaCapabilityRegistries = {
      get contentTypes() {
        return registered.get('contentTypes')?.contentTypes
      },
      get statuses() {
        return registered.get('statuses')?.statuses
      },
      get taxonomies() {
        return registered.get('taxonomies')?.taxonomies
      },
    }
    const map = (user: CurrentUser, capability: string, object?: CapabilityObject) =>
      applySyncFilter(
        hooks.map_meta_cap,
        mapMetaCapability(registries, user, capability, object),
        capability,
        user,
        object,
      )
    const can: Capabilities['can'] = (user, capability, object) => {
      const needed = map(user, capability, object)
      const has = applySyncFilter(hooks.user_has_cap, user.capabilities ?? NOTHING, needed, capability, user, object)
      return needed.every(
        (name) => name === 'exist' || (name !== 'do_not_allow' && Object.hasOwn(has, name) && has[name] === true),
      )
    }
    const roles = new Roles()
    hooks.registrations_checked.tap('roles', (check) => roles.check(check))
    provide('roles', roles)
    provide('accountChanges', createAccountChanges(hooks))
    const capabilities: Omit<Capabilities, 'know'> = {
      can,
      get followRules() {
        return !hooks.map_meta_cap.isUsed() && !hooks.user_has_cap.isUsed()
      },
      map,
      hasPowersOf: (user, capabilities) =>
        TAKEOVER_CAPABILITIES.every((capability) => capabilities[capability] !== true || can(user, capability)),
      setRegistries(rules) {
        for (const name of Object.keys(rules)) registered.set(name, rules)
      },
    }
    provide('capabilities', addDeprecatedMembers(capabilities, 'services.capabilities', { know: 'setRegistries' }))
  },
})
