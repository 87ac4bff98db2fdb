// What the page is told, for the type check of its scripts.
import type { Profile, ProfileNode } from '../profile.ts'
import type { Step, TracedRequest } from '../record.ts'
import type { Kept } from '../request-log.ts'

export type { Profile, ProfileNode, Step }
export type Request = TracedRequest
export type Outline = Omit<TracedRequest, 'steps' | 'unlisted' | 'text'> & {
  place: string
  plugins: string[]
  statements: number
}
export interface News {
  process: { id: string; pid: number; worker: number; workers: number }
  kept: Kept
  most: Kept
  first: number | null
  requests: Outline[]
}
