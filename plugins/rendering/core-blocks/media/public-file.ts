import { VISITOR } from '../../../../kernel/index.ts'
import type { Rendering } from '../renderer.ts'

/** Returns the URL of the file of an attachment; `''` unless visitors can read the attachment. */
export async function publicFileUrl(id: number, { plugin, scope }: Rendering): Promise<string> {
  const { media, posts } = plugin.services
  const attachment = id === 0 ? undefined : await posts.get(id, scope)
  // Anyone who writes content can name any ID, also of a file that belongs to a draft.
  const isPublic = attachment?.type === 'attachment' && (await posts.isReadable(attachment, VISITOR, scope))
  return isPublic ? (await media.data(attachment, scope)).url : ''
}
