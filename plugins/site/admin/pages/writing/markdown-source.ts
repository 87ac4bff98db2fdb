import { createHash } from 'node:crypto'
import type { AdminView } from '../../frame/view.ts'

/** Meta of posts and autosaves: the Markdown that their content was made of, and a hash of that content. Nobody is shown it. */
const KEY = '_markdown'

/** The Markdown that content was made of; null where it was not, or was changed since. */
export async function markdownOf({ plugin, request }: AdminView, id: number, content: string): Promise<string | null> {
  const stored = await plugin.services.meta.single('post', id, KEY, request.scope)
  if (typeof stored !== 'object' || stored === null || !('hash' in stored) || !('source' in stored)) return null
  return stored.hash === hashOf(content) && typeof stored.source === 'string' ? stored.source : null
}

/** Keeps the Markdown that content was made of, as long as the content is this; null forgets it. */
export async function keepMarkdown(
  { plugin, request }: AdminView,
  id: number,
  content: string,
  source: string | null,
): Promise<void> {
  const { meta } = plugin.services
  const known = await meta.single('post', id, KEY, request.scope)
  if (source === null && known === undefined) return
  await meta.write('post', id, KEY, source === null ? [] : [{ hash: hashOf(content), source }], request.scope)
}

const hashOf = (content: string) => createHash('sha256').update(content).digest('hex')
