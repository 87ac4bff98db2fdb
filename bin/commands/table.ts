/** Formats lines of cells with aligned columns. */
export function table(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const padded = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return padded.map((line) => line.trimEnd()).join('\n')
}

/** Formats a list of objects as a table with the columns of the first object, and other data as JSON. */
export function rowsTable(data: unknown): string {
  const isRow = (row: unknown): row is Record<string, unknown> =>
    typeof row === 'object' && row !== null && !Array.isArray(row)
  if (!Array.isArray(data))
    return isRow(data) ? table(Object.entries(data).map(([key, value]) => [key, cell(value)])) : cell(data)
  if (data.length === 0) return 'None.'
  if (!data.every(isRow)) return data.map(cell).join('\n')
  const columns = Object.keys(data[0] ?? {})
  return table(data.map((row) => columns.map((column) => cell(row[column]))))
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
