import { currentDependencies } from './dependencies.ts'
import { currentOwner, type Owner } from './ownership.ts'

/**
 * What a callback looks at beside its arguments and the services of the defaults, which record by themselves what is read
 * through them: `'nothing'`, tags such as `['stock:7']`, or a function of the same arguments that gives tags.
 */
export type DependsOn<A extends unknown[] = never[]> =
  'nothing' | readonly string[] | ((...args: A) => readonly string[])

/**
 * A callback that says what it depends on whenever it is called while something is made that might be kept. Defaults are
 * trusted to need no `dependsOn`; what the callback of another plugin takes part in is not kept without.
 * @param what names the callback for those who wonder why nothing is kept: `the shortcode price`
 * @param owner whose it is: the plugin that registers it
 */
export function declared<A extends unknown[], R>(
  callback: (...args: A) => R,
  what: string,
  dependsOn: DependsOn<A> | undefined,
  owner: Pick<Owner, 'name' | 'trusted'> = currentOwner(),
): (...args: A) => R {
  if (dependsOn === 'nothing') return callback
  const undeclared = refusalOf(what, dependsOn, owner)
  if (undeclared !== null) {
    return (...args) => {
      currentDependencies()?.refuse(undeclared)
      return callback(...args)
    }
  }
  if (dependsOn === undefined) return callback
  return (...args) => {
    const made = currentDependencies()
    // A single text is a tag, whatever the compiler says: taken for a list, its letters would be.
    if (made !== undefined) made.addAll([typeof dependsOn === 'function' ? dependsOn(...args) : dependsOn].flat())
    return callback(...args)
  }
}

/** Why nothing may be kept that a callback takes part in; null where it may. */
export function refusalOf(
  what: string,
  dependsOn: unknown,
  { name, trusted }: Pick<Owner, 'name' | 'trusted'>,
): string | null {
  return trusted || dependsOn !== undefined ? null : `${what} of ${name} does not say what it depends on`
}
