import { parseQuery, RestRequest, type CurrentUser } from '../../../../kernel/index.ts'
import type { Change } from '../../../../plugins/storage/changes/index.ts'
import type { SiteWithUsers, UserIds } from '../../../helpers/site-with-users.ts'

/** Login of a user; undefined for a visitor. */
export type Login = keyof UserIds | undefined

export const LOGINS: readonly Login[] = [undefined, 'sub', 'con', 'shy', 'ann', 'ed', 'admin']

/** Name of an object by its kind and ID: `post 12`. */
export const nameOf = ({ kind, object }: { kind: string; object: string | number }) => `${kind} ${object}`

/** Path of an object; null for kinds without a route. */
export function pathOf(site: SiteWithUsers, { kind, object, type }: Pick<Change, 'kind' | 'object' | 'type'>) {
  const { contentTypes, taxonomies } = site.kernel.services
  if (kind === 'comment') return `/svc/v2/comments/${object}`
  if (kind === 'user') return `/svc/v2/users/${object}`
  if (kind !== 'post' && kind !== 'term') return null
  const served = kind === 'post' ? contentTypes.get(type) : taxonomies.get(type)
  return served?.show_in_rest === true ? `/${served.rest_namespace}/${served.rest_base}/${object}` : null
}

/** Whether a user can read an object. */
export async function reads(site: SiteWithUsers, path: string | null, login: Login): Promise<boolean> {
  return readsAs(site, path, await currentUser(site, login))
}

/** Whether any current user can read an object. */
export async function readsAs({ kernel }: SiteWithUsers, path: string | null, user: CurrentUser): Promise<boolean> {
  if (path === null) return false
  const request = new RestRequest('GET', path, { query: parseQuery('_fields=id') })
  request.user = user
  request.isIdentified = true
  return (await kernel.server.dispatch(request)).status === 200
}

/** The current user in the form that the feed expects. */
export async function currentUser(site: SiteWithUsers, login: Login) {
  return login === undefined ? { id: 0 } : (await site.kernel.services.users.current(site.users[login]))!
}
