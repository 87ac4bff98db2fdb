import { RequestCache } from '../../../../kernel/index.ts'
import type { RenderedPost } from '../../../../plugins/rendering/content-rendering/index.ts'
import { addPosts, type TestPost } from '../../../helpers/content.ts'
import type { Site } from '../../../helpers/site.ts'

/** An attachment to create: by default a JPEG of 1200 × 800 pixels with three smaller versions. */
export type TestMedia = TestPost & { file?: string; metadata?: Record<string, unknown> | null; alt?: string }

const size = (width: number, height: number) => ({
  file: `photo-${width}x${height}.jpg`,
  width,
  height,
  'mime-type': 'image/jpeg',
  filesize: width,
})

/** Metadata of the default photo. */
export const PHOTO = {
  width: 1200,
  height: 800,
  file: '2025/01/photo.jpg',
  filesize: 5000,
  sizes: { medium: size(300, 200), thumbnail: size(150, 150), large: size(1024, 683) },
  image_meta: { camera: '', keywords: [] },
}

/** Stores attachments, newest first, and returns their IDs. */
export async function addMedia({ store, kernel }: Site, ...media: readonly TestMedia[]): Promise<number[]> {
  const ids: number[] = []
  const write = (id: number, key: string, value: unknown) =>
    kernel.services.meta.write('post', id, key, [value], new RequestCache())
  const base = { type: 'attachment', status: 'inherit', title: 'Photo', mime_type: 'image/jpeg' }
  for (const [index, { file = PHOTO.file, metadata = PHOTO, alt, ...post }] of media.entries()) {
    const date = `2024-05-${String(28 - (index % 28)).padStart(2, '0')} 12:00:00`
    const [id] = (await addPosts(store, { ...base, date, ...post })) as [number]
    ids.push(id)
    if (file !== '') await write(id, '_attached_file', file)
    if (metadata !== null) await write(id, '_attachment_metadata', metadata)
    if (alt !== undefined) await write(id, '_attachment_image_alt', alt)
  }
  return ids
}

/** Renders the content of a post as readers see it. */
export function render({ kernel }: Site, content: string, id = 9999): Promise<string> {
  const post: RenderedPost = { id, type: 'post', status: 'publish', title: '', content, excerpt: '' }
  return Promise.resolve(kernel.services.contentRendering.content(post))
}
