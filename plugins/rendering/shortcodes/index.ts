import { checkRegistration, refusePromiseText } from '../../library/advice/index.ts'
import {
  definePlugin,
  derived,
  OwnedMap,
  type Awaitable,
  type CacheHints,
  type RequestCache,
} from '../../../kernel/index.ts'
import { inSlices, mapInSlices, yieldToEventLoop } from '../../library/long-work/index.ts'
import { declared, doNotCachePart, omitFailedPart } from '../../library/caching/index.ts'
import type { RenderedPost } from '../content-rendering/index.ts'
import { errors, shortcodeMistake } from './check.ts'
import { parseShortcodes, type ShortcodeNode, type ShortcodePart } from './parse.ts'
import { shortcodeTags, type ShortcodeTag } from './tags.ts'

export type { ShortcodeTag } from './tags.ts'

/** The place a shortcode is rendered in. */
export interface ShortcodePlace {
  /** Name as written in the content. */
  name: string
  /** The post that contains the shortcode. */
  post: RenderedPost
  /** Cache of the request. */
  scope: RequestCache
  /** Position among the shortcodes with the same name in the content, starting at 1. */
  number: number
  /** Position among the shortcodes with the same name and `id` in the content, starting at 1. */
  numberOfId: number
  /**
   * Reserves characters of output. Call it before a short shortcode produces a long output.
   * @returns the number of reserved characters, limited by the characters that the content can still output
   */
  claim: (this: void, characters: number) => number
}

/** Maximum characters that all shortcodes in one post can output; further shortcodes are omitted. */
const MAX_OUTPUT = 4_000_000
/** The same limit for all posts in a response. */
const MAX_OUTPUT_OF_RESPONSE = 16_000_000
/** Number of shortcodes rendered concurrently. */
const AT_ONCE = 32

/**
 * Returns the HTML of a shortcode.
 * @param attributes as written, by lower-case name; values without a name by position: `0`, `1`
 * @param content the enclosed content with rendered shortcodes; null if there is no closing tag
 */
export type ShortcodeCallback = (
  attributes: Readonly<Record<string, string>>,
  content: string | null,
  place: ShortcodePlace,
) => Awaitable<string>

/** Registers and renders shortcodes: `[name attribute="value"]`, `[name]…[/name]`. */
export interface Shortcodes {
  /**
   * Registers a shortcode, or replaces the one with the same name. Names consist of letters, digits, `-` and `_`.
   * @param options `dependsOn`: cache tags of data its HTML depends on, other than its arguments and reads through
   * services. `cache: false`: responses that contain it are not cached. `override`: replaces the shortcode of another
   * plugin without a warning
   * @throws SHORTCODE_INVALID
   */
  register(
    name: string,
    callback: ShortcodeCallback,
    options?: CacheHints<Parameters<ShortcodeCallback>> & { override?: boolean },
  ): void
  /** Finds shortcode tags in a text. Returns a new function after shortcodes were added or removed. */
  readonly tagsIn: (this: void, text: string) => Iterable<ShortcodeTag>
  /** Removes shortcodes and the content they enclose. */
  strip(content: string): Awaitable<string>
  /** Renders the shortcodes in content. A shortcode that is alone in a paragraph replaces the paragraph. */
  render(content: string, post: RenderedPost, scope: RequestCache): Awaitable<string>
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Registers and renders shortcodes.
     * @example
     * services.shortcodes.register('founded', ({ year = '1999' }) => `<b>since ${Number(year)}</b>`)
     */
    shortcodes: Shortcodes
  }
}

