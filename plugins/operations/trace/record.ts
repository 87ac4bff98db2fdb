import type { Change } from './changes.ts'

export type StepKind = 'request' | 'hook' | 'tap' | 'permission' | 'handler' | 'transaction' | 'sql' | 'outgoing'

/** An operation during a request, with its start and duration. */
export interface Step {
  readonly kind: StepKind
  /** Name of the hook, tap or route; text of a statement; method and path of a request. */
  readonly name: string
  /** The plugin of a tap, or the one that registered the route of a handler or permission check, if known. */
  readonly plugin: string | null
  /** Index of the parent step among the steps of the request; -1 for none. */
  readonly parent: number
  /** Milliseconds since the request arrived. */
  readonly start: number
  /** Duration in milliseconds; null if the step has not ended, which can be the case after the response was sent. */
  ms: number | null
  /** Error message, if the step failed. */
  failed?: string
  /** For taps: the hook, and the values that were changed. */
  readonly hook?: string
  changed?: readonly Change[]
  /** Number of changes that are not listed because of the limits. */
  unlisted?: number
  /** For statements: rows read or changed, bound parameters, milliseconds until it was sent. */
  rows?: number
  parameters?: number
  waited?: number
  /** For statements that load data for several steps: the indexes of these steps. */
  askers?: readonly number[]
  /** For nested requests, and requests to other servers. */
  status?: number
  route?: string | null
}

/** A request and its steps. */
export interface TracedRequest {
  /** Sequence number within the process. */
  readonly number: number
  /** ID in the log; '' for none. */
  readonly id: string
  /** Time of arrival in Unix milliseconds. */
  readonly at: number
  readonly method: string
  /** Secrets are masked. */
  readonly url: string
  /** Whether the whole response came from the cache, so that no hook ran. */
  fromCache: boolean
  route: string | null
  /** Path below the home URL of a page or a file; null for a REST request. */
  path: string | null
  status: number | null
  user: { readonly id: number; readonly login: string | null } | null
  ms: number | null
  /** Error message of the response. */
  error: string | null
  readonly steps: Step[]
  /** Number of steps that are not listed because of the limit. */
  unlisted: number
  /** Total characters of the changes. */
  text: number
}
