import type { RestRequest } from '../../../kernel/index.ts'

/**
 * Returns the value of an argument, or undefined if the endpoint does not declare it. Clients send whole items, also of
 * other types, so undeclared arguments are present but not validated.
 */
export function declaredValue<T>(request: RestRequest, name: string): T | undefined {
  const args = request.endpoint?.args
  return args !== undefined && Object.hasOwn(args, name) ? (request.get(name) as T | undefined) : undefined
}
