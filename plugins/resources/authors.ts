import { currentOwner } from '../../kernel/index.ts'

/** Classes that plugins have passed to other plugins, with whether the first plugin is trusted. */
const passedClasses = new WeakMap<object, boolean>()

/**
 * Records the plugin that passes a class to another one, which will create routes from it. The first plugin counts as
 * the author.
 */
export function noteAuthor(code: unknown): void {
  if (typeof code === 'function' && !passedClasses.has(code)) passedClasses.set(code, currentOwner().trusted)
}

/**
 * Runs `work`, which registers on behalf of a class that a plugin has passed: the registrations belong to the current
 * owner, but are trusted only if that plugin is.
 */
export function registerFor(code: unknown, work: () => void): void {
  const owner = currentOwner()
  if (typeof code !== 'function' || passedClasses.get(code) !== false) return work()
  owner.part({ kind: 'class', name: code.name }, false).run(work)
}
