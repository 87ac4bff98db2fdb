import {
  chain,
  currentWork,
  definePlugin,
  mapInSlices,
  yieldToEventLoop,
  inSlices,
  OwnedMap,
  type Awaitable,
  type RequestCache,
} from '../../../kernel/index.ts'
import type { RenderedPost } from '../rendering/index.ts'
import { parseShortcodes, type ShortcodeNode, type ShortcodePart } from './parse.ts'
import { shortcodeTags, type ShortcodeTag } from './tags.ts'

export type { ShortcodeTag } from './tags.ts'

/** Where a shortcode stands. */
export interface ShortcodePlace {
  /** The name it was called by. */
  name: string
  /** The post whose content it is in. */
  post: RenderedPost
  /** For what is read: once for all contents of a request. */
  scope: RequestCache
  /** How many of its name the content has had up to it: 1 for the first. */
  number: number
  /**
   * Claims characters of HTML before they are made: a shortcode that makes much of little asks first.
   * @returns how many of them the shortcodes of the content may still make
   */
  claim: (this: void, characters: number) => number
}

/** Characters of HTML that the shortcodes of one content make at most; those after them are left out. */
const MOST_MADE = 4_000_000
/** The same for all contents of an answer. */
const MOST_OF_ANSWER = 16_000_000
/** Shortcodes that are rendered together. */
const TOGETHER = 32

/**
 * Makes HTML of a shortcode.
 * @param attributes as they are written, by name in lower case; those without a name by their number from 0
 * @param content what it encloses, with its own shortcodes rendered; null where nothing ends it
 */
export type ShortcodeCallback = (
  attributes: Readonly<Record<string, string>>,
  content: string | null,
  place: ShortcodePlace,
) => Awaitable<string>

/** The shortcodes of a site: `[name attribute="value"]`, `[name]…[/name]`. */
export interface Shortcodes {
  /** Registers a shortcode, or replaces the one of the same name. Names are letters, digits, `-` and `_`. */
  register(name: string, callback: ShortcodeCallback): void
  /** The tags of shortcodes in a text; another function once shortcodes have come or gone. */
  readonly tagsIn: (this: void, text: string) => Iterable<ShortcodeTag>
  /** Content without its shortcodes and what they enclose. */
  strip(content: string): Awaitable<string>
  /** Content with its shortcodes rendered. One that stands alone in a paragraph takes the paragraph's place. */
  render(content: string, post: RenderedPost, scope: RequestCache): Awaitable<string>
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /** Shortcodes in content. */
    shortcodes: Shortcodes
  }
}

/** Shortcodes in content, and the registry that plugins add theirs to. */
export default definePlugin({
  name: 'shortcodes',
  needs: ['rendering'],
  apply({ hooks, log, provide, services: { rendering } }) {
    const callbacks = new OwnedMap<ShortcodeCallback>()
    let names: ReadonlySet<string> = new Set()
    let tagsIn = (text: string): Iterable<ShortcodeTag> => shortcodeTags(text, names)
    /** The names of now. */
    const current = () => {
      const there = [...callbacks.keys()]
      if (there.length !== names.size || !there.every((name) => names.has(name))) {
        const known = new Set(there)
        names = known
        tagsIn = (text) => shortcodeTags(text, known)
      }
      return names
    }
    const parse = (content: string) => parseShortcodes(content, current(), rendering.pieces)
    const may = (content: string) => content.includes('[') && current().size > 0

    async function rendered(parts: readonly ShortcodePart[], place: Pick<ShortcodePlace, 'post' | 'scope'>) {
      const counts = new Map<string, number>()
      let left = MOST_MADE
      const answer = place.scope.get('shortcodes: made', () => ({ left: MOST_OF_ANSWER }))
      const one = async ({ name, attributes, content }: ShortcodeNode): Promise<string> => {
        const number = (counts.get(name) ?? 0) + 1
        counts.set(name, number)
        const inner = content === null ? null : await all(content)
        if (left === 0 || answer.left === 0) return inner ?? ''
        let claimed = 0
        const claim = (characters: number) => {
          const granted = Math.min(Math.max(characters, 0), left, answer.left)
          left -= granted
          answer.left -= granted
          claimed += granted
          return granted
        }
        try {
          const html = (await callbacks.get(name)?.(attributes, inner, { ...place, name, number, claim })) ?? ''
          const grown = Math.max(html.length - (inner?.length ?? 0), 0)
          left = Math.max(left + claimed - grown, 0)
          answer.left = Math.max(answer.left + claimed - grown, 0)
          return html
        } catch (error) {
          currentWork()?.throwIfAborted()
          // One that fails does not take the content with it.
          log.error({ err: error, shortcode: name, post: place.post.id }, 'a shortcode failed')
          return ''
        }
      }
      // Many at once, so that what they read comes from the same statements.
      const all = async (list: readonly ShortcodePart[]): Promise<string> =>
        (await mapInSlices(list, (part) => (typeof part === 'string' ? part : one(part)), TOGETHER)).join('')
      return all(withoutParagraphs(parts))
    }

    const service: Shortcodes = {
      register: (name, callback) => void callbacks.set(name, callback),
      get tagsIn() {
        current()
        return tagsIn
      },
      strip: (content) =>
        may(content)
          ? chain(inSlices(parse(content)), (parts) => parts.filter((part) => typeof part === 'string').join(''))
          : content,
      render: (content, post, scope) => {
        if (!may(content)) return content
        return chain(inSlices(parse(content)), (parts) =>
          parts.every((part) => typeof part === 'string') ? parts.join('') : rendered(parts, { post, scope }),
        )
      },
    }
    provide('shortcodes', service)
    hooks.excerpt_content.tapPromise('shortcodes', (content) => service.strip(content))
    hooks.the_content.tapPromise({ name: 'shortcodes', stage: 20 }, async (content, post, scope) => {
      if (may(content)) await yieldToEventLoop()
      return service.render(content, post, scope)
    })
  },
})

/** Takes away the paragraph around a shortcode that stands alone in it. */
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
