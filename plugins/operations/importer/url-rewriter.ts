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

/**
 * Creates a function that rewrites URLs of the old home and its uploads in any text: HTML, URLs, JSON. It finds `http`
 * and `https` URLs, URLs without a scheme (`//host/…`) and URLs with escaped slashes (`http:\/\/host`), and keeps their
 * form. A longer host, port or path (`http://old.example.community`) does not match, nor does an old URL within another
 * URL (`https://archive.example/http://old.example.com`). Root-relative media URLs (`src="/…/uploads/…"`) are rewritten
 * too.
 */
export function urlRewriter({ from, to, uploads }: Move): Rewrite {
  const place = /^https?:\/\/([^/?#]+)(\/[^?#]*?)?\/*$/i.exec(from.trim())
  if (place === null) return (text) => text
  const host = place[1] ?? ''
  const path = place[2] ?? ''
  const anywhere = new RegExp(
    `(?:(?<!/)(https?:)|(?<![\\w:/\\\\]))(\\\\?/)\\\\?/${slashes(escape(host + path))}` +
      `(${slashes(FOLDERS + OLD_UPLOADS + ONE_OF_SEVERAL)}(?![\\w.-]))?(?![\\w@%-]|:\\d|\\.[\\w-])`,
    'gi',
  )
  const fromRoot = new RegExp(`(?<=["'(=])${escape(path)}${OLD_UPLOADS}${ONE_OF_SEVERAL}(?=/)`, 'g')
  const newRoot = trimEndSlashes(new URL(uploads).pathname)
  const needle = host.toLowerCase()
  return (text) => {
    // Most texts contain no old URL; this check avoids running the pattern on them.
    const moved = text.toLowerCase().includes(needle)
      ? text.replace(anywhere, (_match, scheme: string | undefined, slash: string, media: string | undefined) => {
          const url = media === undefined ? to : uploads
          const target = scheme === undefined ? url.replace(/^https?:/i, '') : url
          return slash === '/' ? target : target.replaceAll('/', slash)
        })
      : text
    return moved.includes(OLD_UPLOADS) ? moved.replace(fromRoot, newRoot) : moved
  }
}

/** Makes the pattern match escaped slashes, as in JSON. */
function slashes(pattern: string): string {
  return pattern.replaceAll('/', '\\\\?/')
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
