import type { Store } from '../../plugins/storage/store/index.ts'
import { until } from './until.ts'

let markers = 0

/**
 * Resolves once other stores on a database have learned of all that one has committed by now: changes reach them in the order
 * of commits, so it commits one more and waits for that. With SQLite each store looks at the file before it answers.
 */
export async function learned(writer: Store, ...others: readonly Store[]): Promise<void> {
  if (writer.dialect === 'sqlite') return
  const tag = `learned:${(markers += 1)}`
  const states = others.map(({ changes }) => changes.state()!)
  await writer.changes.touch([tag])
  await until(() =>
    others.every(({ changes }, at) => changes.state() !== null && !changes.unchanged([tag], states[at]!)),
  )
}
