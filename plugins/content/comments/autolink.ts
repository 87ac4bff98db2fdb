/** What search engines are told of a link: nobody vouches for it, a user wrote it. */
const MARKS = ['nofollow', 'ugc']

/**
 * Marks the links of a comment that lead away from the site, so that nobody gains rank by writing comments.
 * @param html well-formed, as the filter of HTML makes it
 * @param home URL of the site
 */
export function markLinks(html: string, home: string): string {
  return html.replace(/<a\s([^>]*)>/gi, (tag, written: string) => {
    const attributes = [...written.matchAll(ATTRIBUTE)]
    const valueOf = (name: string) => attributes.find(([, known = '']) => known.toLowerCase() === name)?.[2] ?? ''
    const href = valueOf('href')
    if (!/^(?:https?:)?\/\//i.test(href) || href === home || href.startsWith(`${home}/`)) return tag
    const marks = new Set([
      ...valueOf('rel')
        .split(/\s+/)
        .filter((mark) => mark !== ''),
      ...MARKS,
    ])
    const others = attributes.filter(([, name = '']) => name.toLowerCase() !== 'rel').map(([attribute]) => attribute)
    return `<a ${[...others, `rel="${[...marks].join(' ')}"`].join(' ')}>`
  })
}

/** An attribute, its value passed over whole: what looks like another one in it is none. */
const ATTRIBUTE = /([^\s"=]+)(?:="([^"]*)")?/g

/** A URL with its scheme or with a usual beginning, or an email address. Everything is bounded: texts are anybody's. */
const URL_OR_EMAIL =
  /(?<![\w@/.:&-])(?:(?:https?|ftps?):\/\/|www\.|ftp\.)[^\s<>"']{1,2000}|(?<![\w.+-])([\w.+-]{1,64}@(?:[a-z\d-]{1,63}\.){1,10}[a-z]{2,63})(?![\w-])/gi
/** What ends a URL, escaped as HTML has it. */
const ENDS = /&(?:quot|lt|gt|nbsp|#0*3[49]|#x0*2[27]);/i

/** Makes links of URLs and email addresses in a text without tags, marked as written by users where they leave `home`. */
export function autolink(plain: string, home: string): string {
  return plain.replace(URL_OR_EMAIL, linkOf)

  function linkOf(found: string, mail: string | undefined): string {
    if (mail !== undefined) return `<a href="mailto:${mail}">${mail}</a>`
    const given = withoutEnd(found)
    const url = (given.includes('://') ? given : `http://${given}`).replace(/&(?:amp;)?/g, '&#038;')
    // A scheme alone leads nowhere.
    if (!/^\w+:\/\/(?!(?:www|ftp)$)[\p{L}\d[]/iu.test(url)) return found
    return `${markLinks(`<a href="${url}">${url}</a>`, home)}${found.slice(given.length)}`
  }
}

/** A URL without what belongs to the sentence around it. */
function withoutEnd(found: string): string {
  const end = found.search(ENDS)
  let url = end < 0 ? found : found.slice(0, end)
  let open = url.split('(').length - url.split(')').length
  for (;;) {
    const last = url.at(-1) ?? ''
    const isBracket = last === ')' && open < 0
    const isMark = '.,:!?'.includes(last) || (last === ';' && !/&#?\w{1,8};$/.test(url.slice(-11)))
    if (last === '' || !(isBracket || isMark)) return url
    if (isBracket) open += 1
    url = url.slice(0, -1)
  }
}
