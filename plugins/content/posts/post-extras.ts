import type { PluginContext } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { TEMPLATE_KEY, THUMBNAIL_KEY } from '../meta-keys.ts'
import type { PostChange, PostWrite } from './post.ts'
import { setSticky } from './sticky.ts'

/** Stores what is kept of a post beside its row and its terms: whether it is sticky, its template and featured image. */
export async function writeExtras(
  { meta, options }: PluginContext['services'],
  tx: Store,
  { id, status }: { id: number; status: string },
  { sticky, featured_media: media, template }: PostChange,
  { scope }: PostWrite,
): Promise<void> {
  // What is in the trash is at the top of nothing.
  if (sticky !== undefined) await setSticky(options, id, sticky && status !== 'trash')
  if (template !== undefined) await meta.write('post', id, TEMPLATE_KEY, template === '' ? [] : [template], scope)
  if (media === 0) await meta.write('post', id, THUMBNAIL_KEY, [], scope)
  else if (media !== undefined) {
    const file = await tx.first(tx.db.selectFrom('posts').select(['type', 'mime_type']).where('id', '=', media))
    // What is not there changes nothing; what is no image is no featured image.
    if (file === undefined) return
    const isImage = file.type === 'attachment' && file.mime_type.startsWith('image/')
    await meta.write('post', id, THUMBNAIL_KEY, isImage ? [media] : [], scope)
  }
}
