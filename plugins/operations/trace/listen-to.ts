import type { TracingChannel } from 'node:diagnostics_channel'
import { guarded, type Span } from '../../../kernel/index.ts'

/** Whether a span has ended, for subscribers of `end`; otherwise `asyncEnd` follows. */
export function isOver(span: Span): boolean {
  return 'result' in span || 'error' in span
}

/**
 * Subscribes to a channel of `tracing`. The first failure of `begins` or `ends` emits a process warning, and the traced
 * work continues. With the methods of Node's channels, a failure would end the process.
 * @param begins called with each span at its start
 * @param ends called with each span at its end
 * @returns a function that unsubscribes, to pass to `onRemove`
 */
export function listenTo<S extends Span>(
  { start, end, asyncEnd }: TracingChannel<S, S>,
  begins: (span: S) => void,
  ends: (span: S) => void,
): () => void {
  let hasFailed = false
  const fail = (cause: Error) => {
    if (!hasFailed) process.emitWarning(new Error(`A subscriber of ${String(start.name)} failed.`, { cause }))
    hasFailed = true
  }
  const onStart = guarded(fail, (span: unknown) => begins(span as S))
  const onEnd = guarded(fail, (span: unknown) => {
    if (isOver(span as S)) ends(span as S)
  })
  const onAsyncEnd = guarded(fail, (span: unknown) => ends(span as S))
  start.subscribe(onStart)
  end.subscribe(onEnd)
  asyncEnd.subscribe(onAsyncEnd)
  return () => {
    start.unsubscribe(onStart)
    end.unsubscribe(onEnd)
    asyncEnd.unsubscribe(onAsyncEnd)
  }
}
