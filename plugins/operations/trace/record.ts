import type { Change } from './changes.ts'

/** What a step of a request is. */
export type StepKind = 'request' | 'hook' | 'tap' | 'permission' | 'handler' | 'transaction' | 'sql' | 'outgoing'

/** Something that was done for a request, with when and how long. */
export interface Step {
  readonly kind: StepKind
  /** What it is called: the hook, the tap, the route, the text of the statement; of a request the method and its path. */
  readonly name: string
  /** Of a tap its plugin, of a permission check and a handler who registered the route, where that is known. */
  readonly plugin: string | null
  /** Place of the step that it is a part of among the steps of the request; -1 for none. */
  readonly parent: number
  /** Milliseconds from the arrival of the request on. */
  readonly start: number
  /** Milliseconds that it took; null while it is under way, also when the response did not wait for it. */
  ms: number | null
  /** Why it failed. */
  failed?: string
  /** Of a tap: its hook, and what it changed. */
  readonly hook?: string
  changed?: readonly Change[]
  /** How many changes are not listed, because there were so many or the request held so much. */
  unlisted?: number
  /** Of a statement: rows read or changed, parameters bound, milliseconds until it was sent. */
  rows?: number
  parameters?: number
  waited?: number
  /** Of a statement for several: the places of the steps that asked. */
  askers?: readonly number[]
  /** Of a request inside another, and of one to another server. */
  status?: number
  route?: string | null
}

/** A request, with all that was done for it. */
export interface TracedRequest {
  /** Counts the requests of the process. */
  readonly number: number
  /** ID in the log; '' where it has none. */
  readonly id: string
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number
  readonly method: string
  /** Without secrets. */
  readonly url: string
  /** Whether the response was there as a whole, so that nothing was done for it. */
  isKept: boolean
  route: string | null
  /** Path below the home URL of a page or a file; null for a REST request. */
  path: string | null
  status: number | null
  user: { readonly id: number; readonly login: string | null } | null
  ms: number | null
  /** What the response says is wrong. */
  error: string | null
  readonly steps: Step[]
  /** How many steps are not listed, because there were so many. */
  unlisted: number
  /** Characters of its changes. */
  text: number
}
