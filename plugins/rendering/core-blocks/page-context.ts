import type { CurrentUser, RequestCache } from '../../../kernel/index.ts'
import type { Post } from '../../content/posts/index.ts'
import type { Term } from '../../content/terms/index.ts'
import type { QueryPage } from './query/query-page.ts'
import type { Rendering } from './renderer.ts'

/** A page of the site that a template is rendered for: what its blocks show where they name nothing themselves. */
export interface PageContext {
  /** The post that the page is of; null for a list. */
  readonly post: Post | null
  /** Whether the texts of that post are shown: it has no password, or whoever reads has given it. */
  readonly isOpened: boolean
  /** Which part of its content is shown, from 1; parts are parted by `<!--nextpage-->`. */
  readonly part: number
  /** Which page of its comments is asked for, from 1; 0 where the URL does not say. */
  readonly commentPage: number
  /** The list of posts that the page shows, which queries take that inherit theirs; null for none. */
  readonly list: QueryPage | null
  /** What the list is of; null for the newest posts, and for a search. */
  readonly archive: PageArchive | null
  /** What was searched for; null where nothing was. */
  readonly search: string | null
  /** The URL of the page, of the first page of its list. */
  readonly url: string
  /** The URL of another page of its list. @param page from 1 */
  readonly urlOf: (page: number) => string
  /** The URL of another part of its content. @param part from 1 */
  readonly partUrl: (part: number) => string
  /** Who reads. */
  readonly user: CurrentUser
  /** Which comments on its post are shown; null for a page that is of no post. */
  readonly comments: CommentsPage | null
  /** The form for a comment on its post; null where there is none. */
  readonly commentForm: CommentForm | null
  /** URL where a comment is edited; null where nothing is for that. */
  readonly commentEditUrl: (id: number) => string | null
}

/** A page of the comments on a post. */
export interface CommentsPage {
  /** From 1. */
  readonly page: number
  readonly pages: number
  /** Comments of one page, replies aside; null for all on one page. */
  readonly perPage: number | null
  /** The order of comments that are no replies. */
  readonly order: 'asc' | 'desc'
  /** Levels of comments that stand below each other. */
  readonly levels: number
  /** The URL of another page. @param page from 1 */
  readonly urlOf: (page: number) => string
}

/** The fields of the form for a comment, by the names that forms on pages of other makes have, too. */
export const COMMENT_FIELDS = ['author', 'email', 'url', 'comment'] as const
export type CommentField = (typeof COMMENT_FIELDS)[number]

/** The state of the form for a comment. */
export interface CommentForm {
  /** URL that it is sent to. */
  readonly action: string
  /** What it sends unseen: a nonce of the user, the password of the post. */
  readonly hidden: Readonly<Record<string, string>>
  /** Name of the field that nobody sees: whoever fills it is a program. */
  readonly trap: string
  /** What has been written, where it was refused. */
  readonly values: Readonly<Partial<Record<CommentField, string>>>
  /** Why it was refused, the field that is to be changed first. */
  readonly problems: readonly CommentProblem[]
  /** ID of the comment that the reader replies to; 0 for none. */
  readonly parent: number
  /** Whether the reader has just sent a comment that waits for a moderator. */
  readonly isHeld: boolean
}

/** What is wrong with a comment. */
export interface CommentProblem {
  /** The field that is wrong; null where it is none of them. */
  readonly field: CommentField | null
  /** Plain text. */
  readonly message: string
}

/** What an archive is of. */
export interface PageArchive {
  /** What stands before its name: `Category`, `Author`; '' for nothing. */
  readonly label: string
  /** Its name as HTML. */
  readonly name: string
  readonly term: Term | null
}

const contexts = new WeakMap<RequestCache, PageContext>()

/** Has blocks that are rendered with a scope, other than those in contents, know the page that they stand on. */
export function showOnPage(scope: RequestCache, page: PageContext): void {
  contexts.set(scope, page)
}

/**
 * The page that a block stands on, in its template or a part of that; null in the content of a post, which is the same
 * wherever it is shown, and in what is rendered for the REST API.
 */
export function pageAround({ post, scope }: Pick<Rendering, 'post' | 'scope'>): PageContext | null {
  return post === null ? (contexts.get(scope) ?? null) : null
}
