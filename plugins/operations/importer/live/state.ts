import { hash } from 'node:crypto'
import type { Spool } from './spool.ts'

/** The state of the imports from one old site. */
export interface LiveState {
  /** The run in progress; null between runs. */
  run: RunState | null
  /** Start of the last finished run, ISO 8601; null before. */
  last: string | null
}

export interface RunState {
  /** ISO 8601. */
  started: string
  /** Start of the run whose changes are read; null if everything is read. */
  since: string | null
  /** URL of the API root and login of the user: another user sees other objects. */
  source: string
  /** The highest IDs of this site at the start of the run. */
  before: HighestIds
}

export type HighestIds = Readonly<Record<'posts' | 'terms' | 'users' | 'comments', number>>

/** Versions of the objects of a collection by ID. */
export type Versions = Map<number, string>

export async function readState(spool: Spool): Promise<LiveState> {
  return (await spool.read<LiveState>('state')) ?? { run: null, last: null }
}

/** Versions at the end of the last finished run; null before the first run. */
export async function readVersions(spool: Spool, key: string): Promise<Versions | null> {
  const entries = await spool.read<[number, string][]>(`seen-${key}`)
  return entries === null ? null : new Map(entries)
}

export async function writeVersions(
  spool: Spool,
  key: string,
  versions: readonly (readonly [number, string])[],
): Promise<void> {
  await spool.write(`seen-${key}`, versions)
}

/** A short version of an object without a date of modification. */
export function contentVersion(object: unknown): string {
  return hash('sha1', JSON.stringify(object)).slice(0, 12)
}
