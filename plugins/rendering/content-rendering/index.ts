import {
  applyFilter,
  applySyncFilter,
  definePlugin,
  filter,
  RequestCache,
  syncFilter,
  type Awaitable,
  type Filter,
  type HookSpecs,
  type SyncFilter,
} from '../../../kernel/index.ts'
import { SKIPS_FAILING } from '../../resources/index.ts'
import { inSlices, memoize, type Steps, yieldToEventLoop } from '../../library/long-work/index.ts'
import { fragmentsOf, dependsOn } from '../../library/caching/index.ts'
import type { Row } from '../../storage/store/index.ts'
import { autop, autopSteps } from './autop.ts'
import { atLeastWords, firstWords, teaserOf } from './excerpt.ts'
import { changeText, changeTextSteps, htmlPieces, type HtmlPiece } from './html.ts'
import { typography, typographySteps, type TagFinder } from './typography.ts'

export { htmlPieces } from './html.ts'
export { DERIVED_ID, uniqueIds } from './unique-ids.ts'
export type { HtmlPiece } from './html.ts'

/**
 * The post fields that rendering reads. Requests to other servers caused by its content are charged to `author_id`, if
 * set.
 */
export type RenderedPost = Pick<Row<'posts'>, 'id' | 'type' | 'status' | 'title' | 'content' | 'excerpt'> &
  Partial<Pick<Row<'posts'>, 'author_id'>>

/** Renders stored texts as HTML. */
export interface Rendering {
  /**
   * Returns the title as HTML; titles of private posts get the private prefix.
   * @param hasPrefix whether titles get the prefix; true by default
   */
  title(post: Pick<RenderedPost, 'id' | 'type' | 'status' | 'title'>, hasPrefix?: boolean): Awaitable<string>
  /**
   * Returns the title as HTML for a page, where titles of posts with a password also get a prefix; `''` for a post
   * without a title.
   */
  pageTitle(post: Pick<Row<'posts'>, 'id' | 'type' | 'status' | 'title' | 'password'>): Promise<string>
  /**
   * Returns the content as HTML. Reads such as image look-ups are batched for everything rendered in the same scope.
   */
  content(post: RenderedPost, scope?: RequestCache): Awaitable<string>
  /**
   * Returns the excerpt as HTML; without a written excerpt, the first words of the content.
   * @param words number of words of a generated excerpt; by default the value of the filter `excerpt_length`
   */
  excerpt(post: RenderedPost, scope?: RequestCache, words?: number): Awaitable<string>
  /**
   * Returns the written or generated excerpt as plain text, cut to a number of words; `more` is appended if words were
   * cut.
   */
  excerptText(post: RenderedPost, cut: ExcerptCut, scope?: RequestCache): Awaitable<string>
  /** Returns the written excerpt as HTML, or `''`. */
  writtenExcerpt(post: RenderedPost): Awaitable<string>
  /** Adds paragraphs and typography to plain text or typed HTML. */
  paragraphs(text: string): string
  /** Like `paragraphs`, but processes long texts in slices, so that other requests are handled in between. */
  longParagraphs(this: void, text: string): Awaitable<string>
  /** Replaces quotes, dashes and similar characters in HTML by their typographic forms. */
  typography(this: void, html: string): string
  /**
   * Splits HTML into tags, comments and text, in linear time for any input. Concatenated pieces are the original HTML.
   */
  pieces(this: void, html: string): Iterable<HtmlPiece>
  /**
   * Applies `change` to the text of HTML. Tags, comments, and the text of code, scripts and similar elements are
   * unchanged.
   * @param change called with each piece of text between two tags
   * @param excluded names of further elements whose text is unchanged
   */
  changeText(this: void, html: string, change: (text: string) => string, excluded?: readonly string[]): string
  /** Like `changeText`, but processes long texts in slices, so that other requests are handled in between. */
  changeLongText(
    this: void,
    html: string,
    change: (text: string) => string,
    excluded?: readonly string[],
  ): Awaitable<string>
  /** Version of the block format the content uses: 1, or 0 if it has no blocks. */
  blockVersion(content: string): 0 | 1
}

/** Length of an excerpt. */
export interface ExcerptCut {
  readonly words: number
  readonly more: string
}

