import {
  defaultTreeAdapter as tree,
  html as known,
  parseFragment,
  serialize,
  type DefaultTreeAdapterTypes,
} from 'parse5'

type Node = DefaultTreeAdapterTypes.ChildNode
type Element = DefaultTreeAdapterTypes.Element

// Lists of their own, written down again: a slip in those of the filter is not to hide itself here.

/** Elements allowed in the rendered text of a contributor, including those of shortcodes and blocks. */
const ELEMENTS: ReadonlySet<string> = words(
  'a abbr acronym address area article aside audio b bdo big blockquote br button caption center cite code col colgroup ' +
    'dd del details dfn div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ' +
    'ins kbd label legend li main map mark menu nav object ol p pre q rb rp rt rtc ruby s samp section small source ' +
    'span strike strong sub summary sup table tbody td textarea tfoot th thead tr track tt u ul var video',
)
/** Attributes that any of them may have. */
const ATTRIBUTES: ReadonlySet<string> = words(
  'abbr align alt autoplay axis bgcolor border cellpadding cellspacing char charoff cite class color cols colspan ' +
    'controls coords data datetime decoding default dir disabled download face for headers height hidden href hspace id ' +
    'kind label lang loading longdesc loop muted name nohref noshade nowrap open playsinline poster preload readonly ' +
    'rel rev reversed role rows rowspan rules scope shape size sizes span src srclang srcset start style summary target ' +
    'title type usemap valign value vspace width xml:lang',
)
/** Names of custom attributes, and ARIA descriptions. */
const FAMILIES = /^(?:aria|data)(?:-[a-z0-9_]+)+$/
/** Names that scripts of a page take for instructions. */
const DIRECTIVE = /^data-(?:wp|svc)(?:-|$)|-bind(?:-|$)/
/** Attributes that browsers or programs take for a URL, the lists of them apart. */
const URL_ATTRIBUTES: ReadonlySet<string> = words('cite data href longdesc poster src usemap')
const SCHEMES: ReadonlySet<string> = words(
  'http: https: ftp: ftps: mailto: news: irc: irc6: ircs: gopher: nntp: feed: telnet: mms: rtsp: sms: svn: tel: fax: ' +
    'xmpp: webcal: urn:',
)
/** What a property of a style may be called. */
const PROPERTY =
  /^(?:--[\w-]+|(?:align|background|border|column|flex|font|grid|justify|list-style|margin|max|min|object|overflow|padding|row|text|vertical)(?:-[a-z-]+)?|caption-side|clear|color|columns|cursor|direction|filter|float|gap|height|letter-spacing|line-height|width)$/
