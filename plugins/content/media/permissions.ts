import { invalidParam, type PluginContext, type RestError, type RestRequest } from '../../../kernel/index.ts'
import type { PostPermissions } from '../posts/index.ts'

/**
 * Why a file may not be attached to the post that a request names; null when it may, or is already.
 * @param current ID of the post that it is attached to; 0 for none
 */
export async function refuseParent(
  { posts }: PluginContext['services'],
  permissions: Pick<PostPermissions, 'refuseEdit'>,
  request: RestRequest,
  current: number,
): Promise<RestError | null> {
  const id = Number(request.get('post') ?? 0)
  if (id === 0 || id === current) return null
  const parent = await posts.get(id, request.scope)
  if (parent?.type === 'attachment' || parent?.type === 'revision') {
    return invalidParam('post', 'A file cannot be attached to another file or to a revision.')
  }
  // Whoever may not edit a post does not learn whether it exists.
  return permissions.refuseEdit(parent, request)
}