/** Hooks that rendered texts pass through. */
interface RenderingHooks {
  /** Filter: a title to be displayed. @since 0.1.0 */
  the_title: Filter<string, [post: Pick<RenderedPost, 'id' | 'type' | 'status' | 'title'>], 'type'>
  /** Filter: the format of titles of private posts; `%s` is replaced by the title. @since 0.1.0 */
  private_title_format: SyncFilter<string, [post: Pick<RenderedPost, 'id' | 'type' | 'status' | 'title'>], 'type'>
  /**
   * Filter: the format of titles of posts with a password on pages; `%s` is replaced by the title.
   * @since 0.1.0
   */
  protected_title_format: SyncFilter<string, [post: Pick<RenderedPost, 'id' | 'type' | 'status' | 'title'>], 'type'>
  /**
   * Filter: content to be displayed. Typography and paragraphs run at stage 0, blocks at 10, shortcodes at 20, image
   * attributes at 30. Read data through the scope, so that reads are shared by all content of a request.
   * @since 0.1.0
   */
  the_content: Filter<string, [post: RenderedPost, scope: RequestCache], 'type'>
  /** Filter: the content an excerpt is generated from, before `the_content`. @since 0.1.0 */
  excerpt_content: Filter<string>
  /** Filter: the written or generated excerpt, before `the_excerpt`. @since 0.1.0 */
  get_the_excerpt: Filter<string, [post: RenderedPost], 'type'>
  /** Filter: an excerpt to be displayed; paragraphs are added at stage 0. @since 0.1.0 */
  the_excerpt: Filter<string, [post: RenderedPost], 'type'>
  /** Filter: number of words in a generated excerpt. @since 0.1.0 */
  excerpt_length: SyncFilter<number>
  /** Filter: the text that follows a shortened excerpt. @since 0.1.0 */
  excerpt_more: SyncFilter<string>
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Renders titles, content and excerpts as HTML.
     * @example
     * const html = await services.contentRendering.content(post, request.scope)
     */
    contentRendering: Rendering
  }
  interface Hooks extends RenderingHooks {}
}

/** Words in a generated excerpt. */
const EXCERPT_WORDS = 55
/**
 * Words rendered for an excerpt, as a multiple of its length. Leaves room for words that rendering drops, and avoids
 * rendering a long text completely for its beginning.
 */
const RENDERED_WORDS_FACTOR = 4
/** Follows a shortened excerpt. */
const EXCERPT_END = ' [&hellip;]'
/** Longer content (in characters) is rendered in slices that yield to other requests. */
const MAX_SHORT_CONTENT_LENGTH = 2000
/** Total characters of input and output texts that the memo for texts outside of posts holds. */
const MAX_REMEMBERED_LENGTH = 500_000

/** Content type of the post a text belongs to. */
const typeOf = (_text: string, { type }: Pick<RenderedPost, 'type'>) => type

