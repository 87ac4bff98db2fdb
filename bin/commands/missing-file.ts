import { fileURLToPath } from 'node:url'

/** Codes of errors that Node throws for a missing file. */
const MISSING: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ENOENT'])

/** Returns the path of the missing file that caused an error; '' if the error does not name it, null for other errors. */
export function missingFile(error: unknown): string | null {
  const { cause } = Object(error) as { cause?: { code?: unknown; url?: unknown } }
  if (!MISSING.has(cause?.code)) return null
  const url = cause?.url
  return typeof url === 'string' && url.startsWith('file:') ? fileURLToPath(url) : ''
}