/** Renders shortcodes in content, and provides the registry for plugins. */
export default definePlugin({
  name: 'shortcodes',
  needs: ['content-rendering'],
  provides: ['shortcodes'],
  apply({ hooks, log, provide, services: { contentRendering: rendering } }) {
    const callbacks = new OwnedMap<ShortcodeCallback>('shortcode')
    /** Returns the registered names, and the function that finds their tags. */
    const registered = derived(callbacks, () => {
      const names: ReadonlySet<string> = new Set(callbacks.keys())
      return { names, tagsIn: (text: string): Iterable<ShortcodeTag> => shortcodeTags(text, names) }
    })
    const parse = (content: string) => parseShortcodes(content, registered().names, rendering.pieces)
    const canContain = (content: string) => content.includes('[') && registered().names.size > 0

    async function rendered(parts: readonly ShortcodePart[], place: Pick<ShortcodePlace, 'post' | 'scope'>) {
      const numbers = numbersOf(parts)
      let remaining = MAX_OUTPUT
      const response = place.scope.get('shortcodes: output', () => ({ remaining: MAX_OUTPUT_OF_RESPONSE }))
      const one = async (node: ShortcodeNode): Promise<string> => {
        const { name, attributes, content } = node
        const inner = content === null ? null : await all(content)
        if (response.remaining === 0) doNotCachePart('the shortcodes of the response have reached their output limit')
        if (remaining === 0 || response.remaining === 0) return inner ?? ''
        let claimed = 0
        const claim = (characters: number) => {
          const requested = Math.min(Math.max(characters, 0), remaining)
          const granted = Math.min(requested, response.remaining)
          if (granted < requested) doNotCachePart('the shortcodes of the response have reached their output limit')
          remaining -= granted
          response.remaining -= granted
          claimed += granted
          return granted
        }
        try {
          const output =
            (await callbacks.get(name)?.(attributes, inner, { ...place, name, ...numbers.get(node)!, claim })) ?? ''
          const html = refusePromiseText(
            output,
            [attributes, inner],
            callbacks.ownerOf(name) ?? '',
            `the shortcode ${name}`,
          )
          const addedLength = Math.max(html.length - (inner?.length ?? 0), 0)
          remaining = Math.max(remaining + claimed - addedLength, 0)
          response.remaining = Math.max(response.remaining + claimed - addedLength, 0)
          return html
        } catch (error) {
          // Log the error and render the rest of the content.
          omitFailedPart(log, error, { shortcode: name, post: place.post.id }, 'rendering a shortcode failed')
          return ''
        }
      }
      // Render concurrently, so that reads are batched into the same statements.
      const all = async (list: readonly ShortcodePart[]): Promise<string> =>
        (await mapInSlices(list, (part) => (typeof part === 'string' ? part : one(part)), AT_ONCE)).join('')
      return all(withoutParagraphs(parts))
    }

    const service: Shortcodes = {
      register(name, callback, options = {}) {
        checkRegistration(
          () => shortcodeMistake(name, callback, options),
          (plugin, reason) => errors.SHORTCODE_INVALID(plugin, name, reason),
        )
        callbacks.set(name, declared(callback, `the shortcode ${name}`, options), name, options.override)
      },
      get tagsIn() {
        return registered().tagsIn
      },
      strip: async (content) => {
        if (!canContain(content)) return content
        const parts = await inSlices(parse(content))
        return parts.filter((part) => typeof part === 'string').join('')
      },
      render: async (content, post, scope) => {
        if (!canContain(content)) return content
        const parts = await inSlices(parse(content))
        return parts.every((part) => typeof part === 'string') ? parts.join('') : rendered(parts, { post, scope })
      },
    }
    provide('shortcodes', service)
    hooks.excerpt_content.tapPromise('shortcodes', (content) => service.strip(content))
    hooks.the_content.tapPromise({ name: 'shortcodes', stage: 20 }, async (content, post, scope) => {
      if (!canContain(content)) return content
      await yieldToEventLoop()
      return service.render(content, post, scope)
    })
  },
})

type Numbers = Pick<ShortcodePlace, 'number' | 'numberOfId'>

/** Numbers the shortcodes in the order of the content, in which they are not rendered. */
function numbersOf(parts: readonly ShortcodePart[]): ReadonlyMap<ShortcodeNode, Numbers> {
  const counts = new Map<string, number>()
  const next = (name: string) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count
  }
  const numbers = new Map<ShortcodeNode, Numbers>()
  const count = (list: readonly ShortcodePart[]) => {
    for (const part of list) {
      if (typeof part === 'string') continue
      const { name, attributes, content } = part
      numbers.set(part, { number: next(name), numberOfId: next(`${name} ${attributes['id'] ?? ''}`) })
      if (content !== null) count(content)
    }
  }
  count(parts)
  return numbers
}

/** Removes the paragraph around a shortcode that is alone in it. */
function withoutParagraphs(parts: readonly ShortcodePart[]): ShortcodePart[] {
  const result = [...parts]
  result.forEach((part, at) => {
    if (typeof part === 'string') return
    const [before = '', after = ''] = [result[at - 1], result[at + 1]]
    if (typeof before !== 'string' || typeof after !== 'string') return
    if (!before.endsWith('<p>') || !after.startsWith('</p>')) return
    result[at - 1] = before.slice(0, -'<p>'.length)
    result[at + 1] = after.slice('</p>'.length)
  })
  return result
}
