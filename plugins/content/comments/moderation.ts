import { applyFilter, formatUtc, type CurrentUser, type PluginContext } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { errors } from './errors.ts'
import { MODERATION_SETTINGS } from './settings.ts'
import type { CommentState, NewComment } from './writer.ts'

/** What a site wants of comments: the settings of these names. */
type Wishes = Readonly<Record<(typeof MODERATION_SETTINGS)[number], unknown>>

/**
 * The state that a new comment gets: the given one, or what the site wants of comments says.
 * @param author who wrote it; null for somebody without an account
 * @param postAuthor who wrote the post that it is about
 * @throws comment_duplicate, comment_flood
 */
export async function judge(
  { hooks, services }: PluginContext,
  tx: Store,
  comment: NewComment,
  author: CurrentUser | null,
  postAuthor: number,
): Promise<CommentState> {
  const wishes = await services.options.many(MODERATION_SETTINGS)
  const moderates = author !== null && services.capabilities.can(author, 'moderate_comments')
  if (await isThere(tx, comment)) throw errors.comment_duplicate()
  if (comment.approved !== undefined) return comment.approved
  if (!moderates && (await comesTooSoon(tx, comment, Number(wishes.comment_flood_seconds)))) {
    throw errors.comment_flood()
  }
  const trusted = moderates || (author !== null && author.id === postAuthor)
  const state = trusted ? '1' : await stateByWishes(tx, comment, wishes)
  return applyFilter(hooks.pre_comment_approved, state, comment)
}

/** Whether the same person has said the same in the same place. */
async function isThere(tx: Store, comment: NewComment): Promise<boolean> {
  const same = tx.db
    .selectFrom('comments')
    .select('id')
    .where('post_id', '=', comment.post_id)
    .where('parent_id', '=', comment.parent_id)
    .where('content', '=', comment.content)
    .where('approved', '<>', 'trash')
    .where('type', '=', comment.type)
    .where((of) => {
      if (comment.author_id !== 0) return of('author_id', '=', comment.author_id)
      const { author_name: name, author_email: email } = comment
      const signed = [of('author_name', '=', name), ...(email === '' ? [] : [of('author_email', '=', email)])]
      return of.or(signed)
    })
    .limit(1)
  return (await tx.first(same)) !== undefined
}

/** Whether the same person has commented a moment ago. */
async function comesTooSoon(tx: Store, comment: NewComment, seconds: number): Promise<boolean> {
  if (!(seconds > 0)) return false
  const since = formatUtc(Math.floor(Date.now() / 1000) - seconds)
  const recent = tx.db
    .selectFrom('comments')
    .select('id')
    .where('date_gmt', '>', since)
    .where((of) => {
      if (comment.author_id !== 0) return of('author_id', '=', comment.author_id)
      const { author_ip: ip, author_email: email } = comment
      // Who tells neither is nobody in particular.
      return of.or([
        ...(ip === '' ? [] : [of('author_ip', '=', ip)]),
        ...(email === '' ? [] : [of('author_email', '=', email)]),
      ])
    })
    .limit(1)
  return (await tx.first(recent)) !== undefined
}

async function stateByWishes(tx: Store, comment: NewComment, wishes: Wishes): Promise<CommentState> {
  if (mentions(comment, wishes.disallowed_keys)) return 'trash'
  if (wishes.comment_moderation || mentions(comment, wishes.moderation_keys)) return '0'
  const most = Number(wishes.comment_max_links)
  if (most > 0 && (comment.content.match(/<a\s[^>]*href/gi)?.length ?? 0) >= most) return '0'
  return !wishes.comment_previously_approved || (await isKnown(tx, comment)) ? '1' : '0'
}

/** Whether a comment of the same person has been approved. Nobody gains by signing with the name of an account. */
async function isKnown(tx: Store, comment: NewComment): Promise<boolean> {
  const { author_id: id, author_name: name, author_email: email } = comment
  if (id === 0 && (name === '' || email === '')) return false
  let approved = tx.db.selectFrom('comments').select('id').where('approved', '=', '1').where('author_id', '=', id)
  if (id === 0) approved = approved.where('author_email', '=', email).where('author_name', '=', name)
  return (await tx.first(approved.limit(1))) !== undefined
}

/** Whether anything of a comment contains one of the texts, whatever the case. */
function mentions(comment: NewComment, keys: unknown): boolean {
  const texts = (typeof keys === 'string' ? keys : '')
    .toLowerCase()
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (texts.length === 0) return false
  const { author_name, author_email, author_url, author_ip, author_agent, content } = comment
  const plain = content.replace(/<[^>]*>/g, '')
  const whole = [author_name, author_email, author_url, author_ip, author_agent, content, plain]
    .join('\n')
    .toLowerCase()
  return texts.some((text) => whole.includes(text))
}
