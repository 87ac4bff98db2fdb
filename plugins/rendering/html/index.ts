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

/** Properties that blocks set beside those that HTML of users may. */
const OF_BLOCKS = ['aspect-ratio', 'background-blend-mode', 'box-shadow', 'writing-mode']
const SHOWN_PROPERTIES: ReadonlySet<string> = new Set([...STYLE_PROPERTIES, ...OF_BLOCKS])

/** The declarations of a style that do no harm, `color:red;width:2px`. */
export const safeStyle = (style: string): string => filterStyle(style, SHOWN_PROPERTIES, PROTOCOLS)

/** The hooks of filtering HTML. */
interface HtmlHooks {
  /**
   * Filter: the elements and attributes that may stay in HTML of users who may not write what they like. Return a
   * changed copy: `(allowed, context) => (context === 'post' ? { ...allowed, dialog: { open: true } } : allowed)`.
   * @since 0.1.0
   */
  allowed_html: SyncFilter<AllowedHtml, [context: HtmlContext]>
  /** Filter: the schemes that URLs in such HTML may have, in lower case. @since 0.1.0 */
  allowed_protocols: SyncFilter<readonly string[]>
  /** Filter: the properties that `style` attributes in such HTML may set. @since 0.1.0 */
  safe_style_css: SyncFilter<readonly string[]>
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * HTML of users who may not write what they like.
     * @example
     * const safe = services.html.filter('<a href="/" onclick="steal()">Home</a>', 'post')
     */
    html: Html
  }
  interface Hooks extends HtmlHooks {}
}

/** HTML of users who may not write what they like. */
export interface Html {
  /**
   * What may stay of HTML: an allow-list of elements, attributes, schemes of URLs and properties of styles. What
   * is left is well-formed. Filtering twice changes nothing more; the time is linear in the length.
   *
   * Where elements go their content stays as text. In a post comments stay, those that mark blocks with everything in
   * their attributes filtered as well.
   * @param allowed which list: that of posts (content, excerpts), of comments (titles and descriptions of terms too), of
   *   what users say of themselves, or `strip` for none: text without any element, still written as HTML
   */
  filter(html: string, allowed: HtmlContext): string
  /** The same for texts that may be long: others get their turn meanwhile. */
  filterLong(html: string, allowed: HtmlContext): Awaitable<string>
}

interface HtmlOptions {
  /**
   * Bytes that one text of a request may have, such as the content of a post, unless the user may write what they like
   * (`unfiltered_html`): a larger one is refused with `rest_content_too_large`. 0 for any.
   */
  max_content: number
}

/** Filters HTML of users who may not write what they like, and lets plugins decide what may stay. */
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
  apply({ has, hooks, provide, services, urls, branding }, { max_content: most }) {
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
    if (most === 0) return
    // Before anything is done with a text: arguments are checked and sanitised later.
    hooks.rest_pre_dispatch.tapPromise({ name: 'html', stage: -100 }, (result, _server, request) => {
      const early = result !== null && result !== undefined
      if (early || (request.json === undefined && request.form === null)) return result
      // Text decoded from a body is at most three times as long: each byte that is not UTF-8 becomes a character of three bytes.
      if (request.raw !== null && 3 * request.raw.size <= most) return result
      if (has('roles') && services.capabilities.can(request.user, 'unfiltered_html')) return result
      const refused = inSlices(refuseLargeTexts(request, most))
      return isThenable(refused) ? refused.then((late) => late ?? result) : (refused ?? result)
    })
  },
})
