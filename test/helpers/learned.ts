import type { Store } from '../../plugins/storage/store/index.ts'
import { until } from './until.ts'

let markers = 0

/**
 * Resolves once other stores on a database have received all changes that one store has committed. Changes arrive in the order
 * of commits, so it commits another one and waits for it. With SQLite each store checks the file before it responds.
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
