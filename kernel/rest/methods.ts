/** The methods that a route can have. HEAD is answered where GET is. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The methods that an endpoint is registered for, in upper case; GET where it names none. */
export function methodsOf({ methods = ['GET'] }: { methods?: string | readonly string[] }): string[] {
  const names = typeof methods === 'string' ? methods.split(',') : methods
  return names.map((method) => method.trim().toUpperCase())
}
