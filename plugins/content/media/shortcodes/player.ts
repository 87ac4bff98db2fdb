import mime from 'mime'
import type { PluginContext } from '../../../../kernel/index.ts'
import { escapeHtml } from '../../../library/markup/index.ts'
import type { ShortcodeCallback } from './callback.ts'
import { attributesMarkup } from '../images/image-markup.ts'

type PlayerKind = 'audio' | 'video'

/** The media files of a player. */
interface Player {
  /** URLs of files with the same content; the first is the fallback link if browsers can play none. */
  urls: readonly [first: string, ...others: string[]]
  /** ID of the post that shows the player. */
  post: number
  /** Its number among the players of its kind in the post: 1 for the first. */
  number: number
  /** Whether the first player is preceded by a comment that makes old browsers show it. */
  hasShim: boolean
}

type Attributes = Readonly<Record<string, string>>
type Attribute = readonly [name: string, value: string | number]

/** Attributes that name the files besides `src`: one for each file type. */
const SOURCES: Readonly<Record<PlayerKind, readonly string[]>> = {
  audio: ['mp3', 'ogg', 'flac', 'm4a', 'wav', 'wma'],
  video: ['mp4', 'm4v', 'webm', 'ogv', 'flv'],
}
/** MIME types that browsers play. */
const TYPES: Readonly<Record<PlayerKind, RegExp>> = {
  audio: /^audio\//,
  video: /^video\/(?:mp4|x-m4v|webm|ogg|x-flv)$/,
}
const SWITCHES = ['loop', 'autoplay', 'muted']
const PRELOAD = ['auto', 'metadata', 'none']
/** Dimensions of a video without `width` and `height`, in pixels. */
const DEFAULT_DIMENSIONS = { width: 640, height: 360 }

/** Whether players are preceded by a comment for browsers that do not know them. */
export function hasPlayerShim({ since }: Pick<PluginContext, 'since'>): boolean {
  return !since('6.9')
}

/**
 * Creates the shortcodes `audio` and `video`: a player for the files in `src`, in the attributes for file types, or in
 * the unnamed attribute. `[video src="/film.mp4" webm="/film.webm" width="640" height="360" poster="/film.jpg"]`. Files
 * that browsers cannot play become a link; values that are not web URLs are ignored.
 * @param prefix of the class names
 * @param hasShim whether the first player is preceded by a comment that makes old browsers show it
 */
export function playerShortcode(prefix: string, kind: PlayerKind, hasShim: boolean): ShortcodeCallback {
  return (attributes, _content, { post, number }) => {
    const values = [attributes['src'], ...SOURCES[kind].map((name) => attributes[name]), attributes['0']]
    const [first, ...others] = new Set(values.filter((value) => value !== undefined && isWebUrl(value)) as string[])
    if (first === undefined) return ''
    return playerMarkup(prefix, kind, { urls: [first, ...others], post: post.id, number, hasShim }, attributes)
  }
}

/**
 * Renders a player for files, or a link if browsers can play none.
 * @param prefix of the class names
 * @param attributes of the shortcode
 */
export function playerMarkup(prefix: string, kind: PlayerKind, player: Player, attributes: Attributes = {}): string {
  const { urls, number, hasShim } = player
  const sources = urls.flatMap((src): [src: string, type: string][] => {
    const type = mime.getType(src.split(/[?#]/, 1)[0]!) ?? ''
    return TYPES[kind].test(type) ? [[src, type]] : []
  })
  const [first] = sources
  if (first === undefined) return linkMarkup(urls[0], `class="${prefix}-embedded-${kind}" `)
  const inside = sources.map(([src, type]) => sourceMarkup(src, type, number)).join('') + linkMarkup(first[0])
  const { width, height } = dimensionsOf(attributes)
  const elementAttrs = elementAttributes(prefix, kind, player, { ...attributes, width, height })
  const element = `<${kind} ${attributesMarkup(elementAttrs)}>${inside}</${kind}>`
  // Old browsers parse the content of an unknown element only if a script has created such an element.
  const shim = `<!--[if lt IE 9]><script>document.createElement('${kind}');</script><![endif]-->\n`
  const markup = `${hasShim && number === 1 ? shim : ''}${element}`
  return kind === 'audio' ? markup : `<div style="width: ${width}px;" class="${prefix}-video">${markup}</div>`
}

/** Returns the attributes of the `audio` or `video` element, in the order of WordPress. */
function elementAttributes(
  prefix: string,
  kind: PlayerKind,
  { post, number }: Player,
  attributes: Attributes,
): Attribute[] {
  const { width = '', height = '', poster = '' } = attributes
  const preload = PRELOAD.find((value) => value === attributes['preload'])
  const switches = SWITCHES.filter((name) => isOn(attributes[name])).map((name): Attribute => [name, 1])
  const common: Attribute[] = [
    ['class', attributes['class'] ?? `${prefix}-${kind}-shortcode`],
    ['id', `${kind}-${post}-${number}`],
  ]
  const own: Attribute[] =
    kind === 'audio'
      ? [...switches, ['preload', preload ?? 'none'], ['style', 'width: 100%;']]
      : [
          ['width', width],
          ['height', height],
          ...(isWebUrl(poster) ? [['poster', poster] as const] : []),
          ...switches,
          ['preload', preload ?? 'metadata'],
        ]
  return [...common, ...own, ['controls', 'controls']]
}

function sourceMarkup(src: string, type: string, number: number): string {
  // Two players of the same URL would share their playback position.
  const own = `${src}${src.includes('?') ? '&' : '?'}_=${number}`
  return `<source ${attributesMarkup([
    ['type', type],
    ['src', own],
  ])} />`
}

function dimensionsOf(attributes: Attributes): Record<'width' | 'height', string> {
  const side = (name: 'width' | 'height') =>
    String(Math.max(Number.parseInt(attributes[name] ?? '', 10) || 0, 0) || DEFAULT_DIMENSIONS[name])
  return { width: side('width'), height: side('height') }
}

/** Checks whether a URL is a web URL or a path of this site. */
function isWebUrl(url: string): boolean {
  return /^(?:https?:)?\/\/|^\/[^/]/i.test(url)
}

/** Renders a link to a file with its URL as text. @param attributes before `href` */
function linkMarkup(src: string, attributes = ''): string {
  return `<a ${attributes}href="${escapeHtml(src)}">${escapeHtml(src)}</a>`
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'off', 'no'].includes(value.toLowerCase())
}
