import { exportedNames } from '../../library/branding/index.ts'
import { trimEndSlashes } from '../../../kernel/index.ts'

/** The old and new location of a site. URLs without a trailing slash. */
export interface Move {
  /** Old home URL: `http://old.example.com`, optionally with a path. */
  from: string
  /** New home URL. */
  to: string
  /** New URL of the uploads: `https://new.example.com/uploads`. */
  uploads: string
}

/** Replaces old URLs in a text with new ones. */
export type Rewrite = (text: string) => string

/** Path of media files below the old home URL, optionally below further folders, and for one site of a network. */
const OLD_UPLOADS = exportedNames.uploads
const FOLDERS = '(?:/[\\w-]+){0,2}?'
const ONE_OF_SEVERAL = '(?:/sites/\\d+)?'

/** Subdomains, such as that of a CDN, and hosts of a service that resizes images, before the host of the old site. */
const MEDIA_HOSTS = `(?:(?:[\\w-]{1,63}\\.){1,4}|${exportedNames.imageService}/(?:www\\.)?)`
/** The rest of the URL of an image file with parameters. */
const IMAGE = String.raw`(?:([^\s"'<>?]{1,500}\.(?:jpe?g|png|gif|webp|avif))\?([\w.,%=&;#\\-]{1,300}))`
/** Parameters that select a size or a quality of an image. */
const RESIZING = /^(?:w|h|width|height|resize|fit|crop|quality|strip|ssl|zoom|lb|filter)=/

/**
 * Creates a function that rewrites URLs of the old home and its uploads in any text: HTML, URLs, JSON. It finds `http`
 * and `https` URLs, with and without `www.`, URLs without a scheme (`//host/…`) and URLs with escaped slashes
 * (`http:\/\/host`), and keeps their form. A longer host, port or path (`http://old.example.community`) does not match,
 * nor does an old URL within another URL (`https://archive.example/http://old.example.com`). Media URLs of subdomains
 * and of image services are rewritten too, without parameters that resize the image (`?w=300`), as are root-relative
 * ones (`src="/…/uploads/…"`).
 */
export function urlRewriter({ from, to, uploads }: Move): Rewrite {
  const place = /^https?:\/\/(?:www\.)?([^/?#]+)(\/[^?#]*?)?\/*$/i.exec(from.trim())
  if (place === null) return (text) => text
  const host = place[1] ?? ''
  const path = place[2] ?? ''
  const start = String.raw`(?:(?<!/)(https?:)|(?<![\w:/\\]))(\\?/)\\?/`
  const media = `(${slashes(FOLDERS + OLD_UPLOADS + ONE_OF_SEVERAL)}(?![\\w.-]))`
  const anywhere = new RegExp(
    `${start}(?:www\\.)?${slashes(escape(host + path))}${media}?(?![\\w@%-]|:\\d|\\.[\\w-])`,
    'gi',
  )
  const ofMediaHosts = new RegExp(`${start}${slashes(MEDIA_HOSTS + escape(host + path))}${media}${IMAGE}?`, 'gi')
  const fromRoot = new RegExp(`(?<=["'(=])${escape(path)}${OLD_UPLOADS}${ONE_OF_SEVERAL}(?=/)`, 'g')
  const newRoot = trimEndSlashes(new URL(uploads).pathname)
  const needle = host.toLowerCase()
  return (text) => {
    // Most texts contain no old URL; this check avoids running the patterns on them.
    const moved = text.toLowerCase().includes(needle) ? moveIn(text) : text
    return moved.includes(OLD_UPLOADS) ? moved.replace(fromRoot, newRoot) : moved
  }

  function moveIn(text: string): string {
    return text
      .replace(anywhere, (_match, scheme: string | undefined, slash: string, folder: string | undefined) =>
        inForm(folder === undefined ? to : uploads, scheme, slash),
      )
      .replace(ofMediaHosts, (_match, scheme: string | undefined, slash: string, _folder, file = '', query = '') => {
        return inForm(uploads, scheme, slash) + file + (isResizing(query) ? '' : `?${query}`)
      })
  }
}

/** Whether the parameters of an image service only select a size or a quality. */
function isResizing(query: string): boolean {
  return query === '' || query.split(/&(?:amp;|#0?38;)?|\\u0026/).every((parameter) => RESIZING.test(parameter))
}

/** Writes a URL with or without a scheme, and with escaped slashes if the old one had them. */
function inForm(url: string, scheme: string | undefined, slash: string): string {
  const target = scheme === undefined ? url.replace(/^https?:/i, '') : url
  return slash === '/' ? target : target.replaceAll('/', slash)
}

/** Makes the pattern match escaped slashes, as in JSON. */
function slashes(pattern: string): string {
  return pattern.replaceAll('/', '\\\\?/')
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
