import { tracingChannel, type TracingChannel } from 'node:diagnostics_channel'
import { tracing, type Span } from '../../../kernel/index.ts'

/**
 * `svc-rest:transaction`: a transaction, including the wait for earlier writes or a connection, the commit, and the
 * wait until it is on disk.
 */
export interface TransactionSpan extends Span {
  readonly dialect: string
}

/** `svc-rest:load`: values that were requested at the same time and are read together. */
export interface LoadSpan extends Span {
  /** Number of values. */
  readonly keys: number
  /** The spans that requested them; the first is the parent. */
  readonly askers: ReadonlySet<Span>
}

/**
 * `svc-rest:sql`: a statement, including the wait for earlier writes or a connection. Parameter values are never
 * published.
 */
export interface SqlSpan extends Span {
  readonly dialect: string
  readonly sql: string
  /** Number of bound parameters. */
  readonly parameters: number
  /** Milliseconds until the statement was sent to the database. */
  waited: number
  /** Rows that were read or changed; null until it ends. */
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
