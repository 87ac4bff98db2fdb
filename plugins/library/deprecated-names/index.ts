/** Library for renamed functions and members: aliases that work, and warn once per process with the new name. */
import { deprecate } from 'node:util'

/**
 * Returns an alias of a renamed function.
 * @param oldName name in the warning, such as `request.given`
 * @param newName name to use instead
 */
export function deprecatedAlias<F extends (...args: never[]) => unknown>(oldName: string, newName: string, fn: F): F {
  return deprecate(fn, `${oldName} is deprecated. Use ${newName} instead.`, codeOf(oldName))
}

/** Returns an alias of a renamed object. Reading one of its properties warns. */
export function deprecatedObject<T extends object>(oldName: string, newName: string, value: T): Readonly<T> {
  const read = deprecatedAlias(oldName, newName, (key: keyof T) => value[key])
  const keys = Object.keys(value) as (keyof T)[]
  const properties = keys.map((key) => [key, { get: () => read(key), enumerable: true }] as const)
  return Object.defineProperties({}, Object.fromEntries(properties)) as T
}

/**
 * Adds aliases of renamed methods and properties to an object or prototype. They are not enumerable.
 * @param owner name of the object in warnings, such as `request` or `services.posts`
 * @param names new names by old name
 * @returns the object
 */
export function addDeprecatedMembers<T extends object, const N extends Readonly<Record<string, keyof T & string>>>(
  target: T,
  owner: string,
  names: N,
): T & { readonly [K in keyof N]: T[N[K]] } {
  for (const [oldName, newName] of Object.entries(names)) {
    const read = function (this: T): unknown {
      return this[newName]
    }
    Object.defineProperty(target, oldName, {
      get: deprecatedAlias(`${owner}.${oldName}`, newName, read),
      configurable: true,
    })
  }
  return target as T & { readonly [K in keyof N]: T[N[K]] }
}

/**
 * Returns options with the new names of renamed keys. If both names are present, the value of the new name applies.
 * @param options other values than objects are returned unchanged
 * @param owner name of the options in warnings
 * @param names new names by old name
 */
export function renameDeprecatedKeys<T extends object>(
  options: T,
  owner: string,
  names: Readonly<Record<string, keyof T & string>>,
): T {
  if (typeof options !== 'object' || options === null) return options
  let renamed = options
  for (const [oldName, newName] of Object.entries(names)) {
    if (!Object.hasOwn(options, oldName)) continue
    const { [oldName]: value, ...others } = renamed as Record<string, unknown>
    warn(owner, oldName, newName)
    renamed = { [newName]: value, ...others } as T
  }
  return renamed
}

function warn(owner: string, oldName: string, newName: string): void {
  deprecatedAlias(`${owner}.${oldName}`, newName, () => undefined)()
}

/** Returns the code of a warning. Node emits warnings with the same code once per process. */
function codeOf(oldName: string): string {
  return `SVC_DEPRECATED:${oldName}`
}
