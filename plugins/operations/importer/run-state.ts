import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasEnded, processId } from '../../content/media/index.ts'
import { PRIVATE_FILE } from '../../storage/store/index.ts'
import type { ImportState } from './run-types.ts'

/** The stored state, with the process that runs the import and its last heartbeat. */
export interface StoredState extends ImportState {
  readonly owner: string
  readonly beat: number
}

export const STATE_FILE = 'state.json'
/** Milliseconds without a heartbeat after which an import is abandoned, if it is unknown whether its process runs. */
const MAX_SILENCE_MS = 120_000

/** Returns the state in a folder; null without a valid one. */
export async function readState(folder: string): Promise<StoredState | null> {
  const text = await readFile(join(folder, STATE_FILE), 'utf8').catch(() => null)
  try {
    if (text === null) return null
    const { report, ...state } = JSON.parse(text) as StoredState
    // Reports of earlier versions have another form.
    return report?.plugins === undefined ? state : { ...state, report }
  } catch {
    // The machine crashed before the file was completely written.
    return null
  }
}

export async function writeState(folder: string, stored: StoredState): Promise<void> {
  const path = join(folder, STATE_FILE)
  await writeFile(`${path}.new`, JSON.stringify(stored), { mode: PRIVATE_FILE })
  await rename(`${path}.new`, path)
}

/** Whether the process of an import has ended. @param beat time of its last heartbeat */
export function hasOwnerEnded(owner: string, beat: number): boolean {
  return owner === processId ? false : hasEnded(owner) || Date.now() - beat > MAX_SILENCE_MS
}
