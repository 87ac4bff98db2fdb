import { type PluginContext, type RestError, type RestRequest } from '../../../kernel/index.ts'
import type { PostPermissions } from '../posts/index.ts'

/**
 * Returns the error if the user may not attach a file to the post that the request names; null if they may, or if the
 * parent does not change.
 * @param current ID of the current parent post; 0 for none
 */
export async function refuseParent(
  { posts }: PluginContext['services'],
  permissions: Pick<PostPermissions, 'refuseEdit'>,
  request: RestRequest,
  current: number,
): Promise<RestError | null> {
  const id = Number(request.get('post') ?? 0)
  if (id === 0 || id === current) return null
  // The same error for missing and forbidden posts does not reveal which posts exist.
  return permissions.refuseEdit(await posts.get(id, request.scope), request)
}
