import type { RestRequest } from '../../../kernel/index.ts'

/**
 * The value of an argument; undefined where the endpoint declares none of this name, so that nobody has checked it:
 * clients send whole items, and those of other types.
 */
export function declaredValue<T>(request: RestRequest, name: string): T | undefined {
  const args = request.endpoint?.args
  return args !== undefined && Object.hasOwn(args, name) ? (request.get(name) as T | undefined) : undefined
}
