import { applyFilter, type CurrentUser, type PluginContext } from '../../../kernel/index.ts'
import { formatUtc } from '../../resources/index.ts'
import { sql, type Store } from '../../storage/store/index.ts'
import type { CommentState, NewComment } from './comment.ts'
import { errors } from './errors.ts'
import { MODERATION_SETTINGS } from './settings.ts'
import { NOTE } from './visibility.ts'

type ModerationSettings = Readonly<Record<(typeof MODERATION_SETTINGS)[number], unknown>>

/**
 * Returns the state of a new comment: the requested state, or the one that the site's settings decide.
 * @param author the account of the author; null for visitors
 * @param postAuthor user ID of the post's author
 * @throws comment_duplicate, comment_flood
 */
export async function moderate(
  { hooks, services }: PluginContext,
  tx: Store,
  comment: NewComment,
  author: CurrentUser | null,
  postAuthor: number,
): Promise<CommentState> {
  // Notes skip the duplicate and flood checks.
  if (comment.type === NOTE) return comment.approved ?? '1'
  const settings = await services.options.many(MODERATION_SETTINGS)
  const moderates = author !== null && services.capabilities.can(author, 'moderate_comments')
  if (await isDuplicate(tx, comment)) throw errors.comment_duplicate()
  if (comment.approved !== undefined) return comment.approved
  if (!moderates && (await isFlood(tx, comment, Number(settings.comment_flood_seconds)))) {
    throw errors.comment_flood()
  }
  const trusted = moderates || (author !== null && author.id === postAuthor)
  const state = trusted ? '1' : await stateBySettings(tx, comment, settings)
  return applyFilter(hooks.pre_comment_approved, state, comment)
}

/** Checks whether the author has posted the same text on the same post and parent. */
async function isDuplicate(tx: Store, comment: NewComment): Promise<boolean> {
  // The unary plus disables the index on parent_id: most comments have no parent, so it would select nearly all of
  // them.
  const parent = comment.parent_id === 0 ? sql<number>`+parent_id` : sql.ref<number>('parent_id')
  const same = tx.db
    .selectFrom('comments')
    .select('id')
    .where('post_id', '=', comment.post_id)
    .where(parent, '=', comment.parent_id)
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

/** Checks whether the author has commented within the last seconds. */
async function isFlood(tx: Store, comment: NewComment, seconds: number): Promise<boolean> {
  if (!(seconds > 0)) return false
  const since = formatUtc(Math.floor(Date.now() / 1000) - seconds)
  const recent = tx.db
    .selectFrom('comments')
    .select('id')
    .where('date_gmt', '>', since)
    .where('type', '<>', NOTE)
    .where((of) => {
      if (comment.author_id !== 0) return of('author_id', '=', comment.author_id)
      const { author_ip: ip, author_email: email } = comment
      // Without an IP address or email address, the author cannot be identified.
      return of.or([
        ...(ip === '' ? [] : [of('author_ip', '=', ip)]),
        ...(email === '' ? [] : [of('author_email', '=', email)]),
      ])
    })
    .limit(1)
  return (await tx.first(recent)) !== undefined
}

async function stateBySettings(tx: Store, comment: NewComment, settings: ModerationSettings): Promise<CommentState> {
  if (mentions(comment, settings.disallowed_keys)) return 'trash'
  if (settings.comment_moderation || mentions(comment, settings.moderation_keys)) return '0'
  const maxLinks = Number(settings.comment_max_links)
  if (maxLinks > 0 && countLinks(comment.content) >= maxLinks) return '0'
  return !settings.comment_previously_approved || (await isKnownAuthor(tx, comment)) ? '1' : '0'
}

/**
 * Checks whether the author has an approved comment. Notes do not count, because they are always approved. Visitors
 * must match the name and the email address of an earlier comment.
 */
async function isKnownAuthor(tx: Store, comment: NewComment): Promise<boolean> {
  const { author_id: id, author_name: name, author_email: email } = comment
  if (id === 0 && (name === '' || email === '')) return false
  const ofAll = tx.db.selectFrom('comments').select('id').where('approved', '=', '1').where('type', '<>', NOTE)
  let approved = ofAll.where('author_id', '=', id)
  if (id === 0) approved = approved.where('author_email', '=', email).where('author_name', '=', name)
  return (await tx.first(approved.limit(1))) !== undefined
}

/** Checks whether any field of a comment contains one of the texts (one per line), ignoring case. */
function mentions(comment: NewComment, keys: unknown): boolean {
  const texts = (typeof keys === 'string' ? keys : '')
    .toLowerCase()
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (texts.length === 0) return false
  const { author_name, author_email, author_url, author_ip, author_agent, content } = comment
  const plain = withoutTags(content)
  const whole = [author_name, author_email, author_url, author_ip, author_agent, content, plain]
    .join('\n')
    .toLowerCase()
  return texts.some((text) => whole.includes(text))
}

/** Counts the links in HTML. */
export function countLinks(content: string): number {
  return content.match(/<a\s[^<>]*href/gi)?.length ?? 0
}

/** Removes the tags from HTML. */
export function withoutTags(content: string): string {
  return content.replace(/<[^<>]*>/g, '')
}
