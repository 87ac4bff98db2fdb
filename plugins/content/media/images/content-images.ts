import type { Awaitable, PluginContext, RequestCache } from '../../../../kernel/index.ts'
import { mapInSlices, yieldToEventLoop } from '../../../library/long-work/index.ts'
import type { AttachmentData, ImageVersion } from '../attachment-data.ts'
import { attributesMarkup, srcsetAttributes } from './image-markup.ts'

const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>`]+)))?/g

/** Pieces of HTML after which other requests get their turn. */
const PIECES_PER_TURN = 1000
/** Images of one content whose data is read together. */
const IMAGES_AT_ONCE = 500

/** The attributes of a tag by their name in lower case; `''` for those without a value. */
export function attributesOf(tag: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name = '', double, single, bare] of tag.replace(/^<[a-z]+/i, '').matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase()
    if (!attributes.has(key)) attributes.set(key, double ?? single ?? bare ?? '')
  }
  return attributes
}

/**
 * Adds to the images of content what they lack: `loading` and `decoding`, width and height, `srcset` and `sizes` for an
 * attachment, which the class of the image names. Frames with dimensions are loaded lazily too. Attributes that are
 * written in the content stay.
 */
export function completeImages(plugin: PluginContext, html: string, scope: RequestCache): Awaitable<string> {
  return /<i(?:mg|frame)/i.test(html) ? completedImages(plugin, html, scope) : html
}

async function completedImages(plugin: PluginContext, html: string, scope: RequestCache): Promise<string> {
  const pieces: string[] = []
  const found: [at: number, name: string][] = []
  for (const { name, kind, text } of plugin.services.contentRendering.pieces(html)) {
    if (kind === 'open' && (name === 'img' || name === 'iframe')) found.push([pieces.length, name])
    pieces.push(text)
    if (pieces.length % PIECES_PER_TURN === 0) await yieldToEventLoop()
  }
  await mapInSlices(
    found,
    async ([at, name]) => {
      const tag = pieces[at]!
      pieces[at] = name === 'iframe' ? lazyFrame(tag) : await completeImage(plugin, tag, scope)
    },
    IMAGES_AT_ONCE,
  )
  return pieces.join('')
}

async function completeImage(plugin: PluginContext, tag: string, scope: RequestCache): Promise<string> {
  const attributes = attributesOf(tag)
  const src = attributes.get('src') ?? ''
  const data = src === '' ? null : await dataOf(plugin, attributes.get('class') ?? '', scope)
  const version = data === null ? undefined : versionOf(data, src)
  const added: [string, string | number][] = []
  let [width, height] = [Number(attributes.get('width')) || 0, Number(attributes.get('height')) || 0]
  if (version !== undefined && !attributes.has('width') && !attributes.has('height')) {
    ;({ width, height } = version)
    added.push(['width', width], ['height', height])
  }
  const isLate = attributes.get('loading') === 'lazy' || (!attributes.has('loading') && width > 0 && height > 0)
  if (isLate && !attributes.has('loading')) added.unshift(['loading', 'lazy'])
  if (!attributes.has('decoding')) added.unshift(['decoding', 'async'])
  const shown = width > 0 && height > 0 ? { width, height } : version
  const srcset =
    data === null || version === undefined || shown === undefined || attributes.has('srcset')
      ? []
      : srcsetAttributes(
          data,
          { width: shown.width, height: shown.height, source_url: version.source_url },
          isLate && plugin.since('6.7'),
        )
  const completed = added.length === 0 ? tag : tag.replace(/^<img/i, (start) => `${start} ${attributesMarkup(added)}`)
  if (srcset.length === 0) return completed
  const missing = attributes.has('sizes') ? srcset.slice(0, 1) : srcset
  return `${completed.slice(0, completed.endsWith('/>') ? -2 : -1).trimEnd()} ${attributesMarkup(missing)} />`
}

/** A frame with dimensions takes its place before it is loaded, so it can be loaded lazily. */
function lazyFrame(tag: string): string {
  const attributes = attributesOf(tag)
  const isComplete = ['src', 'width', 'height'].every((name) => attributes.has(name))
  return isComplete && !attributes.has('loading') ? tag.replace(/^<iframe/i, '$& loading="lazy"') : tag
}

/** The data of the attachment that the class of an image names; null when it names none. */
async function dataOf(plugin: PluginContext, classes: string, scope: RequestCache): Promise<AttachmentData | null> {
  const id = Number(classes.match(idPattern(plugin))?.[1] ?? 0)
  return id > 0 ? plugin.services.media.data({ id, guid: '', mime_type: 'image/' }, scope) : null
}

const patterns = new Map<string, RegExp>()

/** Finds the ID of an attachment in the class of an image. */
function idPattern({ branding }: PluginContext): RegExp {
  let pattern = patterns.get(branding.blockMark)
  if (pattern === undefined) {
    pattern = new RegExp(`(?:^|\\s)${branding.blockMark}-image-(\\d{1,15})(?:\\s|$)`)
    patterns.set(branding.blockMark, pattern)
  }
  return pattern
}

/** The version that a URL shows, whatever its query; undefined where it shows another file. */
function versionOf({ sizes }: AttachmentData, src: string): ImageVersion | undefined {
  const path = src.split(/[?#]/, 1)[0]!.replaceAll('&amp;', '&')
  return Object.values(sizes).find((version) => version.source_url === path)
}
