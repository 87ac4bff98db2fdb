import {
  blamed,
  isThenable,
  METHODS,
  type CheckedTap,
  type Concern,
  type PartialTapOptions,
  type HookSpec,
  type TapCallback,
} from '../../../kernel/index.ts'
import { hint } from '../suggestions/index.ts'
import { dependsOnMistake } from '../caching/index.ts'
import { errors } from './errors.ts'
import { findPromise } from './find-promise.ts'
import { shapeMistake, type Shapes } from './shapes.ts'

const TAP: Shapes<PartialTapOptions> = {
  name: 'text',
  stage: 'number',
  before: ['text', 'list'],
  dependsOn: ['text', 'list', 'function'],
  cache: 'flag',
  required: 'flag',
  types: ['text', 'list'],
  methods: ['text', 'list'],
  fields: ['text', 'list'],
  context: ['text', 'list'],
}
/** Keys of a tap by their names in other systems. */
const KEY_SYNONYMS = { priority: 'stage', order: 'stage', type: 'types', method: 'methods', field: 'fields' }

/** Valid values of options that filter the runs of a tap. */
const WORDS = { methods: METHODS.filter((method) => method !== 'HEAD'), context: ['view', 'embed', 'edit'] } as const

/** Functions of `about` that a hook needs to filter the runs of a tap. */
const NEEDED = {
  types: ['type'],
  methods: ['method', 'request'],
  fields: ['request'],
  context: ['request'],
} as const satisfies Record<keyof Concern, readonly (keyof NonNullable<HookSpec['about']>)[]>
const CONCERNS = Object.keys(NEEDED) as (keyof Concern)[]

/**
 * Checks a tap of a plugin. If the hook declares mistakes of its values, the returned function checks the results as
 * well.
 * @throws HOOK_SYNC_ONLY, HOOK_TAP_INVALID, HOOK_TAP_UNKNOWN, HOOK_FILTER_UNKNOWN
 */
export function checkTap(tap: CheckedTap, beyond: readonly unknown[]): CheckedTap['fn'] {
  const { hook, taps, tapType, fn, registrant } = tap
  const spec = tap.spec as HookSpec
  const options = tap.options as PartialTapOptions
  const { plugin } = registrant
  if (tapType !== 'sync' && spec.kind.startsWith('sync')) throw errors.HOOK_SYNC_ONLY(plugin, hook)
  const mistake = tapMistake(options, fn, beyond)
  if (mistake !== null) throw errors.HOOK_TAP_INVALID(plugin, hook, mistake)
  const there = taps.map(({ name }) => name)
  const missing = [options.before ?? []].flat().find((one) => !there.includes(one))
  if (missing !== undefined) throw errors.HOOK_TAP_UNKNOWN(hook, missing, hint(missing, there))
  const supported = CONCERNS.filter((concern) => NEEDED[concern].some((name) => spec.about?.[name] !== undefined))
  const unknown = CONCERNS.find((concern) => options[concern] !== undefined && !supported.includes(concern))
  if (unknown !== undefined) throw errors.HOOK_FILTER_UNKNOWN(plugin, hook, unknown, supported.join(', '))
  return (spec.mistakes ?? spec.json) === undefined ? fn : withResultCheck(tap, spec)
}

/** Checks the results of a filter's tap: no new mistakes, and no promise in a value that is serialized to JSON. */
function withResultCheck(
  { hook, tapType, fn, registrant }: CheckedTap,
  { mistakes, json }: HookSpec,
): CheckedTap['fn'] {
  const { plugin } = registrant
  return (value, ...args) => {
    const before = mistakes?.(value)
    const check = (result: unknown) => {
      // A tap that returns nothing can have changed its argument.
      const passed = result ?? value
      const mistake = mistakes?.(passed).find((one) => before?.includes(one) !== true)
      if (mistake !== undefined) throw blamed(registrant, errors.TAP_RETURNED_MISTAKE(plugin, hook, mistake))
      const path = json === undefined ? null : findPromise(json(passed))
      if (path === null) return result
      throw blamed(registrant, errors.PROMISE_IN_RESPONSE(plugin, `its tap of ${hook}`, path))
    }
    if (tapType === 'async') {
      const done = args.pop() as TapCallback<unknown>
      return fn(value, ...args, (error?: Error | null, result?: unknown) => {
        if (error) return done(error)
        try {
          done(null, check(result))
        } catch (mistake) {
          done(mistake as Error)
        }
      })
    }
    const result: unknown = fn(value, ...args)
    return isThenable(result) ? result.then(check) : check(result)
  }
}

/** Returns the mistake in a tap, or null. */
function tapMistake(options: PartialTapOptions, tap: unknown, beyond: readonly unknown[]): string | null {
  if (typeof options === 'function') return "the first argument must be a name: tap('my-plugin', (value) => …)"
  const wrong = shapeMistake(options, TAP, KEY_SYNONYMS)
  if (wrong !== null) return `the tap ${wrong}`
  if (options.name === undefined || options.name.trim() === '') return 'the tap has no name: use the name of the plugin'
  for (const [key, words] of Object.entries(WORDS)) {
    const values: readonly string[] = [options[key as keyof typeof WORDS] ?? []].flat()
    const unknown = values.find((one) => !(words as readonly string[]).includes(one))
    if (unknown !== undefined)
      return `the tap has ${key}: "${unknown}"${unknown === 'HEAD' ? ': HEAD is a GET' : hint(unknown, words)}`
  }
  const undeclared = dependsOnMistake(options.dependsOn)
  if (undeclared !== null) return `the tap ${undeclared}`
  if (typeof tap !== 'function') return `the tap ${options.name} has no function`
  if (beyond.length === 0) return null
  return `the function must be the last argument: pass { name: '${options.name}', stage: … } instead of the name`
}
