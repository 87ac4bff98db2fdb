/** What search engines are told of a link: nobody vouches for it, people who use the site wrote it. */
const MARKS = ['nofollow', 'ugc']

/**
 * Marks the links of a comment that lead away from the site, so that nobody gains rank by writing comments.
 * @param html well-formed, as the filter of HTML makes it
 * @param home address of the site
 */
export function markLinks(html: string, home: string): string {
  return html.replace(/<a\s([^>]*)>/gi, (tag, attributes: string) => {
    const [, href = ''] = /(?:^|\s)href="([^"]*)"/i.exec(attributes) ?? []
    if (!/^(?:https?:)?\/\//i.test(href) || href === home || href.startsWith(`${home}/`)) return tag
    const [rel, given = ''] = /\s*\brel="([^"]*)"/i.exec(attributes) ?? []
    const marks = new Set([...given.split(/\s+/).filter((mark) => mark !== ''), ...MARKS])
    const others = rel === undefined ? attributes : attributes.replace(rel, '')
    return `<a ${others.trim()} rel="${[...marks].join(' ')}">`
  })
}
