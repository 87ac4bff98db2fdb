import { tracingChannel, type TracingChannel } from 'node:diagnostics_channel'
import { tracing, type Hooks, type Span } from '../../../kernel/index.ts'

/** `svc-rest:outgoing`: a request to another server, from queueing until its body is read. */
export interface OutgoingSpan extends Span {
  readonly site: Hooks
  readonly method: string
  /** Scheme, host and port; paths often contain keys. */
  readonly origin: string
  /** Null until the server has responded. */
  status: number | null
}

declare module '../../../kernel/index.ts' {
  interface TracingChannels {
    outgoing: TracingChannel<OutgoingSpan, OutgoingSpan>
  }
}

tracing.outgoing = tracingChannel('svc-rest:outgoing')
