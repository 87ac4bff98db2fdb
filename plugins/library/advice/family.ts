import { HookMap } from 'tapable'
import { currentOwner, shown } from '../../../kernel/index.ts'
import type { TapableHook } from '../../../kernel/hooks/tapable-hook.ts'
import { errors } from './errors.ts'

/** A family of hooks that refuses invalid names, and taps without a name. */
export class Family extends HookMap<TapableHook> {
  /** @throws HOOK_TAP_INVALID for an invalid name */
  override for(key: string): TapableHook {
    if (typeof key !== 'string' || key === '') throw this.#mistake(`for() takes one name, not ${shown(key)}`)
    return super.for(key)
  }

  /** @throws HOOK_TAP_INVALID always, because a tap cannot apply to all members */
  tap(): never {
    throw this.#mistake(`it is a family: name the hook that is meant, hooks.${this.name}.for('post').tap(…)`)
  }

  /** @throws HOOK_TAP_INVALID */
  tapPromise(): never {
    return this.tap()
  }

  #mistake(reason: string): Error {
    return errors.HOOK_TAP_INVALID(currentOwner().name, this.name!, reason)
  }
}
