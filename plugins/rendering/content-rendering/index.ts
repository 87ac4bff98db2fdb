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

export type { HtmlPiece } from './html.ts'

/** What rendering knows of a post. Requests to other servers that its content causes count for its author, if it has one. */
export type RenderedPost = Pick<Row<'posts'>, 'id' | 'type' | 'status' | 'title' | 'content' | 'excerpt'> &
  Partial<Pick<Row<'posts'>, 'author_id'>>

/** Makes HTML of what users write. */
export interface Rendering {
  /** The title as readers see it; that of private content says so. */
  title(post: Pick<RenderedPost, 'id' | 'type' | 'status' | 'title'>): Awaitable<string>
  /** The content as HTML. What is read for it, of images for one, is read once for all that the scope renders. */
  content(post: RenderedPost, scope?: RequestCache): Awaitable<string>
  /** The excerpt as HTML; where none is written, the first words of the content. */
  excerpt(post: RenderedPost, scope?: RequestCache): Awaitable<string>
  /** The excerpt as text of so many words at most, written or made; `more` follows where it leaves something out. */
  excerptText(post: RenderedPost, cut: ExcerptCut, scope?: RequestCache): Awaitable<string>
  /** The written excerpt as HTML; `''` where there is none. */
  writtenExcerpt(post: RenderedPost): Awaitable<string>
  /** Plain text, or HTML as writers type it, in paragraphs and with its typography. */
  paragraphs(text: string): string
  /** The same as `paragraphs`; for a long text it runs in slices, between which other requests are handled. */
  longParagraphs(this: void, text: string): Awaitable<string>
  /** HTML with its quotes, dashes and the like as they are printed. */
  typography(this: void, html: string): string
  /** HTML cut into tags, comments and text, in linear time whatever it holds; put together they are the HTML again. */
  pieces(this: void, html: string): Iterable<HtmlPiece>
  /**
   * HTML with its text changed, tags and comments left alone, and so what code, scripts and the like hold.
   * @param change told each piece of text between two tags
   * @param besides names of further elements whose text stays
   */
  changeText(this: void, html: string, change: (text: string) => string, besides?: readonly string[]): string
  /** The same for texts that may be long: others get their turn meanwhile. */
  changeLongText(
    this: void,
    html: string,
    change: (text: string) => string,
    besides?: readonly string[],
  ): Awaitable<string>
  /** The version of the blocks that content is made of: 1, or 0 where there are none. */
  blockVersion(content: string): 0 | 1
}

/** Where an excerpt ends. */
export interface ExcerptCut {
  readonly words: number
  readonly more: string
}

/** The hooks that texts go through on their way to readers. */
interface RenderingHooks {
  /** Filter: a title on its way to readers. @since 0.1.0 */
  the_title: Filter<string, [post: Pick<RenderedPost, 'id' | 'type' | 'status' | 'title'>], 'type'>
  /** Filter: how the title of private content is shown, `%s` standing for it. @since 0.1.0 */
  private_title_format: SyncFilter<string, [post: Pick<RenderedPost, 'id' | 'type' | 'status' | 'title'>], 'type'>
  /**
   * Filter: content on its way to readers. Typography is set and paragraphs are made at stage 0, blocks at 10,
   * shortcodes at 20, images are completed at 30. What one request reads for all contents goes through the scope.
   * @since 0.1.0
   */
  the_content: Filter<string, [post: RenderedPost, scope: RequestCache], 'type'>
  /** Filter: the content that an excerpt is about to be made from, before `the_content`. @since 0.1.0 */
  excerpt_content: Filter<string>
  /** Filter: the excerpt as it is written or made, before `the_excerpt`. @since 0.1.0 */
  get_the_excerpt: Filter<string, [post: RenderedPost], 'type'>
  /** Filter: an excerpt on its way to readers; paragraphs are made here, at stage 0. @since 0.1.0 */
  the_excerpt: Filter<string, [post: RenderedPost], 'type'>
  /** Filter: how many words an excerpt has that is made from the content. @since 0.1.0 */
  excerpt_length: SyncFilter<number>
  /** Filter: what follows an excerpt that leaves something out. @since 0.1.0 */
  excerpt_more: SyncFilter<string>
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Makes HTML of what users write.
     * @example
     * const html = await services.contentRendering.content(post, request.scope)
     */
    contentRendering: Rendering
  }
  interface Hooks extends RenderingHooks {}
}

/** How many words an excerpt has that is made from the content. */
const EXCERPT_WORDS = 55
/**
 * How many times as many words are rendered for it. Rendering may drop words, but not so many: a long text need not be
 * rendered whole for its beginning.
 */
const RENDERED_WORDS_FACTOR = 4
/** What follows where it leaves something out. */
const EXCERPT_END = ' [&hellip;]'
/** Characters of a content that others need not wait for. */
const MAX_SHORT_CONTENT_LENGTH = 2000
/** Characters of texts that belong to no post, and of what was made of them, that are remembered. */
const MAX_REMEMBERED_LENGTH = 500_000

/** The content type that a text is of. */
const typeOf = (_text: string, { type }: Pick<RenderedPost, 'type'>) => type

