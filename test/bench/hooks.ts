import { filter } from '../../kernel/hooks/hook.ts'
import { applyFilter } from '../../kernel/hooks/run.ts'
import { HookRegistry } from '../../kernel/hooks/registry.ts'
import { markdownTable } from './table.ts'

export const HOOKS = 'hook: empty, 2, 3 and 20 taps, and 20 of which 18 are for other types or methods'
const TAPS = [0, 2, 3, 20]
/** Number of the twenty taps that apply to every run. */
const CONCERNED = 2
const RUNS = 20_000
const ROUNDS = 50

/** Measures the nanoseconds of one run of a filter by its number of taps: the best of several rounds. */
export function compareHooks(): string {
  const rows: string[][] = []
  for (const taps of TAPS) {
    const { hooks } = new HookRegistry('svc', { bench: filter('value', 'request') })
    const hook = (hooks as unknown as Record<string, typeof hooks.rest_request_after_callbacks>)['bench']!
    for (let tap = 0; tap < taps; tap += 1) hook.tap(`tap ${tap}`, (value) => value)
    rows.push([`hook with ${taps} taps`, best(() => applyFilter(hook, 1, null!, null!)).toFixed(0)])
  }
  for (const [concern, others] of [
    ['types', { types: ['page'] }],
    ['methods', { methods: ['POST' as const] }],
  ] as const) {
    const about = { type: () => 'post', method: () => 'GET' }
    const { hooks } = new HookRegistry('svc', { bench: { ...filter('value', 'request'), about } })
    const hook = (hooks as unknown as Record<string, typeof hooks.the_content>)['bench']!
    for (let tap = 0; tap < 20; tap += 1) {
      const concern = tap < CONCERNED ? {} : others
      hook.tap({ name: `tap ${tap}`, ...concern }, (value) => value)
    }
    rows.push([
      `hook with 20 taps, 18 for other ${concern}`,
      best(() => applyFilter(hook, '', null!, null!)).toFixed(0),
    ])
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
