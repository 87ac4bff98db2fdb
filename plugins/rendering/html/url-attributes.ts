/** Attributes that contain a URL; `srcset`, `ping` and a few others contain several. */
const ADDRESS_ATTRIBUTES: ReadonlySet<string> = new Set(
  (
    'action archive background cite classid codebase data formaction href icon imagesrcset longdesc manifest ping ' +
    'poster profile src srcset usemap xlink:href xmlns'
  ).split(' '),
)

const LISTS: ReadonlySet<string> = new Set(['archive', 'imagesrcset', 'ping', 'srcset'])

/** Characters that browsers ignore in front of and inside the scheme of a URL. */
// oxlint-disable-next-line no-control-regex -- these are the characters
const UNSEEN = /[\0- ]+/g

/** Whether every URL in the value of an attribute has an allowed scheme. */
export function isSafeAttribute(name: string, value: string, protocols: readonly string[]): boolean {
  if (!ADDRESS_ATTRIBUTES.has(name)) return true
  if (!LISTS.has(name)) return isSafeUrl(value, protocols)
  return value.split(/[\s,]+/).every((url) => isSafeUrl(url, protocols))
}

/**
 * Whether a URL is relative or has one of these schemes. Also refuses URLs that would get another scheme if their
 * entities were decoded a second time.
 */
export function isSafeUrl(url: string, protocols: readonly string[]): boolean {
  const plain = url.replace(UNSEEN, '')
  if (/^[^/?#]*&(?:#|colon|tab|newline)/i.test(plain)) return false
  const scheme = /^([^:/?#]*):/.exec(plain)?.[1]
  return scheme === undefined || protocols.includes(scheme.toLowerCase())
}

/** Whether a text is a URL that runs a script or opens a separate document in a browser. */
export function isScript(text: string): boolean {
  return /^(?:javascript:|vbscript:|data:(?!image\/(?:avif|gif|jpeg|png|webp)[;,])[\w.+-]*\/)/i.test(
    text.replace(UNSEEN, ''),
  )
}
