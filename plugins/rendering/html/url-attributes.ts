/** Attributes that hold a URL; `srcset` and `ping` hold several. */
const ADDRESS_ATTRIBUTES: ReadonlySet<string> = new Set(
  (
    'action archive background cite classid codebase data formaction href icon imagesrcset longdesc manifest ping ' +
    'poster profile src srcset usemap xlink:href xmlns'
  ).split(' '),
)

const LISTS: ReadonlySet<string> = new Set(['archive', 'imagesrcset', 'ping', 'srcset'])

/** What browsers leave out of a URL before they look for its scheme. */
// oxlint-disable-next-line no-control-regex -- these are the characters
const UNSEEN = /[\0- ]+/g

/** Whether the value of an attribute holds no URL of a scheme that may not be there. */
export function isSafeAttribute(name: string, value: string, protocols: readonly string[]): boolean {
  if (!ADDRESS_ATTRIBUTES.has(name)) return true
  if (!LISTS.has(name)) return isSafeUrl(value, protocols)
  return value.split(/[\s,]+/).every((url) => isSafeUrl(url, protocols))
}

/**
 * Whether a URL is relative, or of one of these schemes. What might be read as another scheme by somebody who
 * decodes entities once more is refused.
 */
export function isSafeUrl(url: string, protocols: readonly string[]): boolean {
  const plain = url.replace(UNSEEN, '')
  if (/^[^/?#]*&(?:#|colon|tab|newline)/i.test(plain)) return false
  const scheme = /^([^:/?#]*):/.exec(plain)?.[1]
  return scheme === undefined || protocols.includes(scheme.toLowerCase())
}

/** Whether a text is a URL that runs as a program, or is a document of its own, where a browser opens it. */
export function isScript(text: string): boolean {
  return /^(?:javascript:|vbscript:|data:(?!image\/(?:avif|gif|jpeg|png|webp)[;,])[\w.+-]*\/)/i.test(
    text.replace(UNSEEN, ''),
  )
}
