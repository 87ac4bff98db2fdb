import { isTrue, recordOf, textOf } from './fields.ts'
import { readHtaccess } from './htaccess.ts'

/** A redirect as an export contains it, and the group of the export that it belongs to. */
export interface ImportedRedirect {
  readonly fields: Readonly<Record<string, unknown>>
  readonly groupId: number | null
}

/** Groups and redirects of a file. */
export interface ImportedFile {
  readonly groups: readonly { id: number; name: string; module_id: number; enabled: boolean }[]
  readonly redirects: readonly ImportedRedirect[]
}

/**
 * Reads an exported file: JSON or CSV of Redirection, or `.htaccess`. Lines that are not redirects are skipped.
 * @param name name of the file, whose ending decides about the format
 * @returns null for malformed JSON
 */
export function readExport(name: string, text: string): ImportedFile | null {
  const content = text.replace(/^\uFEFF/, '')
  if (name.endsWith('.json')) return readJson(content)
  const rows = name.endsWith('.csv') ? readCsv(content) : readHtaccess(content)
  return { groups: [], redirects: rows.map((fields) => ({ fields, groupId: null })) }
}

function readJson(text: string): ImportedFile | null {
  let file: Readonly<Record<string, unknown>>
  try {
    file = recordOf(JSON.parse(text) as unknown)
  } catch {
    return null
  }
  const list = (name: string) => (Array.isArray(file[name]) ? (file[name] as unknown[]).map(recordOf) : [])
  return {
    groups: list('groups').map(({ id, name, module_id: module, enabled }) => ({
      id: Number(id),
      name: textOf(name),
      module_id: Number(module) || 1,
      enabled: enabled !== false,
    })),
    redirects: list('redirects').map((fields) => ({ fields, groupId: Number(fields['group_id']) || null })),
  }
}

function readCsv(text: string): Record<string, unknown>[] {
  const rows = parseCsv(text)
  const isHeader = rows[0]?.[0]?.trim().toLowerCase() === 'source'
  return (isHeader ? rows.slice(1) : rows).flatMap(
    ([source = '', target = '', regex = '', code = '', type = '', , title = '', status = '']) => {
      if (source === '') return []
      const isPattern = isTrue(regex) || regex === ''
      return [
        {
          url: source,
          ...(regex === '' ? {} : { regex: isPattern, match_data: { source: { flag_regex: isTrue(regex) } } }),
          match_type: 'url',
          action_type: type === '' ? 'url' : type,
          action_code: Number(code) || 301,
          action_data: { url: target },
          title,
          enabled: status !== 'disabled',
        },
      ]
    },
  )
}

/** Parses CSV (RFC 4180) in linear time. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    let field = ''
    if (text[at] === '"') {
      at += 1
      for (;;) {
        const end = text.indexOf('"', at)
        if (end === -1) {
          field += text.slice(at)
          at = text.length
          break
        }
        field += text.slice(at, end)
        at = end + 1
        if (text[at] !== '"') break
        field += '"'
        at += 1
      }
    }
    const start = at
    while (at < text.length && text[at] !== ',' && text[at] !== '\n' && text[at] !== '\r') at += 1
    row.push(field + text.slice(start, at))
    if (text[at] === ',') {
      at += 1
      if (at < text.length) continue
      row.push('')
    }
    if (text[at] === '\r') at += 1
    if (text[at] === '\n') at += 1
    if (row.some((one) => one !== '')) rows.push(row)
    row = []
  }
  return rows
}
