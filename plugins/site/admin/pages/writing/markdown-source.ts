import { createHash } from 'node:crypto'
import type { AdminView } from '../../frame/view.ts'

/** Hidden meta of posts and autosaves: the Markdown source of their content, and a hash of that content. */
const META_KEY = '_markdown'

/** Returns the Markdown source of content; null if it has none, or the content was changed since. */
export async function markdownOf({ plugin, request }: AdminView, id: number, content: string): Promise<string | null> {
  const stored = await plugin.services.meta.single('post', id, META_KEY, request.scope)
  if (typeof stored !== 'object' || stored === null || !('hash' in stored) || !('source' in stored)) return null
  return stored.hash === hashOf(content) && typeof stored.source === 'string' ? stored.source : null
}

/** Stores the Markdown source of content; null deletes it. */
export async function keepMarkdown(
  { plugin, request }: AdminView,
  id: number,
  content: string,
  source: string | null,
): Promise<void> {
  const { meta } = plugin.services
  const stored = await meta.single('post', id, META_KEY, request.scope)
  if (source === null && stored === undefined) return
  await meta.write('post', id, META_KEY, source === null ? [] : [{ hash: hashOf(content), source }], request.scope)
}

const hashOf = (content: string) => createHash('sha256').update(content).digest('hex')
