/** What search engines are told of a link: nobody vouches for it, people who use the site wrote it. */
const MARKS = ['nofollow', 'ugc']

/**
 * Marks the links of a comment that lead away from the site, so that nobody gains rank by writing comments.
 * @param html well-formed, as the filter of HTML makes it
 * @param home address of the site
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

/** A web address by its scheme or by a usual beginning, or an email address. Everything is bounded: texts are anybody's. */
const ADDRESS =
  /(?<![\w@/.:&-])(?:(?:https?|ftps?):\/\/|www\.|ftp\.)[^\s<>"']{1,2000}|(?<![\w.+-])([\w.+-]{1,64}@(?:[a-z\d-]{1,63}\.){1,10}[a-z]{2,63})(?![\w-])/gi
/** What ends an address, escaped as HTML has it. */
const ENDS = /&(?:quot|lt|gt|nbsp|#0*3[49]|#x0*2[27]);/i

/** Makes a link of each address in a text without tags, marked as written by users where it leads away from `home`. */
export function linkAddresses(plain: string, home: string): string {
  return plain.replace(ADDRESS, linkOf)

  function linkOf(found: string, mail: string | undefined): string {
    if (mail !== undefined) return `<a href="mailto:${mail}">${mail}</a>`
    const given = withoutEnd(found)
    const address = (given.includes('://') ? given : `http://${given}`).replace(/&(?:amp;)?/g, '&#038;')
    // A beginning alone leads nowhere.
    if (!/^\w+:\/\/(?!(?:www|ftp)$)[\p{L}\d[]/iu.test(address)) return found
    return `${markLinks(`<a href="${address}">${address}</a>`, home)}${found.slice(given.length)}`
  }
}

/** An address without what belongs to the sentence around it. */
function withoutEnd(found: string): string {
  const end = found.search(ENDS)
  let address = end < 0 ? found : found.slice(0, end)
  let open = address.split('(').length - address.split(')').length
  for (;;) {
    const last = address.at(-1) ?? ''
    const isBracket = last === ')' && open < 0
    const isMark = '.,:!?'.includes(last) || (last === ';' && !/&#?\w{1,8};$/.test(address.slice(-11)))
    if (last === '' || !(isBracket || isMark)) return address
    if (isBracket) open += 1
    address = address.slice(0, -1)
  }
}
