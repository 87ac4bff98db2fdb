import type { CurrentUser, RequestCache } from '../../../kernel/index.ts'
import type { Post } from '../../content/posts/index.ts'
import type { Term } from '../../content/terms/index.ts'
import type { QueryPage } from './query/query-page.ts'
import type { Rendering } from './renderer.ts'

/** The page of the site that a template is rendered for. Supplies the defaults of its blocks. */
export interface PageContext {
  /** The post shown on the page; null for lists. */
  readonly post: Post | null
  /** Whether the post is readable: it has no password, or the reader has entered it. */
  readonly isOpened: boolean
  /** Part of the content that is shown, starting at 1; `<!--nextpage-->` separates parts. */
  readonly part: number
  /** Requested page of comments, starting at 1; 0 if the URL does not name one. */
  readonly commentPage: number
  /** The posts listed on the page, used by query blocks that inherit their query; null if there is no list. */
  readonly list: QueryPage | null
  /** The archive shown; null for the newest posts and for search results. */
  readonly archive: PageArchive | null
  /** The search text; null if the page is not a search. */
  readonly search: string | null
  /** URL of the page; for lists, of the first page. */
  readonly url: string
  /** Returns the URL of another page of the list. @param page starting at 1 */
  readonly urlOf: (page: number) => string
  /** Returns the URL of another part of the content. @param part starting at 1 */
  readonly partUrl: (part: number) => string
  /** The reader. */
  readonly user: CurrentUser
  /** The comments shown for the post; null if the page does not show a post. */
  readonly comments: CommentsPage | null
  /** The comment form of the post, or null. */
  readonly commentForm: CommentForm | null
  /** Returns the URL where a comment is edited; null if the site has no such page. */
  readonly commentEditUrl: (id: number) => string | null
}

/** One page of the comments on a post. */
export interface CommentsPage {
  /** Page number, starting at 1. */
  readonly page: number
  readonly pages: number
  /** Top-level comments per page; null if all comments are on one page. */
  readonly perPage: number | null
  /** Order of top-level comments. */
  readonly order: 'asc' | 'desc'
  /** Maximum nesting levels. */
  readonly levels: number
  /** Returns the URL of another page. @param page starting at 1 */
  readonly urlOf: (page: number) => string
}

/** Fields of the comment form; with the names that WordPress uses. */
export const COMMENT_FIELDS = ['author', 'email', 'url', 'comment'] as const
export type CommentField = (typeof COMMENT_FIELDS)[number]

/** State of the comment form. */
export interface CommentForm {
  /** URL the form is submitted to. */
  readonly action: string
  /** Hidden fields: a nonce of the user, the password of the post. */
  readonly hidden: Readonly<Record<string, string>>
  /** Name of the honeypot field; only bots fill it in. */
  readonly trap: string
  /** Values of a rejected submission. */
  readonly values: Readonly<Partial<Record<CommentField, string>>>
  /** Errors of a rejected submission, in order of the fields. */
  readonly problems: readonly CommentProblem[]
  /** ID of the comment the reader replies to; 0 for none. */
  readonly parent: number
  /** Whether the reader's last comment awaits moderation. */
  readonly isHeld: boolean
}

/** A validation error of a comment. */
export interface CommentProblem {
  /** The invalid field; null if the error is not about a field. */
  readonly field: CommentField | null
  /** Plain text. */
  readonly message: string
}

/** Subject of an archive page. */
export interface PageArchive {
  /** Label in front of the name, such as `Category` or `Author`; '' for none. */
  readonly label: string
  /** Name as HTML. */
  readonly name: string
  readonly term: Term | null
}

const contexts = new WeakMap<RequestCache, PageContext>()

/** Sets the page for all template blocks rendered with this scope. Blocks in post content do not see it. */
export function showOnPage(scope: RequestCache, page: PageContext): void {
  contexts.set(scope, page)
}

/**
 * Returns the page around a template block. null for blocks in post content, which is rendered the same way on all
 * pages, and in REST API responses.
 */
export function pageAround({ post, scope }: Pick<Rendering, 'post' | 'scope'>): PageContext | null {
  return post === null ? (contexts.get(scope) ?? null) : null
}
