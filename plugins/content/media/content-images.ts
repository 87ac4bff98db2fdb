import { mapInSlices, yieldToEventLoop, type PluginContext, type RequestCache } from '../../../kernel/index.ts'
import { factsOf, type ImageVersion, type MediaFacts } from './facts.ts'
import { attributesMarkup, choiceAttributes } from './markup.ts'

const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>`]+)))?/g

/** Pieces of HTML after which others get their turn. */
const STEP = 1000
/** Images of one content whose facts are read together. */
const TOGETHER = 500

/** The attributes of a tag by their name in lower case; `''` for those without a value. */
export function attributesOf(tag: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name = '', double, single, bare] of tag.replace(/^<[a-z]+/i, '').matchAll(ATTRIBUTE)) {
    const known = name.toLowerCase()
    if (!attributes.has(known)) attributes.set(known, double ?? single ?? bare ?? '')
  }
  return attributes
}

/**
 * Completes the images of content: browsers may load and decode them when they come into sight, know their size before,
 * and may choose among the versions of an image whose class names it. Frames of a known size are loaded late too. What is
 * written already stays.
 */
export async function withCompleteImages(plugin: PluginContext, html: string, scope: RequestCache): Promise<string> {
  if (!/<i(?:mg|frame)/i.test(html)) return html
  const pieces: string[] = []
  const found: [at: number, name: string][] = []
  for (const { name, kind, text } of plugin.services.rendering.pieces(html)) {
    if (kind === 'open' && (name === 'img' || name === 'iframe')) found.push([pieces.length, name])
    pieces.push(text)
    if (pieces.length % STEP === 0) await yieldToEventLoop()
  }
  await mapInSlices(
    found,
    async ([at, name]) => {
      const tag = pieces[at]!
      pieces[at] = name === 'iframe' ? lateFrame(tag) : await complete(plugin, tag, scope)
    },
    TOGETHER,
  )
  return pieces.join('')
}

async function complete(plugin: PluginContext, tag: string, scope: RequestCache): Promise<string> {
  const attributes = attributesOf(tag)
  const src = attributes.get('src') ?? ''
  const id = Number(attributes.get('class')?.match(classOf(plugin))?.[1] ?? 0)
  const facts = id > 0 && src !== '' ? await factsOf(plugin, { id, guid: '', mime_type: 'image/' }, scope) : null
  const version = facts === null ? undefined : versionShown(facts, src)
  const first: [string, string | number][] = []
  let [width, height] = [Number(attributes.get('width')) || 0, Number(attributes.get('height')) || 0]
  if (version !== undefined && !attributes.has('width') && !attributes.has('height')) {
    ;({ width, height } = version)
    first.push(['width', width], ['height', height])
  }
  if (!attributes.has('loading') && width > 0 && height > 0) first.unshift(['loading', 'lazy'])
  if (!attributes.has('decoding')) first.unshift(['decoding', 'async'])
  const shown = width > 0 && height > 0 ? { width, height } : version
  const choices =
    facts === null || version === undefined || shown === undefined || attributes.has('srcset')
      ? []
      : choiceAttributes(facts, { width: shown.width, height: shown.height, source_url: version.source_url })
  const begun = first.length === 0 ? tag : tag.replace(/^<img/i, (start) => `${start} ${attributesMarkup(first)}`)
  if (choices.length === 0) return begun
  const added = attributes.has('sizes') ? choices.slice(0, 1) : choices
  return `${begun.slice(0, begun.endsWith('/>') ? -2 : -1).trimEnd()} ${attributesMarkup(added)} />`
}

/** A frame that takes its place before it is loaded need not be loaded before it comes into sight. */
function lateFrame(tag: string): string {
  const attributes = attributesOf(tag)
  const known = ['src', 'width', 'height'].every((name) => attributes.has(name))
  return known && !attributes.has('loading') ? tag.replace(/^<iframe/i, '$& loading="lazy"') : tag
}

const classes = new Map<string, RegExp>()

/** What the class of an image in content says of its number. */
function classOf({ branding }: PluginContext): RegExp {
  let pattern = classes.get(branding.blockMark)
  if (pattern === undefined) {
    pattern = new RegExp(`(?:^|\\s)${branding.blockMark}-image-(\\d{1,15})(?:\\s|$)`)
    classes.set(branding.blockMark, pattern)
  }
  return pattern
}

/** The version that an address shows, whatever its query; undefined where it shows another file. */
function versionShown({ sizes }: MediaFacts, src: string): ImageVersion | undefined {
  const path = src.split(/[?#]/, 1)[0]!.replaceAll('&amp;', '&')
  return Object.values(sizes).find((version) => version.source_url === path)
}
