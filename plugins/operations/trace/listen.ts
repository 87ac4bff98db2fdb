import type { TracingChannel } from 'node:diagnostics_channel'
import { isOver, type Span } from '../../../kernel/index.ts'

/**
 * Listens to a channel.
 * @param begins is told of each span at its start
 * @param ends is told of it once it is over
 * @returns ends it
 */
export function listenTo<S extends Span>(
  { start, end, asyncEnd }: TracingChannel<S, S>,
  begins: (span: S) => void,
  ends: (span: S) => void,
): () => void {
  const onStart = (span: unknown) => begins(span as S)
  const onEnd = (span: unknown) => {
    if (isOver(span as S)) ends(span as S)
  }
  const onAsyncEnd = (span: unknown) => ends(span as S)
  start.subscribe(onStart)
  end.subscribe(onEnd)
  asyncEnd.subscribe(onAsyncEnd)
  return () => {
    start.unsubscribe(onStart)
    end.unsubscribe(onEnd)
    asyncEnd.unsubscribe(onAsyncEnd)
  }
}
