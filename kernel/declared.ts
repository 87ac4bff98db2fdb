import { currentDependencies } from './dependencies.ts'
import { errors } from './errors.ts'
import { currentOwner, type Owner } from './ownership.ts'
import { suggest } from './text/suggest.ts'

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
 * @throws PLUGIN_INVALID
 */
export function declared<A extends unknown[], R>(
  callback: (...args: A) => R,
  what: string,
  dependsOn: DependsOn<A> | undefined,
  owner: Pick<Owner, 'name' | 'trusted'> = currentOwner(),
): (...args: A) => R {
  const mistake = owner.trusted ? null : dependsOnMistake(dependsOn)
  if (mistake !== null) throw errors.PLUGIN_INVALID(owner.name, `registers ${what}, which ${mistake}`)
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

/** What is wrong with what something is said to depend on; null where nothing is. */
export function dependsOnMistake(dependsOn: unknown): string | null {
  if (typeof dependsOn !== 'string' || dependsOn === 'nothing' || suggest(dependsOn, ['nothing']) === '') return null
  return `has dependsOn: "${dependsOn}": did you mean nothing?`
}
