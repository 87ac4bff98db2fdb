import { unserializePhp, type PhpMap, type PhpValue } from '../public.ts'

export { phpToJson as plainPhp, serializePhp as writePhp, type PhpMap, type PhpValue } from '../public.ts'

/**
 * Reads a value that PHP has serialized, as `unserializePhp` does.
 * @returns undefined also for values with objects
 */
export function readPhp(text: string): PhpValue | undefined {
  const read = unserializePhp(text)
  return read === undefined || read.peculiarities.classes.size > 0 ? undefined : read.value
}

/** Whether a value is an array with keys. */
export const isPhpMap = (value: PhpValue | undefined): value is PhpMap => value instanceof Map