/** Renders titles, contents and excerpts through the filters that bear their names. */
export default definePlugin({
  name: 'content-rendering',
  formerNames: ['rendering'],
  formerServices: { rendering: 'contentRendering' },
  uses: ['shortcodes'],
  provides: ['contentRendering'],
  hooks: {
    the_title: { ...filter('title', 'post'), ...SKIPS_FAILING, about: { type: typeOf } },
    private_title_format: { ...syncFilter('format', 'post'), ...SKIPS_FAILING, about: { type: typeOf } },
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
    /** What text goes through; another where shortcodes have come or gone. */
    const current = () => {
      const tagsIn = has('shortcodes') ? services.shortcodes.tagsIn : null
      if (tagsIn !== steps.tagsIn) steps = stepsFor(tagsIn, blockStart)
      return steps
    }

    hooks.the_title.tap('content-rendering', (title) => current().typography(title.trim()))
    hooks.the_content.tapPromise('content-rendering', (content) => current().content(content))
    hooks.the_excerpt.tapPromise('content-rendering', (excerpt) => current().slowParagraphs(excerpt))

    /** Renders the content of a post. Content and excerpt of one scope share the result. */
    const rendered = (post: RenderedPost, scope: RequestCache) =>
      scope.getLater(post, () => applyFilter(hooks.the_content, post.content, post, scope))

    /** The first words of the content, as its readers see it. */
    async function made(post: RenderedPost, { words, more }: ExcerptCut, scope: RequestCache): Promise<string> {
      const teaser = await applyFilter(hooks.excerpt_content, teaserOf(post.content))
      const beginning = await inSlices(atLeastWords(teaser, RENDERED_WORDS_FACTOR * words))
      const isWhole = beginning === post.content
      const shown = await (isWhole ? rendered(post, scope) : applyFilter(hooks.the_content, beginning, post, scope))
      if (shown.length > MAX_SHORT_CONTENT_LENGTH) await yieldToEventLoop()
      return inSlices(firstWords(shown, words, more))
    }

    /** The excerpt before `the_excerpt`, written or made. */
    async function excerptOf(post: RenderedPost, cut: ExcerptCut, scope: RequestCache): Promise<string> {
      const text = post.excerpt.trim() === '' ? await made(post, cut, scope) : post.excerpt
      return applyFilter(hooks.get_the_excerpt, text, post)
    }

    /** A text of a post as it is kept, or made. */
    function kept(form: string, post: RenderedPost, scope: RequestCache, make: () => Awaitable<string>) {
      const { id, type, status, title, content, excerpt } = post
      return fragmentsOf(plugin.server).text(scope, form, id, [type, status, title, content, excerpt], () => {
        dependsOn(`post:${id}`)
        return make()
      })
    }

    provide('contentRendering', {
      title(post) {
        if (post.status !== 'private') return applyFilter(hooks.the_title, post.title, post)
        const format = applySyncFilter(hooks.private_title_format, 'Private: %s', post)
        return applyFilter(
          hooks.the_title,
          format.replace('%s', () => post.title),
          post,
        )
      },
      content: (post, scope = new RequestCache()) => kept('content', post, scope, () => rendered(post, scope)),
      excerpt: (post, scope = new RequestCache()) =>
        kept('excerpt', post, scope, async () => {
          const cut = {
            words: applySyncFilter(hooks.excerpt_length, EXCERPT_WORDS),
            more: applySyncFilter(hooks.excerpt_more, EXCERPT_END),
          }
          return applyFilter(hooks.the_excerpt, await excerptOf(post, cut, scope), post)
        }),
      excerptText: (post, cut, scope = new RequestCache()) =>
        kept(`excerpt of ${cut.words} words${cut.more}`, post, scope, async () => {
          const found = await excerptOf(post, cut, scope)
          // One that was made is cut already, and ends with what follows it.
          return post.excerpt.trim() === '' ? found : inSlices(firstWords(found, cut.words, cut.more))
        }),
      writtenExcerpt: async (post) => (post.excerpt === '' ? '' : applyFilter(hooks.the_excerpt, post.excerpt, post)),
      paragraphs: (text) => current().paragraphs(text),
      longParagraphs: (text) =>
        text.length > MAX_SHORT_CONTENT_LENGTH ? current().slowParagraphs(text) : current().paragraphs(text),
      pieces: htmlPieces,
      changeText,
      changeLongText: (html, change, besides) => inSlices(changeTextSteps(html, change, besides)),
      typography: (html) => current().typography(html),
      blockVersion: (content) => (content.includes(blockStart) ? 1 : 0),
    })
  },
})

/** What text goes through before anything is known of its post, for the shortcodes that there are. */
function stepsFor(tagsIn: TagFinder | null, blockStart: string) {
  const set = (html: string) => typography(html, tagsIn)
  const paragraphSteps = function* (text: string): Steps<string> {
    // A list of many contents takes long, too.
    if (text.length > MAX_SHORT_CONTENT_LENGTH) yield
    return yield* autopSteps(yield* typographySteps(text, tagsIn))
  }
  return {
    tagsIn,
    typography: set,
    paragraphs: memoize((text) => autop(set(text)), MAX_REMEMBERED_LENGTH),
    slowParagraphs: (text: string) => inSlices(paragraphSteps(text)),
    // Blocks bring their own paragraphs.
    content: (text: string) =>
      inSlices(text.includes(blockStart) ? typographySteps(text, tagsIn) : paragraphSteps(text)),
  }
}
