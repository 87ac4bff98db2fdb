import {
  applyFilter,
  type Arguments,
  type PluginContext,
  type RestRequest,
  type RestResponse,
} from '../../../kernel/index.ts'
import {
  toIsoUtc,
  pageAfter,
  ResourceController,
  type ItemSchema,
  type ResourceReader,
  type ResourceWriter,
  type Selection,
} from '../../resources/index.ts'
import { dependsOn } from '../../library/caching/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { AVATARS_OPTION } from './avatars.ts'
import { errors } from './errors.ts'
import { UserInput } from './input.ts'
import type { LiveOptions } from './live-options.ts'
import { UserPermissions } from './permissions.ts'
import { NO_PROFILE } from './profile.ts'
import type { UserQuery } from './query.ts'
import type { User } from './reader.ts'
import { DELETE_ARGUMENTS, userListArguments, userSchema } from './schema.ts'
import type { NewUser, UserChange } from './writer.ts'

/** Fields of the profile. */
const PROFILE_FIELDS = [
  'first_name',
  'last_name',
  'description',
  'locale',
  'nickname',
  'roles',
  'capabilities',
  'extra_capabilities',
] as const

/** The routes of users. */
export class UsersController extends ResourceController<User, UserQuery, NewUser | UserChange> {
  protected override readonly deleteParams = DELETE_ARGUMENTS
  protected override readonly inBatches: boolean = this.plugin.since('6.6')
  protected readonly permissions = new UserPermissions(this.plugin)
  protected readonly input = new UserInput(this.plugin, this.permissions)
  protected readonly reader: ResourceReader<UserQuery, User> = {
    query: (query) => this.plugin.services.users.query(query),
  }
  protected readonly writer: ResourceWriter<User, NewUser | UserChange> = {
    create: (user) => this.plugin.services.users.writer.create(user as NewUser, this.#turn),
    update: ({ id }, change) => this.plugin.services.users.writer.update(id, change, this.#turn),
    delete: ({ id }, request) => this.plugin.services.users.delete(id, request.get('reassign') as number | null),
  }
  readonly #options: LiveOptions
  /** Runs work without waiting, because requests of this controller already have the write turn (`Store.inTurn`). */
  readonly #turn = <T>(work: (tx: Store) => Promise<T>): Promise<T> => work(this.plugin.services.store)

  /** @param plugin the context of the users plugin */
  constructor(plugin: PluginContext, options: LiveOptions) {
    super(plugin, plugin.branding.namespace('v2'), 'users', 'user')
    this.#options = options
  }

  protected override listArguments(): Arguments {
    const { contentTypes, fieldIndex } = this.plugin.services
    const args = userListArguments(
      contentTypes.exposed().map(({ name }) => name),
      this.plugin.since,
    )
    return fieldIndex.listArguments('user', '', args)
  }

  protected override itemSchema(): ItemSchema {
    const { avatars, meta } = this.plugin.services
    return userSchema({
      avatars: avatars.areShown ? avatars.schema('URLs of the avatar of the user, by size.') : null,
      locales: this.#options.locales(),
      meta: meta.schemaFor('user', ''),
    })
  }

  /** @throws rest_user_invalid_id */
  override async itemOf(request: RestRequest): Promise<User> {
    const user = await this.plugin.services.users.get(Number(request.get('id')), request.scope)
    if (user === undefined) throw errors.rest_user_invalid_id()
    return user
  }

  protected override tagsOf(user: User): readonly string[] {
    // Authors of published content are public.
    return [`user:${user.id}`, 'posts:visibility']
  }

  protected override pageOf({ offset }: UserQuery, request: RestRequest): number {
    return pageAfter(offset, request)
  }

  /** Passes the user to taps as well, and hashes a new password before the transaction opens. */
  protected override async filteredChange(request: RestRequest, before: User | null): Promise<NewUser | UserChange> {
    const change = await this.input.changeOf(request, before)
    const filtered = await applyFilter(this.plugin.hooks.rest_pre_insert_user, change, request, before)
    return this.plugin.services.users.secured(filtered)
  }

  protected override metaSubject(user: User) {
    return { type: 'user', subtype: '', object: user }
  }

  protected override prepareCreated(user: User, request: RestRequest): Promise<RestResponse> {
    return this.prepareAs('edit', user, request)
  }

  /** A user who can assign roles or delete users may be unable to see the other fields. */
  protected override prepareWritten(user: User, request: RestRequest): Promise<RestResponse> {
    return this.prepareAs(this.permissions.visibleContext(user, request), user, request)
  }

  protected override prepareDeleted(user: User, request: RestRequest): Promise<RestResponse> {
    return this.prepareWritten(user, request)
  }

  protected override gather(users: readonly User[], selection: Selection, { scope }: RestRequest) {
    const { meta, permalinks } = this.plugin.services
    const ids = users.map(({ id }) => id)
    const readsMeta = meta.shows('user', '', selection) || PROFILE_FIELDS.some((field) => selection.has(field))
    return Promise.all([
      selection.has('link') && permalinks.ready(scope),
      readsMeta && meta.loadAll('user', ids, scope),
    ])
  }

  protected override async toData(user: User, selection: Selection, request: RestRequest) {
    const { avatars, meta, options, permalinks, roles, users } = this.plugin.services
    const { scope } = request
    dependsOn(AVATARS_OPTION)
    // Requested together, so that one statement reads the values of several users.
    const [profile, values, link, language] = await Promise.all([
      PROFILE_FIELDS.some((field) => selection.has(field)) ? users.profile(user.id, scope) : NO_PROFILE,
      selection.has('meta') ? meta.values('user', '', user.id, request, selection) : null,
      selection.has('link') ? permalinks.author(user, scope) : '',
      selection.has('locale') ? options.get('language', 'en_US') : '',
    ])
    return {
      // Registered fields identify the user by ID, so it is always present.
      id: user.id,
      ...selection.read({
        username: () => user.login,
        name: () => user.name,
        first_name: () => profile.first_name,
        last_name: () => profile.last_name,
        email: () => user.email,
        url: () => user.url,
        description: () => profile.description,
        link: () => link,
        locale: () => profile.locale || String(language),
        nickname: () => profile.nickname,
        slug: () => user.slug,
        roles: () => profile.roles,
        registered_date: () => toIsoUtc(user.registered),
        capabilities: () => ({ ...roles.capabilitiesOf(profile.roles) }),
        extra_capabilities: () => Object.fromEntries(profile.roles.map((role) => [role, true])),
        avatar_urls: () => avatars.urls(user.email),
        meta: () => values,
      }),
    }
  }
}
