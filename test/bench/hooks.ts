import { filter } from '../../kernel/hooks/hook.ts'
import { applyFilter } from '../../kernel/hooks/run.ts'
import { HookRegistry } from '../../kernel/hooks/registry.ts'
import { markdownTable } from './table.ts'

export const HOOKS = 'hook: empty, 3 and 20 taps'
const TAPS = [0, 3, 20]
const RUNS = 20_000
const ROUNDS = 50

/** Nanoseconds that one run of a filter takes, by how many taps it has: the best of some rounds. */
export function compareHooks(): string {
  const rows: string[][] = []
  for (const taps of TAPS) {
    const { hooks } = new HookRegistry('svc', { bench: filter('value', 'request') })
    const hook = (hooks as unknown as Record<string, typeof hooks.rest_request_after_callbacks>)['bench']!
    for (let tap = 0; tap < taps; tap += 1) hook.tap(`tap ${tap}`, (value) => value)
    rows.push([`hook with ${taps} taps`, best(() => applyFilter(hook, 1, null!, null!)).toFixed(0)])
  }
  return markdownTable([HOOKS, 'ns'], rows)
}

function best(run: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now()
    for (let count = 0; count < RUNS; count += 1) run()
    least = Math.min(least, performance.now() - start)
  }
  return (least * 1e6) / RUNS
}
