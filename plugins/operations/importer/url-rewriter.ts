import { exportedNames } from '../../library/branding/index.ts'
import { trimEndSlashes } from '../../../kernel/index.ts'

/** Where the site was and where it is now. URLs without a slash at their end. */
export interface Move {
  /** Old home URL, `http://old.example.com` or with a path. */
  from: string
  /** New home URL. */
  to: string
  /** New URL of the uploads, `https://new.example.com/uploads`. */
  uploads: string
}

/** Changes old URLs in a text to new ones. */
export type Rewrite = (text: string) => string

/** Where the old home keeps its media files: also below a folder of the program, and for one site of several. */
const OLD_UPLOADS = exportedNames.uploads
const FOLDERS = '(?:/[\\w-]+){0,2}?'
const ONE_OF_SEVERAL = '(?:/sites/\\d+)?'

/**
 * Makes the function that rewrites URLs of the old home, and those of its uploads, in any text: HTML, URLs, JSON. Found
 * are `http` and `https`, URLs without scheme (`//host/…`) and those with escaped slashes (`http:\/\/host`); each keeps
 * its form. A longer host, port or path name (`http://old.example.community`) is another place and stays, as does an old
 * URL inside another (`https://archive.example/http://old.example.com`). Media URLs that begin at the root
 * (`src="/…/uploads/…"`) are changed too.
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
    // Most texts hold no old URL: the pattern is not tried on them.
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

/** The pattern with every slash as it may be in JSON. */
function slashes(pattern: string): string {
  return pattern.replaceAll('/', '\\\\?/')
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
