import { parse, type DefaultTreeAdapterTypes } from 'parse5'

const URLS: ReadonlySet<string> = new Set([
  'href',
  'src',
  'action',
  'formaction',
  'data',
  'poster',
  'srcset',
  'xlink:href',
])

/**
 * Returns the code that a browser would run in a page: event handlers, scripts and `javascript:` URLs.
 * @param isOwn whether a script belongs to the site, by its attributes
 */
export function dangersIn(html: string, isOwn: (attributes: ReadonlyMap<string, string>) => boolean): string[] {
  const found: string[] = []
  const walk = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('attrs' in node) {
      const attributes = new Map(node.attrs.map(({ name, value }) => [name, value]))
      for (const [name, value] of attributes) {
        if (name.startsWith('on') || name === 'srcdoc') found.push(`${node.tagName} ${name}`)
        // oxlint-disable-next-line no-control-regex -- browsers ignore these characters in URLs
        const bare = value.replace(/[\0-\x20]/g, '')
        const isScript = /^(?:javascript|vbscript|data:text)/i.test(bare)
        if (URLS.has(name) && isScript) found.push(`${node.tagName} ${name}=${value}`)
      }
      if (node.tagName === 'script' && !isOwn(attributes)) found.push('script')
      if (['base', 'object', 'embed', 'applet'].includes(node.tagName)) found.push(node.tagName)
    }
    if ('content' in node) walk(node.content)
    if ('childNodes' in node) node.childNodes.forEach(walk)
  }
  walk(parse(html))
  return found
}
