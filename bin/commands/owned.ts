import type { Kernel } from '../config/index.ts'
import type { Owned } from '../../kernel/index.ts'

/** Lists all registrations of the plugins whose name contains `filter`, or of the one named exactly so, as trees. */
export function listOwned(kernel: Kernel, filter: string): { rows: readonly object[]; text: string } {
  const running = kernel.running()
  const exact = running.filter(({ name }) => name === filter)
  const plugins = exact.length > 0 ? exact : running.filter(({ name }) => name.includes(filter))
  const rows = plugins.map(({ name, details }) => ({ name, owned: details().owned }))
  return { rows, text: rows.map(({ name, owned }) => [name, ...linesOf(owned)].join('\n')).join('\n\n') }
}

/** Formats a tree: one line for each registration, with its parts indented below it. */
function linesOf(owned: readonly Owned[], indent = ''): string[] {
  const width = Math.max(0, ...owned.map(({ kind }) => kind.length))
  return owned.flatMap(({ kind, name, parts = [] }, index) => {
    const isLast = index === owned.length - 1
    const line = `${indent}${isLast ? '└─' : '├─'} ${kind.padEnd(width)}  ${name}`.trimEnd()
    return [line, ...linesOf(parts, `${indent}${isLast ? '   ' : '│  '}`)]
  })
}
