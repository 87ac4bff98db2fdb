import { RestRequest, type CurrentUser, type PluginContext } from '../../../kernel/index.ts'
import type { Row, Store } from '../../storage/store/index.ts'
import { authorsOf } from './authors.ts'
import { postBatches } from './batches.ts'
import type { Counts } from './counts.ts'
import type { Selection } from './selection.ts'
import { taxonomiesOf, termsOf } from './terms.ts'

/** The site that is exported, and the user whose permissions apply. */
export interface JsonSource {
  readonly plugin: PluginContext
  readonly reader: Store
  readonly selection: Selection
  readonly counts: Counts
  readonly user: CurrentUser
}

/**
 * Yields one line for each object as the REST API returns it with `context=edit`, with its `type`. Objects without a route,
 * and objects that the user may not edit, are counted as skipped.
 */
export async function* writeJsonLines(source: JsonSource): AsyncGenerator<string> {
  const { counts, plugin, reader, selection } = source
  const { branding, services } = plugin
  const main = `/${branding.namespace('v2')}`
  const objects = new RestObjects(source)
  const line = async function* (kind: string, type: string | null, path: string | null) {
    const object = path === null ? null : await objects.get(path)
    if (object === null) return void counts.skip(kind)
    counts.add(kind)
    yield `${JSON.stringify({ ...(type === null ? {} : { type }), ...object })}\n`
  }
  if (selection.isWhole) yield* line('settings', 'settings', `${main}/settings`)
  for await (const { id } of authorsOf(reader, selection)) yield* line('users', 'user', `${main}/users/${id}`)
  for (const name of await taxonomiesOf(reader, selection)) {
    const taxonomy = services.taxonomies.get(name)
    const base = taxonomy?.show_in_rest === true ? `/${taxonomy.rest_namespace}/${taxonomy.rest_base}` : null
    for await (const { id } of termsOf(reader, selection, name))
      yield* line(`${name} terms`, name, base && `${base}/${id}`)
  }
  for await (const batch of postBatches(reader, selection)) {
    for (const post of batch.posts) {
      yield* line(`${post.type} items`, post.type, pathOfPost(plugin, post))
      for (const id of batch.comments.get(post.id)?.keys() ?? [])
        yield* line('comments', 'comment', `${main}/comments/${id}`)
    }
  }
}

function pathOfPost({ services }: PluginContext, post: Row<'posts'>): string | null {
  const type = services.contentTypes.get(post.type)
  if (type?.show_in_rest !== true) return null
  return `/${type.rest_namespace}/${type.rest_base}/${post.id}`
}

/** Reads objects of the REST API inside the process. */
class RestObjects {
  readonly #source: JsonSource

  constructor(source: JsonSource) {
    this.#source = source
  }

  /** Returns an object, or null if it does not exist or the user may not edit it. */
  async get(path: string): Promise<Record<string, unknown> | null> {
    const { plugin, user } = this.#source
    const request = RestRequest.fromPath(`${path}?context=edit`)
    request.user = user
    request.isIdentified = true
    const response = await plugin.server.dispatch(request)
    if (response.isError) return null
    const { _links, ...object } = plugin.server.responseToData(response) as Record<string, unknown>
    return object
  }
}

/** ID of no user; visitors, whose ID is 0, may edit nothing. */
const NO_USER_ID = 2 ** 31 - 1

/** The user of an export in the shell: an administrator of the site, or their permissions. */
export async function operator({ services }: PluginContext, reader: Store): Promise<CurrentUser> {
  const { db } = reader
  const administrators = db
    .selectFrom('user_meta')
    .select('user_id')
    .where('key', '=', 'roles')
    .where('value', 'like', '%"administrator"%')
    .orderBy('user_id')
  const row = await reader.first(administrators)
  const user = row === undefined ? null : await services.users.current(row.user_id)
  const roles = ['administrator']
  return user ?? { id: NO_USER_ID, roles, capabilities: services.roles.capabilitiesOf(roles) }
}
