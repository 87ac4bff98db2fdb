import { HookMap } from 'tapable'
import { errors, type RestError } from '../errors.ts'
import { currentOwner } from '../ownership.ts'
import { shown } from '../text/shown.ts'
import type { AnyHook } from './tapable-hook.ts'

/** A family of hooks: one for each name of a type, made when somebody first asks for it. */
export class Family extends HookMap<AnyHook> {
  /** @param name by which plugins reach it: `rest_prepare` */
  constructor(name: string, find: (key: string) => AnyHook) {
    super(find, name)
  }

  /** @throws HOOK_TAP_INVALID for what is no name */
  override for(key: string): AnyHook {
    if (typeof key !== 'string' || key === '') throw this.#mistake(`for() takes one name, not ${shown(key)}`)
    return super.for(key)
  }

  /** A tap of all members: there is no such thing. @throws HOOK_TAP_INVALID */
  tap(): never {
    throw this.#mistake(`it is a family: name the hook that is meant, hooks.${this.name!}.for('post').tap(…)`)
  }

  /** @throws HOOK_TAP_INVALID */
  tapPromise(): never {
    return this.tap()
  }

  /** Has members looked up again. */
  forget(): void {
    ;(this as unknown as { _map: Map<string, AnyHook> })._map.clear()
  }

  #mistake(why: string): RestError {
    return errors.HOOK_TAP_INVALID(currentOwner().name, this.name!, why)
  }
}