/** What no value of a style may hold. */
const FOREIGN = /[\\<>{}@]|expression|javascript|vbscript|behavior|binding|image-set|element\(|src\(|attr\(|env\(|\/\*/i
const URLS = /url\(\s*(?:"([^"]*)"|'([^']*)'|([^)]*))\)/gi

/** What stands behind a text in a page: a text that does not end its tags swallows some of it. */
const AFTER = '<i title="after">k</i>'
/** How often a text is written and read again: what scripts of a page do with it. */
const ROUNDS = 3
/** Elements that a page may put a text in, where browsers read it in another way. */
const CONTEXTS = ['table', 'select', 'p'].map(contextOf)
const PAGE = contextOf('div')

/**
 * What of HTML runs, styles or embeds something that its writer has no right to, as a browser's parser reads it; read
 * again as many times as scripts might, with scripts on and off.
 * @param base URL of the page that it stands in
 */
export function unsafeHtml(html: string, base: string): string[] {
  const found = new Set<string>()
  for (const scriptingEnabled of [true, false]) {
    let text = html
    for (let round = 0; round < ROUNDS; round += 1) {
      const read = parseFragment(PAGE, `${text}${AFTER}`, { scriptingEnabled })
      const before = found.size
      if (!checkNodes(read.childNodes, base, found)) found.add('what follows it')
      if (found.size > before) return [...found]
      const written = serialize(read, { scriptingEnabled })
      if (written === `${text}${AFTER}`) break
      text = written
    }
  }
  for (const context of CONTEXTS) {
    checkNodes(parseFragment(context, html, { scriptingEnabled: true }).childNodes, base, found)
  }
  return [...found]
}

/** Markup in a text that is to have none, as a browser's parser reads it. */
export function markupIn(text: string): string[] {
  const nodes = parseFragment(PAGE, `${text}${AFTER}`, {}).childNodes
  const marks = nodes.filter((node) => node.nodeName !== '#text').map((node) => `markup ${node.nodeName}`)
  return marks.length === 1 && isAfter(nodes.at(-1)!) ? [] : marks
}

/** Returns why a URL is unsafe in a link; empty if it is safe. */
export function unsafeUrl(url: string, base: string): string[] {
  let protocol: string
  try {
    ;({ protocol } = new URL(url, base))
  } catch {
    // What is no URL leads nowhere.
    return []
  }
  return SCHEMES.has(protocol) ? [] : [`URL ${protocol}`]
}

/** Whether what stands behind the text is there. */
function checkNodes(nodes: readonly Node[], base: string, found: Set<string>): boolean {
  let whole = false
  for (const node of nodes) {
    // Another parser may end it earlier, but for those that players bring.
    if (tree.isCommentNode(node) && /[<>]|--/.test(node.data) && !PLAYERS.has(node.data)) found.add('comment')
    if (!tree.isElementNode(node)) continue
    checkElement(node, base, found)
    if (isAfter(node)) whole = true
    else if (checkNodes(node.childNodes, base, found)) whole = true
  }
  return whole
}

function isAfter(node: Node): boolean {
  return tree.isElementNode(node) && tree.getTagName(node) === 'i' && node.attrs[0]?.value === 'after'
}

/** What players say to browsers that know no such element. */
const PLAYERS: ReadonlySet<string> = new Set(
  ['audio', 'video'].map((kind) => `[if lt IE 9]><script>document.createElement('${kind}');</script><![endif]`),
)

function checkElement({ tagName, namespaceURI, attrs }: Element, base: string, found: Set<string>): void {
  if (!ELEMENTS.has(tagName) || namespaceURI !== known.NS.HTML) found.add(`element ${tagName}`)
  for (const { name, value } of attrs) {
    if (FAMILIES.test(name) ? DIRECTIVE.test(name) : !ATTRIBUTES.has(name)) found.add(`attribute ${name}`)
    if (URL_ATTRIBUTES.has(name)) for (const problem of unsafeUrl(value, base)) found.add(`${problem} in ${name}`)
    if (name === 'srcset') {
      for (const part of value.split(/[\s,]+/))
        for (const problem of unsafeUrl(part, base)) found.add(`${problem} in srcset`)
    }
    if (name === 'style') for (const problem of unsafeStyle(value, base)) found.add(problem)
    if (tagName === 'object' && name === 'data' && !value.startsWith(`${base}/`)) found.add('object')
  }
}

function unsafeStyle(style: string, base: string): string[] {
  const found: string[] = []
  if (FOREIGN.test(style.replace(URLS, ''))) found.push(`style ${style}`)
  for (const [, double, single, bare = ''] of style.matchAll(URLS)) {
    found.push(...unsafeUrl((double ?? single ?? bare).trim(), base).map((problem) => `${problem} in style`))
  }
  const plain = style.replace(/"[^"]*"|'[^']*'/g, '').replace(/\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '')
  for (const declaration of plain.split(';')) {
    const [name = '', value] = declaration.split(':')
    if (declaration.trim() !== '' && (value === undefined || !PROPERTY.test(name.trim().toLowerCase()))) {
      found.push(`style ${declaration.trim()}`)
    }
  }
  return found
}

function contextOf(name: string): Element {
  return tree.createElement(name, known.NS.HTML, [])
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}
