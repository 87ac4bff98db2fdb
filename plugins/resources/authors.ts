import { currentOwner } from '../../kernel/index.ts'

/** Classes that plugins have handed to others, with whether these plugins are trusted. */
const handedOver = new WeakMap<object, boolean>()

/** Notes who hands a class to others, which will make routes of it. Whoever did so first has written it. */
export function noteAuthor(code: unknown): void {
  if (typeof code === 'function' && !handedOver.has(code)) handedOver.set(code, currentOwner().trusted)
}

/**
 * Runs `work`, which registers on behalf of a class that a plugin has handed over: the registrations belong to the current
 * owner, but are trusted only if that plugin is.
 */
export function registerFor(code: unknown, work: () => void): void {
  const owner = currentOwner()
  if (typeof code !== 'function' || handedOver.get(code) !== false) return work()
  owner.part({ kind: 'class', name: code.name }, false).run(work)
}