/** Renders titles, content and excerpts through the filters named after them. */
export default definePlugin({
  name: 'content-rendering',
  formerNames: ['rendering'],
  formerServices: { rendering: 'contentRendering' },
  uses: ['shortcodes', 'translations'],
  provides: ['contentRendering'],
  hooks: {
    the_title: { ...filter('title', 'post'), ...SKIPS_FAILING, about: { type: typeOf } },
    private_title_format: { ...syncFilter('format', 'post'), ...SKIPS_FAILING, about: { type: typeOf } },
    protected_title_format: { ...syncFilter('format', 'post'), ...SKIPS_FAILING, about: { type: typeOf } },
    the_content: { ...filter('content', 'post', 'scope'), ...SKIPS_FAILING, about: { type: typeOf } },
    excerpt_content: { ...filter('content'), ...SKIPS_FAILING },
    get_the_excerpt: { ...filter('excerpt', 'post'), ...SKIPS_FAILING, about: { type: typeOf } },
    the_excerpt: { ...filter('excerpt', 'post'), ...SKIPS_FAILING, about: { type: typeOf } },
    excerpt_length: { ...syncFilter('words'), ...SKIPS_FAILING },
    excerpt_more: { ...syncFilter('more'), ...SKIPS_FAILING },
  } satisfies HookSpecs<RenderingHooks>,
  apply(plugin) {
    const { has, hooks, provide, services, branding } = plugin
    const blockStart = `<!-- ${branding.blockMark}:`
    let steps = stepsFor(null, blockStart)
    /** Returns the rendering steps; rebuilds them if the set of shortcodes has changed. */
    const current = () => {
      const tagsIn = has('shortcodes') ? services.shortcodes.tagsIn : null
      if (tagsIn !== steps.tagsIn) steps = stepsFor(tagsIn, blockStart)
      return steps
    }

    hooks.the_title.tap('content-rendering', (title) => current().typography(title.trim()))
    hooks.the_content.tapPromise('content-rendering', (content) => current().content(content))
    hooks.the_excerpt.tapPromise('content-rendering', (excerpt) => current().slowParagraphs(excerpt))

    /** Renders the content of a post. Content and excerpt in one scope share the result. */
    const rendered = (post: RenderedPost, scope: RequestCache) =>
      scope.getLater(post, () => applyFilter(hooks.the_content, post.content, post, scope))

    /** Generates an excerpt from the first words of the rendered content. */
    async function generatedExcerpt(
      post: RenderedPost,
      { words, more }: ExcerptCut,
      scope: RequestCache,
    ): Promise<string> {
      const teaser = await applyFilter(hooks.excerpt_content, teaserOf(post.content))
      const beginning = await inSlices(atLeastWords(teaser, RENDERED_WORDS_FACTOR * words))
      const isWhole = beginning === post.content
      const shown = await (isWhole ? rendered(post, scope) : applyFilter(hooks.the_content, beginning, post, scope))
      if (shown.length > MAX_SHORT_CONTENT_LENGTH) await yieldToEventLoop()
      return inSlices(firstWords(shown, words, more))
    }

    /** Returns the written or generated excerpt, before `the_excerpt`. */
    async function excerptOf(post: RenderedPost, cut: ExcerptCut, scope: RequestCache): Promise<string> {
      const text = post.excerpt.trim() === '' ? await generatedExcerpt(post, cut, scope) : post.excerpt
      return applyFilter(hooks.get_the_excerpt, text, post)
    }

    /** Returns a rendered text from the fragment cache, or renders it. */
    function cached(form: string, post: RenderedPost, scope: RequestCache, render: () => Awaitable<string>) {
      const { id, type, status, title, content, excerpt } = post
      return fragmentsOf(plugin.server).text(scope, form, id, [type, status, title, content, excerpt], () => {
        dependsOn(`post:${id}`)
        return render()
      })
    }

    const siteWords = async () => (has('translations') ? services.translations.site() : { t: (text: string) => text })
    const privateTitle = async (post: Pick<RenderedPost, 'id' | 'status' | 'title' | 'type'>) => {
      const format = applySyncFilter(hooks.private_title_format, (await siteWords()).t('Private: %s'), post)
      return applyFilter(
        hooks.the_title,
        format.replace('%s', () => post.title),
        post,
      )
    }
    const titleOf: Rendering['title'] = (post, hasPrefix = true) =>
      post.status === 'private' && hasPrefix ? privateTitle(post) : applyFilter(hooks.the_title, post.title, post)

    provide('contentRendering', {
      title: titleOf,
      async pageTitle(post) {
        const title = await titleOf(post)
        if (post.password === '' || title === '') return title
        const format = applySyncFilter(hooks.protected_title_format, (await siteWords()).t('Protected: %s'), post)
        return format.replace('%s', () => title)
      },
      content: (post, scope = new RequestCache()) => cached('content', post, scope, () => rendered(post, scope)),
      excerpt(post, scope = new RequestCache(), words) {
        const render = async () => {
          const cut = {
            words: words ?? applySyncFilter(hooks.excerpt_length, EXCERPT_WORDS),
            more: applySyncFilter(hooks.excerpt_more, EXCERPT_END),
          }
          return applyFilter(hooks.the_excerpt, await excerptOf(post, cut, scope), post)
        }
        // Requests choose any number of words, so these excerpts are not cached.
        return words === undefined ? cached('excerpt', post, scope, render) : render()
      },
      excerptText: (post, cut, scope = new RequestCache()) =>
        cached(`excerpt of ${cut.words} words${cut.more}`, post, scope, async () => {
          const found = await excerptOf(post, cut, scope)
          // A generated excerpt already has its final length and ending.
          return post.excerpt.trim() === '' ? found : inSlices(firstWords(found, cut.words, cut.more))
        }),
      writtenExcerpt: async (post) => (post.excerpt === '' ? '' : applyFilter(hooks.the_excerpt, post.excerpt, post)),
      paragraphs: (text) => current().paragraphs(text),
      longParagraphs: (text) =>
        text.length > MAX_SHORT_CONTENT_LENGTH ? current().slowParagraphs(text) : current().paragraphs(text),
      pieces: htmlPieces,
      changeText,
      changeLongText: (html, change, excluded) => inSlices(changeTextSteps(html, change, excluded)),
      typography: (html) => current().typography(html),
      blockVersion: (content) => (content.includes(blockStart) ? 1 : 0),
    })
  },
})

/** Returns the steps that apply to texts independently of their post, for the registered shortcodes. */
function stepsFor(tagsIn: TagFinder | null, blockStart: string) {
  const set = (html: string) => typography(html, tagsIn)
  const paragraphSteps = function* (text: string): Steps<string> {
    // Yield first: a list can contain many such texts.
    if (text.length > MAX_SHORT_CONTENT_LENGTH) yield
    return yield* autopSteps(yield* typographySteps(text, tagsIn))
  }
  return {
    tagsIn,
    typography: set,
    paragraphs: memoize((text) => autop(set(text)), MAX_REMEMBERED_LENGTH),
    slowParagraphs: (text: string) => inSlices(paragraphSteps(text)),
    // Blocks contain their own paragraphs.
    content: (text: string) =>
      inSlices(text.includes(blockStart) ? typographySteps(text, tagsIn) : paragraphSteps(text)),
  }
}
