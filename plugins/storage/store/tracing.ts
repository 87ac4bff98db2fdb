import { tracingChannel, type TracingChannel } from 'node:diagnostics_channel'
import { tracing, type Span } from '../../../kernel/index.ts'

/** `svc-rest:transaction`: a transaction with its turn, its commit, and the waiting until the disk has it. */
export interface TransactionSpan extends Span {
  readonly dialect: string
}

/** `svc-rest:load`: values that were asked for at the same time are read together. */
export interface LoadSpan extends Span {
  /** How many values. */
  readonly keys: number
  /** What asked for them; the first one is the parent. */
  readonly askers: ReadonlySet<Span>
}

/** `svc-rest:sql`: a statement, with the time it waits for its turn. Values of its parameters are never told. */
export interface SqlSpan extends Span {
  readonly dialect: string
  readonly sql: string
  /** How many parameters are bound. */
  readonly parameters: number
  /** Milliseconds until it was sent to the database. */
  waited: number
  /** Rows that were read or changed; null until it is over. */
  rows: number | null
}

declare module '../../../kernel/index.ts' {
  interface TracingChannels {
    transaction: TracingChannel<TransactionSpan, TransactionSpan>
    load: TracingChannel<LoadSpan, LoadSpan>
    sql: TracingChannel<SqlSpan, SqlSpan>
  }
}

tracing.transaction = tracingChannel('svc-rest:transaction')
tracing.load = tracingChannel('svc-rest:load')
tracing.sql = tracingChannel('svc-rest:sql')
