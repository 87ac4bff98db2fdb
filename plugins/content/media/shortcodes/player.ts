import mime from 'mime'
import { escapeHtml } from '../../../../kernel/index.ts'
import type { ShortcodeCallback } from '../../../rendering/shortcodes/index.ts'
import { attributesMarkup } from '../images/image-markup.ts'

/** What a player plays. */
type Playable = 'audio' | 'video'

/** Files to play that hold the same, and where they stand. */
interface Played {
  /** Addresses of the files; the first is linked to where no browser plays any. */
  addresses: readonly [first: string, ...others: string[]]
  /** Number of the post. */
  post: number
  /** How many players of the kind the post has up to it: 1 for the first. */
  number: number
}

type Given = Readonly<Record<string, string>>
type Attribute = readonly [name: string, value: string | number]

/** Attributes that name the files, beside `src`: one for each kind of file. */
const SOURCES: Readonly<Record<Playable, readonly string[]>> = {
  audio: ['mp3', 'ogg', 'flac', 'm4a', 'wav', 'wma'],
  video: ['mp4', 'm4v', 'webm', 'ogv', 'flv'],
}
/** MIME types of what browsers play: of the many kinds of video, a few. */
const TYPES: Readonly<Record<Playable, RegExp>> = {
  audio: /^audio\//,
  video: /^video\/(?:mp4|x-m4v|webm|ogg|x-flv)$/,
}
const SWITCHES = ['loop', 'autoplay', 'muted']
const PRELOADS = ['auto', 'metadata', 'none']
/** Pixels of a video that does not say its own. */
const USUAL_SIZE = { width: 640, height: 360 }

/**
 * The shortcodes `audio` and `video`: a player for the files that `src`, attributes named for their kind, or the text
 * alone name. A video has `width`, `height` and the picture that `poster` names. Files of other kinds, and addresses
 * that are none of the web, are a link or nothing.
 * @param prefix what the names of classes begin with
 */
export function playerShortcode(prefix: string, kind: Playable): ShortcodeCallback {
  return (given, _content, { post, number }) => {
    const named = [given['src'], ...SOURCES[kind].map((name) => given[name]), given['0']]
    const [first, ...others] = new Set(named.filter((value) => value !== undefined && isOfWeb(value)) as string[])
    if (first === undefined) return ''
    return playerMarkup(prefix, kind, { addresses: [first, ...others], post: post.id, number }, given)
  }
}

/**
 * A player for files; a link where browsers play none of them.
 * @param prefix what the names of classes begin with
 * @param given attributes as the shortcode has them
 */
export function playerMarkup(prefix: string, kind: Playable, played: Played, given: Given = {}): string {
  const { addresses, number, post } = played
  const sources = addresses.flatMap((src): [src: string, type: string][] => {
    const type = mime.getType(src.split(/[?#]/, 1)[0]!) ?? ''
    return TYPES[kind].test(type) ? [[src, type]] : []
  })
  const [first] = sources
  if (first === undefined) return linkTo(addresses[0], `class="${prefix}-embedded-${kind}" `)
  const preload = PRELOADS.find((way) => way === given['preload'])
  const switches = SWITCHES.filter((name) => isOn(given[name])).map((name): Attribute => [name, 1])
  const { width, height } = sizeOf(given)
  const poster = given['poster'] ?? ''
  const attributes: Attribute[] = [
    ['class', given['class'] ?? `${prefix}-${kind}-shortcode`],
    ['id', `${kind}-${post}-${number}`],
  ]
  if (kind === 'audio') attributes.push(...switches, ['preload', preload ?? 'none'], ['style', 'width: 100%;'])
  else {
    attributes.push(['width', width], ['height', height])
    if (isOfWeb(poster)) attributes.push(['poster', poster])
    attributes.push(...switches, ['preload', preload ?? 'metadata'])
  }
  attributes.push(['controls', 'controls'])
  const inside = sources.map(([src, type]) => sourceMarkup(src, type, number)).join('') + linkTo(first[0])
  // Browsers that know no such element find its content once they have made one.
  const made = `<!--[if lt IE 9]><script>document.createElement('${kind}');</script><![endif]-->\n`
  const player = `${number === 1 ? made : ''}<${kind} ${attributesMarkup(attributes)}>${inside}</${kind}>`
  return kind === 'audio' ? player : `<div style="width: ${width}px;" class="${prefix}-video">${player}</div>`
}

function sourceMarkup(src: string, type: string, number: number): string {
  // Two players of one file would share their place in it.
  const own = `${src}${src.includes('?') ? '&' : '?'}_=${number}`
  return `<source ${attributesMarkup([['type', type], ['src', own]])} />` // prettier-ignore
}

function sizeOf(given: Given): typeof USUAL_SIZE {
  const side = (name: 'width' | 'height') =>
    Math.max(Number.parseInt(given[name] ?? '', 10) || 0, 0) || USUAL_SIZE[name]
  return { width: side('width'), height: side('height') }
}

/** Whether an address is one of the web, or of this site. */
function isOfWeb(address: string): boolean {
  return /^(?:https?:)?\/\/|^\/[^/]/i.test(address)
}

/** A link to a file, by its address. @param attributes before the address */
function linkTo(src: string, attributes = ''): string {
  return `<a ${attributes}href="${escapeHtml(src)}">${escapeHtml(src)}</a>`
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'off', 'no'].includes(value.toLowerCase())
}
