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
import { declared, doNotKeepPart, leaveOut } from '../../library/caching/index.ts'
import type { RenderedPost } from '../content-rendering/index.ts'
import { errors, shortcodeMistake } from './check.ts'
import { parseShortcodes, type ShortcodeNode, type ShortcodePart } from './parse.ts'
import { shortcodeTags, type ShortcodeTag } from './tags.ts'

export type { ShortcodeTag } from './tags.ts'

/** Where a shortcode is rendered. */
export interface ShortcodePlace {
  /** The name that it is written with. */
  name: string
  /** The post that it is in. */
  post: RenderedPost
  /** The cache of the request. */
  scope: RequestCache
  /** Its number among the shortcodes with its name in the content: 1 for the first. */
  number: number
  /**
   * Claims characters of output before they are made: a short shortcode with a long output asks first.
   * @returns how many of them the content has left
   */
  claim: (this: void, characters: number) => number
}

/** The most characters that the shortcodes of one content may output; further ones are left out. */
const MAX_OUTPUT = 4_000_000
/** The same for all contents of a response. */
const MAX_OUTPUT_OF_RESPONSE = 16_000_000
/** Shortcodes that are rendered at once. */
const AT_ONCE = 32

/**
 * Returns the HTML of a shortcode.
 * @param attributes as they are written, by name in lower case; those without a name by their position: `0`, `1`
 * @param content what it encloses, with its own shortcodes rendered; null where it has no closing tag
 */
export type ShortcodeCallback = (
  attributes: Readonly<Record<string, string>>,
  content: string | null,
  place: ShortcodePlace,
) => Awaitable<string>

/** The shortcodes of a site: `[name attribute="value"]`, `[name]…[/name]`. */
export interface Shortcodes {
  /**
   * Registers a shortcode, or replaces the one with the same name. Names are letters, digits, `-` and `_`. `dependsOn`
   * names the tags of what its HTML depends on besides its arguments and what services read; with `cache: false` responses
   * that show it are not stored; with `override` it may take the place of another plugin's without a warning. @throws SHORTCODE_INVALID
   */
  register(
    name: string,
    callback: ShortcodeCallback,
    options?: CacheHints<Parameters<ShortcodeCallback>> & { override?: boolean },
  ): void
  /** Finds the tags of shortcodes in a text. It is another function once a shortcode was added or removed. */
  readonly tagsIn: (this: void, text: string) => Iterable<ShortcodeTag>
  /** Content without its shortcodes and what they enclose. */
  strip(content: string): Awaitable<string>
  /** Content with its shortcodes rendered. One that is alone in a paragraph replaces the paragraph. */
  render(content: string, post: RenderedPost, scope: RequestCache): Awaitable<string>
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * Shortcodes in content.
     * @example
     * services.shortcodes.register('founded', ({ year = '1999' }) => `<b>since ${Number(year)}</b>`)
     */
    shortcodes: Shortcodes
  }
}

/** Shortcodes in content, and the registry that plugins add theirs to. */
export default definePlugin({
  name: 'shortcodes',
  needs: ['content-rendering'],
  provides: ['shortcodes'],
  apply({ hooks, log, provide, services: { contentRendering: rendering } }) {
    const callbacks = new OwnedMap<ShortcodeCallback>('shortcode')
    /** The registered names, and the function that finds their tags. */
    const known = derived(callbacks, () => {
      const names: ReadonlySet<string> = new Set(callbacks.keys())
      return { names, tagsIn: (text: string): Iterable<ShortcodeTag> => shortcodeTags(text, names) }
    })
    const parse = (content: string) => parseShortcodes(content, known().names, rendering.pieces)
    const may = (content: string) => content.includes('[') && known().names.size > 0

    async function rendered(parts: readonly ShortcodePart[], place: Pick<ShortcodePlace, 'post' | 'scope'>) {
      const counts = new Map<string, number>()
      let left = MAX_OUTPUT
      const response = place.scope.get('shortcodes: made', () => ({ left: MAX_OUTPUT_OF_RESPONSE }))
      const one = async ({ name, attributes, content }: ShortcodeNode): Promise<string> => {
        const number = (counts.get(name) ?? 0) + 1
        counts.set(name, number)
        const inner = content === null ? null : await all(content)
        if (response.left === 0) doNotKeepPart('the response has too much else in it')
        if (left === 0 || response.left === 0) return inner ?? ''
        let claimed = 0
        const claim = (characters: number) => {
          const wanted = Math.min(Math.max(characters, 0), left)
          const granted = Math.min(wanted, response.left)
          if (granted < wanted) doNotKeepPart('the response has too much else in it')
          left -= granted
          response.left -= granted
          claimed += granted
          return granted
        }
        try {
          const made = (await callbacks.get(name)?.(attributes, inner, { ...place, name, number, claim })) ?? ''
          const html = refusePromiseText(
            made,
            [attributes, inner],
            callbacks.ownerOf(name) ?? '',
            `the shortcode ${name}`,
          )
          const grown = Math.max(html.length - (inner?.length ?? 0), 0)
          left = Math.max(left + claimed - grown, 0)
          response.left = Math.max(response.left + claimed - grown, 0)
          return html
        } catch (error) {
          // The rest of the content is shown.
          leaveOut(log, error, { shortcode: name, post: place.post.id }, 'a shortcode failed')
          return ''
        }
      }
      // Many at once, so that what they read comes from the same statements.
      const all = async (list: readonly ShortcodePart[]): Promise<string> =>
        (await mapInSlices(list, (part) => (typeof part === 'string' ? part : one(part)), AT_ONCE)).join('')
      return all(withoutParagraphs(parts))
    }

    const service: Shortcodes = {
      register(name, callback, options = {}) {
        checkRegistration(
          () => shortcodeMistake(name, callback, options),
          (plugin, why) => errors.SHORTCODE_INVALID(plugin, name, why),
        )
        callbacks.set(name, declared(callback, `the shortcode ${name}`, options), name, options.override)
      },
      get tagsIn() {
        return known().tagsIn
      },
      strip: async (content) => {
        if (!may(content)) return content
        const parts = await inSlices(parse(content))
        return parts.filter((part) => typeof part === 'string').join('')
      },
      render: async (content, post, scope) => {
        if (!may(content)) return content
        const parts = await inSlices(parse(content))
        return parts.every((part) => typeof part === 'string') ? parts.join('') : rendered(parts, { post, scope })
      },
    }
    provide('shortcodes', service)
    hooks.excerpt_content.tapPromise('shortcodes', (content) => service.strip(content))
    hooks.the_content.tapPromise({ name: 'shortcodes', stage: 20 }, async (content, post, scope) => {
      if (!may(content)) return content
      await yieldToEventLoop()
      return service.render(content, post, scope)
    })
  },
})

/** Removes the paragraph around a shortcode that is alone in it. */
function withoutParagraphs(parts: readonly ShortcodePart[]): ShortcodePart[] {
  const left = [...parts]
  left.forEach((part, at) => {
    if (typeof part === 'string') return
    const [before = '', after = ''] = [left[at - 1], left[at + 1]]
    if (typeof before !== 'string' || typeof after !== 'string') return
    if (!before.endsWith('<p>') || !after.startsWith('</p>')) return
    left[at - 1] = before.slice(0, -'<p>'.length)
    left[at + 1] = after.slice('</p>'.length)
  })
  return left
}
