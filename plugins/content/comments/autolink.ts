/** Values of `rel` for links in comments: search engines must not count links that users write as endorsements. */
const MARKS = ['nofollow', 'ugc']

/**
 * Adds `rel="nofollow ugc"` to the links of a comment that lead to other sites, so that comment spam gains no rank.
 * @param html well-formed HTML, as the HTML filter returns it
 * @param home URL of the site
 */
export function markLinks(html: string, home: string): string {
  return html.replace(/<a\s([^>]*)>/gi, (tag, written: string) => {
    const attributes = [...written.matchAll(ATTRIBUTE)]
    const valueOf = (name: string) =>
      attributes.find(([, attribute = '']) => attribute.toLowerCase() === name)?.[2] ?? ''
    const href = valueOf('href')
    if (!/^(?:https?:)?\/\//i.test(href) || href === home || href.startsWith(`${home}/`)) return tag
    const marks = new Set([
      ...valueOf('rel')
        .split(/\s+/)
        .filter((mark) => mark !== ''),
      ...MARKS,
    ])
    const otherAttributes = attributes
      .filter(([, name = '']) => name.toLowerCase() !== 'rel')
      .map(([attribute]) => attribute)
    return `<a ${[...otherAttributes, `rel="${[...marks].join(' ')}"`].join(' ')}>`
  })
}

/** Matches an attribute together with its quoted value, so that a `name=` inside the value does not match. */
const ATTRIBUTE = /([^\s"=]+)(?:="([^"]*)")?/g

/**
 * Matches a URL with a scheme or a common prefix, or an email address. Repetitions are bounded because visitors write
 * the texts.
 */
const URL_OR_EMAIL =
  /(?<![\w@/.:&-])(?:(?:https?|ftps?):\/\/|www\.|ftp\.)[^\s<>"']{1,2000}|(?<![\w.+-])([\w.+-]{1,64}@(?:[a-z\d-]{1,63}\.){1,10}[a-z]{2,63})(?![\w-])/gi
/**
 * Entities, quotation marks, and punctuation of scripts without spaces, which end a URL even if text follows. The
 * apostrophe `’` is not among them, because addresses contain it.
 */
const ENDS =
  /&(?:quot|lt|gt|nbsp|#0*3[49]|#x0*2[27]|[rlb]dquo|[rl]aquo|hellip|#82(?:2[0-2]|30)|#1(?:71|87));|[“”„«»…。、，！？；：」』】〕）〉》]/i

/**
 * Turns URLs and email addresses of a text without tags into links; links to sites other than `home` get `rel="nofollow
 * ugc"`.
 */
export function autolink(plain: string, home: string): string {
  return plain.replace(URL_OR_EMAIL, linkOf)

  function linkOf(match: string, mail: string | undefined): string {
    if (mail !== undefined) return `<a href="mailto:${mail}">${mail}</a>`
    const trimmed = trimUrl(match)
    const url = (trimmed.includes('://') ? trimmed : `http://${trimmed}`).replace(/&(?:amp;)?/g, '&#038;')
    // A scheme without a host is not a link.
    if (!/^\w+:\/\/(?!(?:www|ftp)$)[\p{L}\d[]/iu.test(url)) return match
    return `${markLinks(`<a href="${url}">${url}</a>`, home)}${match.slice(trimmed.length)}`
  }
}

/**
 * Matches punctuation that ends a sentence or a quotation, in any script: `.`, `”`, `»`, `…`, `。`, `」`, `؟`. Closing
 * brackets of ASCII are not included, because addresses contain them.
 */
const SENTENCE_MARK = /[.,:!?]|(?![\p{ASCII}])[\p{Pe}\p{Pf}\p{Pi}\p{Po}]/u

/** Removes trailing punctuation and unbalanced closing brackets, which belong to the sentence around the URL. */
function trimUrl(match: string): string {
  const end = match.search(ENDS)
  let url = end < 0 ? match : match.slice(0, end)
  let open = url.split('(').length - url.split(')').length
  for (;;) {
    const last = url.at(-1) ?? ''
    const isBracket = last === ')' && open < 0
    const isMark = SENTENCE_MARK.test(last) || (last === ';' && !/&#?\w{1,8};$/.test(url.slice(-11)))
    if (last === '' || !(isBracket || isMark)) return url
    if (isBracket) open += 1
    url = url.slice(0, -1)
  }
}
