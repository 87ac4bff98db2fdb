/** A parsed block. */
export interface Block {
  /** Namespace and name, such as `core/paragraph`; null for HTML outside of blocks. */
  readonly name: string | null
  /** Attributes as written in the content, without defaults. */
  readonly attributes: Readonly<Record<string, unknown>>
  /** HTML and inner blocks, in document order. */
  readonly inner: readonly (string | Block)[]
}

/** Prefix for names that are written without a namespace. */
const CORE = 'core/'

/** Maximum nesting depth. Comments of deeper blocks are removed and their content is kept. */
const MAX_DEPTH = 100

interface Open {
  name: string
  attributes: Record<string, unknown>
  inner: (string | Block)[]
}

/**
 * Parses content into blocks in one pass: `<!-- svc:spacer {"height":"9px"} /-->`. An unclosed block ends with its
 * parent; a closing comment without an opening comment is dropped; attributes that are not a JSON object are ignored.
 * All other comments remain as HTML.
 * @param mark prefix of block names in comments
 */
export function parseBlocks(content: string, mark: string): Block[] {
  const start = new RegExp(`<!--\\s+(/?)${mark}:((?:[a-z][a-z0-9_-]*/)?[a-z][a-z0-9_-]*)(?=\\s|/)`, 'y')
  const root: Open = { name: '', attributes: {}, inner: [] }
  const open: Open[] = [root]
  /** Number of open blocks beyond `MAX_DEPTH`. */
  let tooDeep = 0
  let begin = 0
  const addHtml = (end: number) => {
    if (end > begin) open.at(-1)!.inner.push(content.slice(begin, end))
  }
  const close = () => {
    const { name, attributes, inner } = open.pop()!
    open.at(-1)!.inner.push({ name, attributes, inner })
  }
  let end = -1
  for (let at = content.indexOf('<!--'); at >= 0; at = content.indexOf('<!--', at)) {
    // Search the end once, even if many comments open before it: keeps parsing linear.
    if (end < at + 4) end = content.indexOf('-->', at + 4)
    if (end < 0) break
    start.lastIndex = at
    const [found, slash, written = ''] = start.exec(content) ?? []
    if (found === undefined || at + found.length > end) {
      at += 4
      continue
    }
    addHtml(at)
    const name = written.includes('/') ? written : `${CORE}${written}`
    const rest = content.slice(at + found.length, end).trim()
    begin = end + 3
    at = begin
    if (slash === '/') {
      const opened = open.findLastIndex((one, index) => index > 0 && one.name === name)
      if (tooDeep > 0) tooDeep -= 1
      else if (opened > 0) while (open.length > opened) close()
    } else if (rest.endsWith('/')) {
      open.at(-1)!.inner.push({ name, attributes: attributesOf(rest.slice(0, -1)), inner: [] })
    } else if (open.length > MAX_DEPTH) tooDeep += 1
    else open.push({ name, attributes: attributesOf(rest), inner: [] })
  }
  addHtml(content.length)
  while (open.length > 1) close()
  return root.inner.map((part) => (typeof part === 'string' ? { name: null, attributes: {}, inner: [part] } : part))
}

function attributesOf(json: string): Record<string, unknown> {
  if (!json.trimStart().startsWith('{')) return {}
  try {
    const { ['__proto__']: _, ...attributes } = JSON.parse(json) as Record<string, unknown>
    return attributes
  } catch {
    return {}
  }
}

/** Returns the HTML of blocks without block comments. */
export function htmlOf(parts: readonly (string | Block)[]): string {
  let html = ''
  for (const part of parts) html += typeof part === 'string' ? part : htmlOf(part.inner)
  return html
}
