import { withinSeconds } from '../../kernel/index.ts'
import { START_SECONDS } from '../../kernel/deadline.ts'

/** URL of the module that imports the modules of a site. */
export const LOADER_URL = import.meta.url

/** Imports a module. @throws Error if loading takes longer than START_SECONDS (30) */
export async function importWithinSeconds(url: string): Promise<Readonly<Record<string, unknown>>> {
  const late = () => new Error(`it was not loaded within ${START_SECONDS} seconds`)
  return await withinSeconds(import(url) as Promise<Record<string, unknown>>, START_SECONDS, late)
}
