import { tracingChannel, type TracingChannel } from 'node:diagnostics_channel'
import { tracing, type Hooks, type Span } from '../../../kernel/index.ts'

/** `svc-rest:outgoing`: a request to another server, from asking for its turn until its body is read. */
export interface OutgoingSpan extends Span {
  readonly site: Hooks
  readonly method: string
  /** Scheme, host and port; paths hold keys too often. */
  readonly origin: string
  /** Known once it has answered. */
  status: number | null
}

declare module '../../../kernel/index.ts' {
  interface TracingChannels {
    outgoing: TracingChannel<OutgoingSpan, OutgoingSpan>
  }
}

tracing.outgoing = tracingChannel('svc-rest:outgoing')
