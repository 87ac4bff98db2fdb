// Tables.
import { tagSource } from '../html.js'
import { isElement, onlyElement, withoutSpaces } from './parts.js'

/** @typedef {import('../codecs.js').Codec} Codec */
/** @typedef {import('../html.js').ElementPart} ElementPart */
/** @typedef {import('../read.js').BlockReader} BlockReader */
/** @typedef {import('../write.js').BlockWriter} BlockWriter */
/** @typedef {import('@tiptap/pm/model').Node} Node */

/** @type {Readonly<Record<string, string>>} */
const SECTIONS = { thead: 'head', tbody: 'body', tfoot: 'foot' }

/** @type {Codec} */
export const tableCodec = {
  block: 'core/table',
  nodes: ['tableBlock'],
  colorRole: 'table',
  // Since version 6.8 new tables have columns of equal width.
  defaults: { hasFixedLayout: true },
  classes: ({ hasFixedLayout }, role) => (role === 'table' && hasFixedLayout !== false ? ['has-fixed-layout'] : []),
  read(reader) {
    const element = onlyElement(reader.parts, 'figure')
    const [table, caption, ...others] = element === null ? [] : withoutSpaces(element.children)
    if (element === null || !isElement(table, 'table') || others.length > 0) return null
    if (caption !== undefined && !isElement(caption, 'figcaption')) return null
    const text = caption === undefined ? null : reader.part('caption', caption.children)
    const rows = rowsOf(reader, table)
    if (rows === null || rows.length === 0 || (caption !== undefined && text === null)) return null
    const tags = { main: element.open, table: table.open, ...(caption === undefined ? {} : { caption: caption.open }) }
    const grid = reader.create('table', {}, rows)
    return { tags, content: text === null ? [grid] : [grid, text] }
  },
  write(writer) {
    const [table, caption] = writer.children
    const initial = '<figcaption class="wp-element-caption">'
    const html = caption === undefined ? '' : writer.text(caption)
    const text = html === '' ? '' : `${writer.tag('caption', initial)}${html}</figcaption>`
    const grid = `${writer.tag('table', '<table class="has-fixed-layout">')}${table === undefined ? '' : sectionsOf(writer, table)}</table>`
    return `${writer.tag('main', '<figure class="wp-block-table">')}${grid}${text}</figure>`
  },
}

/**
 * Returns the rows of a table, or null if they cannot be read.
 * @param {Pick<BlockReader, 'part' | 'schema'>} reader
 * @param {Pick<ElementPart, 'children'>} table
 * @returns {Node[] | null}
 */
export function rowsOf(reader, table) {
  /** @type {Node[]} */
  const rows = []
  for (const section of withoutSpaces(table.children)) {
    if (!isElement(section, 'thead', 'tbody', 'tfoot') || Object.keys(section.attributes).length > 0) return null
    for (const row of withoutSpaces(section.children)) {
      if (!isElement(row, 'tr')) return null
      const cells = withoutSpaces(row.children).map((cell) => cellOf(reader, cell))
      // A row without cells is valid: all of them can be merged with cells above.
      if (cells.includes(null)) return null
      const { attributes } = row
      const content = cells.filter((cell) => cell !== null)
      rows.push(reader.schema.node('tableRow', { section: SECTIONS[section.tag], attributes }, content))
    }
  }
  return rows
}

/**
 * @param {Pick<BlockReader, 'part' | 'schema'>} reader
 * @param {import('../html.js').HtmlPart} cell
 */
function cellOf(reader, cell) {
  if (!isElement(cell, 'td', 'th')) return null
  const { colspan, rowspan, ...attributes } = cell.attributes
  const spans = { colspan: spanOf(colspan), rowspan: spanOf(rowspan) }
  return reader.part(cell.tag === 'th' ? 'tableHeader' : 'tableCell', cell.children, { ...spans, attributes })
}

/** @param {string | null | undefined} value */
function spanOf(value) {
  const span = Number(value ?? 1)
  return Number.isInteger(span) && span > 0 && span <= 1000 ? span : 1
}

/** Returns the rows of a table in `<thead>`, `<tbody>` and `<tfoot>`. @param {BlockWriter} writer @param {Node} table */
export function sectionsOf(writer, table) {
  /** @type {{ tag: string, rows: string }[]} */
  const sections = []
  table.forEach((row, _, index) => {
    const tag = sectionTag(table, index)
    const last = sections[sections.length - 1]
    const html = `${tagSource('tr', row.attrs['attributes'])}${cellsOf(writer, row)}</tr>`
    if (last?.tag === tag) last.rows += html
    else sections.push({ tag, rows: html })
  })
  return sections.map(({ tag, rows }) => `<${tag}>${rows}</${tag}>`).join('')
}

/**
 * The head is at the beginning and the foot at the end; a row that was moved between them belongs to the body.
 * @param {Node} table @param {number} index
 */
function sectionTag(table, index) {
  /** @param {string} section @param {number} from @param {number} to */
  const areAll = (section, from, to) => {
    for (let at = from; at < to; at += 1) if (table.child(at).attrs['section'] !== section) return false
    return true
  }
  if (areAll('head', 0, index + 1)) return 'thead'
  return areAll('foot', index, table.childCount) ? 'tfoot' : 'tbody'
}

/** @param {BlockWriter} writer @param {Node} row */
function cellsOf(writer, row) {
  /** @type {string[]} */
  const cells = []
  row.forEach((cell) => {
    const tag = cell.type.name === 'tableHeader' ? 'th' : 'td'
    const { attributes, colspan, rowspan } = cell.attrs
    const spans = {
      ...(colspan > 1 ? { colspan: String(colspan) } : {}),
      ...(rowspan > 1 ? { rowspan: String(rowspan) } : {}),
    }
    cells.push(`${tagSource(tag, { ...attributes, ...spans })}${writer.text(cell)}</${tag}>`)
  })
  return cells.join('')
}
