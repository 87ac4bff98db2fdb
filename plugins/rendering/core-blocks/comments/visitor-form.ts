import type { PluginContext, RestServer } from '../../../../kernel/index.ts'
import type { CommentForm } from '../page-context.ts'

/** Name of the honeypot field of comment forms; only bots fill it in. */
export const COMMENT_TRAP = 'comment_again'

const accepting = new WeakSet<RestServer>()

/** Declares that the server stores comments that visitors submit with forms. */
export function acceptCommentForms(server: RestServer): void {
  accepting.add(server)
}

/**
 * Returns the empty form for blocks in post content, which is the same for all readers; null if the server does not
 * accept forms, or only from users who are logged in.
 */
export async function visitorForm({
  branding,
  has,
  server,
  services,
  urls,
}: PluginContext): Promise<CommentForm | null> {
  if (!accepting.has(server) || !has('login')) return null
  if (await services.options.get('comment_registration', false)) return null
  const action = urls.site(branding.commentsPath)
  return { action, hidden: {}, trap: COMMENT_TRAP, values: {}, problems: [], parent: 0, isHeld: false }
}
