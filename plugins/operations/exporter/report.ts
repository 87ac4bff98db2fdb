import type { ExportReport } from './types.ts'

/** Formats a report as lines of text. */
export function formatExportReport({ files, counts, notes, bytes, seconds }: ExportReport): string {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const width = Math.max(0, ...Object.keys(counts).map(({ length }) => length))
  const size = (bytes / 1_000_000).toFixed(1)
  return [
    `Exported ${total} objects (${size} MB in ${seconds.toFixed(1)} s).`,
    '',
    ...Object.entries(counts).map(([kind, count]) => `  ${kind.padEnd(width)}  ${String(count).padStart(8)}`),
    ...(notes.length > 0 ? ['', 'Not exported:', ...notes.map((note) => `  ${note}`)] : []),
    '',
    'Written:',
    ...files.map((file) => `  ${file}`),
  ].join('\n')
}
