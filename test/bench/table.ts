/** Returns an aligned Markdown table: the first column aligned left, numbers right. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(3, title.length, ...rows.map((row) => row[column]!.length)))
  return [tableHead(head, widths), ...rows.map((row) => tableLine(row, widths))].join('\n')
}

/** Returns the first two lines of a table with columns of these widths. `tableLine` returns the others. */
export function tableHead(head: readonly string[], widths: readonly number[]): string {
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return `${tableLine(head, widths)}\n${tableLine(rule, widths)}`
}

export function tableLine(cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
  return `| ${padded.join(' | ')} |`
}
