import { currentOwner, errors, RequestCache, RestRequest, type CacheHints, type Owner } from '../../../kernel/index.ts'
import { suggest } from '../suggestions/index.ts'
import { currentDependencies, type Dependencies } from './dependencies.ts'

/**
 * Wraps a callback so that it records its dependencies each time it runs while a response is created. Responses with
 * output of a callback with `cache: false` are not stored. A callback of a third-party plugin that gets the request can
 * depend on any part of it, so its output is reused only for the same request; callbacks of default plugins record the
 * parameters that they read.
 * @param label name of the callback for messages: `the shortcode price`
 * @param owner plugin that registers it
 * @throws PLUGIN_INVALID
 */
export function declared<A extends unknown[], R>(
  callback: (...args: A) => R,
  label: string,
  { dependsOn, cache }: CacheHints<A>,
  owner: Pick<Owner, 'name' | 'trusted'> & Partial<Pick<Owner, 'noteUncached'>> = currentOwner(),
): (...args: A) => R {
  const mistake = owner.trusted ? null : dependsOnMistake(dependsOn)
  if (mistake !== null) throw errors.PLUGIN_INVALID(owner.name, `registers ${label}, which ${mistake}`)
  const tags = dependsOn === 'nothing' ? undefined : dependsOn
  if (cache === false) owner.noteUncached?.(`${label}: cache: false`)
  if (owner.trusted && cache !== false && tags === undefined) return callback
  return (...args) => {
    const dependencies = currentDependencies()
    if (dependencies !== undefined) {
      if (cache === false) dependencies.refuse(`${label} of ${owner.name} has cache: false`)
      else if (!owner.trusted) noteRequests(args, dependencies)
      // A single text is one tag, even if the type says otherwise: iterated as a list, its letters would be tags.
      if (tags !== undefined) dependencies.addAll([typeof tags === 'function' ? tags(...args) : tags].flat())
    }
    return callback(...args)
  }
}

/** Records requests among the arguments of a callback, or in objects among them. */
function noteRequests(args: readonly unknown[], dependencies: Dependencies): void {
  for (const value of args) {
    // The cache of a request records its own reads.
    if (typeof value !== 'object' || value === null || value instanceof RequestCache) continue
    const { request = value } = value as { request?: unknown }
    if (typeof request !== 'object' || request === null || !('headers' in request && 'url' in request)) continue
    if (request instanceof RestRequest) dependencies.addRequest()
    else dependencies.refuse('a callback is given the request for a page')
  }
}

/** Returns the mistake in a `dependsOn`, or null. */
export function dependsOnMistake(dependsOn: unknown): string | null {
  if (typeof dependsOn !== 'string' || dependsOn === 'nothing' || suggest(dependsOn, ['nothing']) === '') return null
  return `has dependsOn: "${dependsOn}": did you mean nothing?`
}
