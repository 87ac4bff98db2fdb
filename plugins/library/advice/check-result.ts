import { shown } from '../../../kernel/index.ts'

/**
 * Returns why the result of a handler cannot be the body of a response, worded to follow "returned"; null if it can.
 * Inspects only the value itself, not nested ones.
 */
export function resultMistake(result: unknown): string | null {
  if (typeof result === 'function' || typeof result === 'symbol' || typeof result === 'bigint')
    return `${typeof result === 'symbol' ? 'a symbol' : shown(result)}: return data`
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return null
  const prototype: unknown = Object.getPrototypeOf(result)
  if (prototype === Object.prototype || prototype === null) return null
  if (result instanceof Error) return `an error that is not for clients (${result.message}): throw it`
  if (result instanceof Response) return 'a Response: return data, or a RestResponse with data, status and headers'
  const isBytes = ArrayBuffer.isView(result) || result instanceof ArrayBuffer
  const isData = typeof (result as { toJSON?: unknown }).toJSON === 'function' && !isBytes
  const isEmptied = Symbol.iterator in result || Symbol.asyncIterator in result || isBytes
  if (isData || !isEmptied) return null
  return `${result.constructor.name || 'an iterator'}, which JSON cannot represent: return a list, an object or a string`
}
