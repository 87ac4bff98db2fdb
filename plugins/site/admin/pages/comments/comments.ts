import { plainText } from '../../../../rendering/html/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { MAX_PER_PAGE } from '../../parts/list.ts'

/** A comment as the REST API returns it to moderators. */
export interface CommentData {
  readonly id: number
  readonly post: number
  readonly parent: number
  readonly author: number
  readonly author_name: string
  readonly author_email: string
  readonly author_url: string
  readonly author_ip: string
  readonly date_gmt: string
  readonly content: { readonly raw: string; readonly rendered: string }
  readonly link: string
  readonly status: string
  readonly type: string
  readonly _links?: { readonly up?: readonly { readonly href: string; readonly post_type?: string }[] }
  readonly [more: string]: unknown
}

/** The post of a comment. */
export interface CommentedPost {
  readonly id: number
  readonly type: string
  readonly title: string
}

/** Returns the posts of comments that the user can read, with one request per content type. */
export async function postsOf(
  view: AdminView,
  comments: readonly CommentData[],
): Promise<ReadonlyMap<number, CommentedPost>> {
  const byType = new Map<string, Set<number>>()
  for (const { post, _links: links } of comments) {
    const type = links?.up?.[0]?.post_type
    if (type === undefined) continue
    const ids = byType.get(type)
    if (ids === undefined) byType.set(type, new Set([post]))
    else ids.add(post)
  }
  const { contentTypes } = view.plugin.services
  const found = await Promise.all(
    [...byType].map(async ([type, ids]) => {
      const registered = contentTypes.get(type)
      if (registered === undefined) return []
      const include = [...ids].slice(0, MAX_PER_PAGE)
      const query = {
        include,
        per_page: MAX_PER_PAGE,
        _fields: 'id,title',
        ...(type !== 'attachment' && { status: 'any' }),
      }
      const posts = await view.find<{ id: number; title?: { rendered: string } }[]>(
        contentTypes.itemsRoute(registered),
        { query },
      )
      return (posts ?? []).map(({ id, title }): [number, CommentedPost] => [
        id,
        { id, type, title: plainText(title?.rendered ?? '').trim() || `#${id}` },
      ])
    }),
  )
  return new Map(found.flat())
}

/** Returns the name of the author as plain text. */
export const authorOf = ({ t }: AdminView, { author_name: name }: CommentData) =>
  plainText(name).trim() || t('Anonymous')

/** Returns the text of a comment without its HTML. */
export const textOf = ({ content }: CommentData) => plainText(content.raw).trim()
