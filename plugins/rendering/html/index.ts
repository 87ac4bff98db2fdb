import {
  applySyncFilter,
  definePlugin,
  isThenable,
  syncFilter,
  type Awaitable,
  type HookSpecs,
  type SyncFilter,
} from '../../../kernel/index.ts'
import { inSlices } from '../../library/long-work/index.ts'
import { defaultAllowed, PROTOCOLS, STYLE_PROPERTIES, type AllowedHtml, type HtmlContext } from './allowed.ts'
import { filterHtml, filterSteps, type Rules } from './filter.ts'
import { filterStyle } from './styles.ts'
import { refuseLargeTexts } from './sizes.ts'

export { isSafeUrl } from './url-attributes.ts'
export { PROTOCOLS } from './allowed.ts'
export { plainText } from './plain-text.ts'
export { readTags, type TagReader } from './tags.ts'
export { escapeJson } from './blocks.ts'
export type { AllowedAttributes, AllowedHtml, AttributeRule, HtmlContext } from './allowed.ts'

/** Style properties that block markup can set, in addition to the ones allowed in HTML of users. */
const OF_BLOCKS = ['aspect-ratio', 'background-blend-mode', 'box-shadow', 'writing-mode']
const SHOWN_PROPERTIES: ReadonlySet<string> = new Set([...STYLE_PROPERTIES, ...OF_BLOCKS])

/** Returns the safe declarations of a style: `color:red;width:2px`. */
export const safeStyle = (style: string): string => filterStyle(style, SHOWN_PROPERTIES, PROTOCOLS)

/** Hooks of the plugin `html`. */
interface HtmlHooks {
  /**
   * Filter: the elements and attributes allowed in HTML of users without the capability `unfiltered_html`. Return a
   * changed copy: `(allowed, context) => (context === 'post' ? { ...allowed, dialog: { open: true } } : allowed)`.
   * @since 0.1.0
   */
  allowed_html: SyncFilter<AllowedHtml, [context: HtmlContext]>
  /** Filter: the schemes allowed in URLs in such HTML, in lower case. @since 0.1.0 */
  allowed_protocols: SyncFilter<readonly string[]>
  /** Filter: the properties allowed in `style` attributes in such HTML. @since 0.1.0 */
  safe_style_css: SyncFilter<readonly string[]>
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Filters HTML of users without the capability `unfiltered_html`.
     * @example
     * const safe = services.html.filter('<a href="/" onclick="steal()">Home</a>', 'post')
     */
    html: Html
  }
  interface Hooks extends HtmlHooks {}
}

/** Filters HTML of users without the capability `unfiltered_html`. */
export interface Html {
  /**
   * Filters HTML by an allow-list of elements, attributes, URL schemes and style properties. The output is well-formed.
   * Idempotent, and linear in the length of the text.
   *
   * Removed elements leave their content as text. Post HTML keeps comments; all attributes of block comments are
   * filtered too.
   * @param allowed the allow-list: `post` for content and excerpts, `comment` also for titles and descriptions of
   * terms, `user_description` for biographies, `strip` to remove all elements (the result is still HTML)
   */
  filter(html: string, allowed: HtmlContext): string
  /** Like `filter`, but processes long texts in slices, so that other requests are handled in between. */
  filterLong(html: string, allowed: HtmlContext): Awaitable<string>
}

interface HtmlOptions {
  /**
   * Maximum bytes of one text in a request, such as the content of a post. Larger texts are refused with
   * `rest_content_too_large`, unless the user has the capability `unfiltered_html`. 0 switches the limit off.
   */
  max_content: number
}

/** Filters HTML of users without the capability `unfiltered_html`; plugins can change the allow-lists. */
export default definePlugin<HtmlOptions>({
  name: 'html',
  uses: ['roles'],
  provides: ['html'],
  options: {
    max_content: { default: 1_000_000, type: 'integer', minimum: 0 },
  },
  hooks: {
    allowed_html: syncFilter('allowed', 'context'),
    allowed_protocols: syncFilter('protocols'),
    safe_style_css: syncFilter('properties'),
  } satisfies HookSpecs<HtmlHooks>,
  apply({ has, hooks, provide, services, urls, branding }, { max_content: maxBytes }) {
    const isDocument = (url: string) => url.startsWith(`${urls.home}/`) && url.endsWith('.pdf') && !/[?#]/.test(url)
    const defaults = defaultAllowed(isDocument)
    const directives = new Set([branding.blockMark, branding.word])
    let properties = { list: STYLE_PROPERTIES, set: new Set(STYLE_PROPERTIES) }

    const rulesOf = (allowed: HtmlContext): Rules => {
      const list = applySyncFilter(hooks.safe_style_css, STYLE_PROPERTIES)
      if (list !== properties.list) properties = { list, set: new Set(list) }
      return {
        elements: applySyncFilter(hooks.allowed_html, defaults[allowed], allowed),
        protocols: applySyncFilter(hooks.allowed_protocols, PROTOCOLS),
        properties: properties.set,
        mark: allowed === 'post' ? branding.blockMark : null,
        directives,
      }
    }
    provide('html', {
      filter: (html, allowed) => filterHtml(html, rulesOf(allowed)),
      filterLong: (html, allowed) => inSlices(filterSteps(html, rulesOf(allowed))),
    })
    if (maxBytes === 0) return
    // Early stage: arguments are validated and sanitized later.
    hooks.rest_pre_dispatch.tapPromise({ name: 'html', stage: -100 }, (result, _server, request) => {
      const hasResult = result !== null && result !== undefined
      if (hasResult || (request.json === undefined && request.form === null)) return result
      // Decoding grows a text to at most three times its size: an invalid byte becomes U+FFFD, three bytes in UTF-8.
      if (request.raw !== null && 3 * request.raw.size <= maxBytes) return result
      if (has('roles') && services.capabilities.can(request.user, 'unfiltered_html')) return result
      const refused = inSlices(refuseLargeTexts(request, maxBytes))
      return isThenable(refused) ? refused.then((late) => late ?? result) : (refused ?? result)
    })
  },
})
