import type { Awaitable, PluginContext, RequestCache } from '../../../../kernel/index.ts'
import { mapInSlices, yieldToEventLoop } from '../../../library/long-work/index.ts'
import { dimensionsOf, type AttachmentData, type ImageVersion } from '../attachment-data.ts'
import type { Dimensions } from './image-sizes.ts'
import { attributesMarkup, srcsetAttributes } from './image-markup.ts'

const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>`]+)))?/g

/** HTML pieces processed before yielding to other requests. */
const PIECES_PER_TURN = 1000
/** Images whose data is loaded together. */
const IMAGES_PER_BATCH = 500

/** Returns the attributes of a tag by lower-case name; `''` for attributes without a value. */
export function attributesOf(tag: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name = '', double, single, bare] of tag.replace(/^<[a-z]+/i, '').matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase()
    if (!attributes.has(key)) attributes.set(key, double ?? single ?? bare ?? '')
  }
  return attributes
}

/**
 * Adds missing attributes to the images in content: `loading` and `decoding`, and for attachments, which the class of
 * the image names, `width`, `height`, `srcset` and `sizes`. Frames with dimensions are loaded lazily too. Existing
 * attributes do not change.
 */
export function completeImages(plugin: PluginContext, html: string, scope: RequestCache): Awaitable<string> {
  return /<i(?:mg|frame)/i.test(html) ? completeEachImage(plugin, html, scope) : html
}

async function completeEachImage(plugin: PluginContext, html: string, scope: RequestCache): Promise<string> {
  const pieces: string[] = []
  const tags: [at: number, name: string][] = []
  for (const { name, kind, text } of plugin.services.contentRendering.pieces(html)) {
    if (kind === 'open' && (name === 'img' || name === 'iframe')) tags.push([pieces.length, name])
    pieces.push(text)
    if (pieces.length % PIECES_PER_TURN === 0) await yieldToEventLoop()
  }
  await mapInSlices(
    tags,
    async ([at, name]) => {
      const tag = pieces[at]!
      pieces[at] = name === 'iframe' ? lazyFrame(tag) : await completeImage(plugin, tag, scope)
    },
    IMAGES_PER_BATCH,
  )
  return pieces.join('')
}

async function completeImage(plugin: PluginContext, tag: string, scope: RequestCache): Promise<string> {
  // As in WordPress, elements that code renders with other quotes, such as avatars, are complete.
  if (!tag.includes(' src="')) return tag
  const attributes = attributesOf(tag)
  const src = attributes.get('src') ?? ''
  const data = src === '' ? null : await dataOf(plugin, attributes.get('class') ?? '', scope)
  const version = data === null ? undefined : versionOf(data, src)
  const added: [string, string | number][] = []
  let [width, height] = [Number(attributes.get('width')) || 0, Number(attributes.get('height')) || 0]
  // Old content can name a file by the folder of another site; its name suffices for its dimensions.
  const measured = version ?? (data === null ? undefined : originalNamed(data, src))
  if (measured !== undefined && !attributes.has('width') && !attributes.has('height')) {
    ;({ width, height } = measured)
    added.push(['width', width], ['height', height])
  }
  const isLazy = attributes.get('loading') === 'lazy' || (!attributes.has('loading') && width > 0 && height > 0)
  if (!attributes.has('decoding')) added.unshift(['decoding', 'async'])
  if (isLazy && !attributes.has('loading')) added.splice(plugin.since('6.3') ? 0 : 1, 0, ['loading', 'lazy'])
  const shown = width > 0 && height > 0 ? { width, height } : version
  const srcset =
    data === null || version === undefined || shown === undefined || attributes.has('srcset')
      ? []
      : srcsetAttributes(
          data,
          { width: shown.width, height: shown.height, source_url: version.source_url },
          isLazy && plugin.since('6.7'),
        )
  const completed = added.length === 0 ? tag : tag.replace(/^<img/i, (start) => `${start} ${attributesMarkup(added)}`)
  if (srcset.length === 0) return completed
  const missing = attributes.has('sizes') ? srcset.slice(0, 1) : srcset
  return `${completed.slice(0, completed.endsWith('/>') ? -2 : -1).trimEnd()} ${attributesMarkup(missing)} />`
}

/** Loads a frame lazily if it has dimensions, which reserve its space before it is loaded. */
function lazyFrame(tag: string): string {
  const attributes = attributesOf(tag)
  const isComplete = ['src', 'width', 'height'].every((name) => attributes.has(name))
  return isComplete && !attributes.has('loading') ? tag.replace(/^<iframe/i, '$& loading="lazy"') : tag
}

/** Returns the data of the attachment that the class of an image names; null if it names none. */
async function dataOf(plugin: PluginContext, classes: string, scope: RequestCache): Promise<AttachmentData | null> {
  const id = Number(classes.match(idPattern(plugin))?.[1] ?? 0)
  return id > 0 ? plugin.services.media.data({ id, guid: '', mime_type: 'image/' }, scope) : null
}

const patterns = new Map<string, RegExp>()

/** Matches the attachment ID in the class of an image. */
function idPattern({ branding }: PluginContext): RegExp {
  let pattern = patterns.get(branding.blockMark)
  if (pattern === undefined) {
    pattern = new RegExp(`(?:^|\\s)${branding.blockMark}-image-(\\d{1,15})(?:\\s|$)`)
    patterns.set(branding.blockMark, pattern)
  }
  return pattern
}

/** Returns the dimensions of the original if a URL ends with its file name; undefined for other files. */
function originalNamed({ details, url }: AttachmentData, src: string): Dimensions | undefined {
  const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
  return nameOf(src.split(/[?#]/, 1)[0]!) === nameOf(url) ? (dimensionsOf(details) ?? undefined) : undefined
}

/** Returns the version with a URL, ignoring its query; undefined for other files. */
function versionOf(
  { sizes, details, url }: AttachmentData,
  src: string,
): Pick<ImageVersion, 'source_url' | 'width' | 'height'> | undefined {
  const path = src.split(/[?#]/, 1)[0]!.replaceAll('&amp;', '&')
  const version = Object.values(sizes).find((one) => one.source_url === path)
  if (version !== undefined || path !== url) return version
  // An image that is smaller than every size has its original only.
  const original = dimensionsOf(details)
  return original === null ? undefined : { ...original, source_url: url }
}
