// Types of the data that the scripts of the page receive, for type checks.
import type { Profile, ProfileNode } from '../profile.ts'
import type { Step, TracedRequest } from '../record.ts'
import type { LogSize } from '../request-log.ts'

export type { Profile, ProfileNode, Step }
export type Request = TracedRequest
export type RequestSummary = Omit<TracedRequest, 'steps' | 'unlisted' | 'text'> & {
  place: string
  plugins: string[]
  statements: number
}
export interface RequestUpdate {
  process: { id: string; pid: number; worker: number; workers: number }
  kept: LogSize
  most: LogSize
  first: number | null
  requests: RequestSummary[]
}
