import {
  defineErrors,
  errors as kernelErrors,
  RestError,
  shown,
  type Arguments,
  type Checked,
} from '../../../kernel/index.ts'
import { compile, type Check, type Refusal } from './compile.ts'
import type { Entry } from './keywords.ts'
import { rulesOf } from './rules.ts'
import { sizeCheckOf, type SizeCheck } from './size-limits.ts'
import { refusalError, sanitize } from './validate.ts'

const { ARGUMENT_CALLBACK_WRONG } = defineErrors({
  ARGUMENT_CALLBACK_WRONG: (argument: string, returned: string) =>
    `The validate_callback of the argument ${argument} returned ${returned}: it must be true, false or an error for clients.`,
})

type Callback = (value: unknown, request: unknown, name: string) => unknown

interface Plan {
  names: readonly string[]
  /** Names of the arguments that must be given, and whether null counts as given. */
  required: readonly (readonly [name: string, nullable: boolean])[]
  check: Check
  validators: readonly Step[]
  sanitizers: readonly Step[]
}

/** A callback of one argument. */
interface Step {
  index: number
  name: string
  call: Callback
}

const plans = new WeakMap<Arguments, Plan>()

/**
 * Checks and sanitizes the arguments of a request by specification 7.1 and 7.2. The set is compiled at its first use
 * and cached for as long as the `args` object lives, so that object must not change afterwards.
 *
 * Missing arguments are reported first (400 `rest_missing_callback_param`), then those that are too large, then all
 * that are invalid (400 `rest_invalid_param` with a message and details for each argument). Undeclared parameters are
 * left out of the values, and defaults are left to the caller. `given` is not changed.
 * @returns a promise only when a callback returns one
 * @throws PATTERN_UNSUPPORTED for a pattern that could hang the server, and any error of a callback that is not a RestError
 */
export function checkArguments(
  args: Arguments,
  given: Record<string, unknown>,
  request: unknown,
): Checked | Promise<Checked> {
  let plan = plans.get(args)
  if (plan === undefined) {
    plan = planOf(args)
    plans.set(args, plan)
  }
  const missing = missingOf(plan, given)
  if (missing !== null) return { ok: false, error: missing }
  const tooLarge = checkSizes(args, given)
  if (tooLarge !== null) return { ok: false, error: tooLarge }
  const values: Record<string, unknown> = {}
  const refusals = plan.check(given, values)
  if (plan.validators.length === 0 && plan.sanitizers.length === 0) {
    return refusals === null
      ? { ok: true, values }
      : { ok: false, error: invalid(inOrder(plan, errorsOf(plan, refusals))) }
  }
  return runCallbacks(plan, given, values, request, errorsOf(plan, refusals ?? []))
}

const sizeChecks = new WeakMap<Arguments, ReadonlyMap<string, SizeCheck>>()

/**
 * Checks the size of given arguments only, for code that reads arguments before `checkArguments` has run. Returns the
 * same error as `checkArguments`; null when nothing is too large.
 */
export function checkSizes(args: Arguments, given: Record<string, unknown>): RestError | null {
  let known = sizeChecks.get(args)
  if (known === undefined) {
    known = sizeChecksOf(args)
    sizeChecks.set(args, known)
  }
  const errors: Named[] = []
  for (const name in given) {
    const excess = known.get(name)?.(given[name]) ?? null
    if (excess === null) continue
    errors.push([name, refusalError({ ...excess, named: true }, name)])
  }
  return errors.length === 0 ? null : invalid(errors)
}

function sizeChecksOf(args: Arguments): Map<string, SizeCheck> {
  const found = Object.entries(args).map(([name, schema]) => [name, sizeCheckOf(schema)] as const)
  return new Map(found.filter((entry): entry is readonly [string, SizeCheck] => entry[1] !== null))
}

function planOf(args: Arguments): Plan {
  // The one name that no plain object can have as its own by assignment; bodies and queries drop it too.
  const names = Object.keys(args).filter((name) => name !== '__proto__')
  const entries: Entry[] = []
  const validators: Step[] = []
  const sanitizers: Step[] = []
  names.forEach((name, index) => {
    const schema = args[name] ?? {}
    const { validate_callback: validator, sanitize_callback: sanitizer } = schema
    const rules = rulesOf(schema)
    // The schema does both steps in one, unless a callback (or null, for none) stands in the place of either.
    if (validator === undefined) entries.push({ name, rules, keep: sanitizer !== undefined })
    else {
      entries.push({ name, rules: {} })
      if (validator !== null) validators.push({ index, name, call: validator as Callback })
    }
    if (typeof sanitizer === 'function') sanitizers.push({ index, name, call: sanitizer as Callback })
    else if (validator !== undefined && sanitizer === undefined) {
      sanitizers.push({ index, name, call: (value) => sanitize(value, rules, name) })
    }
  })
  return {
    names,
    required: names
      .filter((name) => args[name]?.required === true && (args[name].default ?? null) === null)
      .map((name) => [name, [args[name]?.type].flat().includes('null')]),
    check: compile(entries),
    validators,
    sanitizers,
  }
}

function missingOf({ required }: Plan, given: Record<string, unknown>): RestError | null {
  const params: string[] = []
  for (const [name, nullable] of required) {
    const value = own(given, name)
    if (value === undefined || (value === null && !nullable)) params.push(name)
  }
  if (params.length === 0) return null
  return kernelErrors.rest_missing_callback_param(params.join(', '), { data: { params } })
}

/** A property that is not inherited. */
const own = (map: Record<string, unknown>, name: string) => (Object.hasOwn(map, name) ? map[name] : undefined)

/** Errors by the position of their argument. */
type Errors = Map<number, RestError>

function errorsOf({ names }: Plan, refusals: readonly Refusal[]): Errors {
  return new Map(refusals.map((refusal) => [refusal.index, refusalError(refusal, names[refusal.index] ?? '')]))
}

/** The error of an argument, and its name. */
type Named = readonly [name: string, error: RestError]

/** The errors of a plan's arguments, in the order of their declaration. */
function inOrder({ names }: Plan, errors: Errors): Named[] {
  return [...errors].sort(([a], [b]) => a - b).map(([index, error]) => [names[index] ?? '', error])
}

/** The error of a value of which a callback says no more than that it is wrong. */
function unexplained(): RestError {
  const error = kernelErrors.rest_invalid_param('Invalid parameter.')
  error.rule = null
  return error
}

/** One error for all the arguments that are wrong. */
function invalid(found: readonly Named[]): RestError {
  const params = Object.fromEntries(found.map(([name, { message }]) => [name, message]))
  const details = Object.fromEntries(
    found.flatMap(([name, { code, message, data, rule = { code, message, data } }]) =>
      rule === null ? [] : [[name, rule]],
    ),
  )
  return kernelErrors.rest_invalid_param(`Invalid parameter(s): ${found.map(([name]) => name).join(', ')}`, {
    data: { params, details },
  })
}

/** Runs the callbacks of validation, then, if nothing is wrong, those of sanitization. */
function runCallbacks(
  plan: Plan,
  given: Record<string, unknown>,
  values: Record<string, unknown>,
  request: unknown,
  errors: Errors,
): Checked | Promise<Checked> {
  const refuse = (step: Step, error: RestError) => void errors.set(step.index, error)
  const takeVerdict = (step: Step, verdict: unknown) => {
    if (verdict instanceof RestError) refuse(step, verdict)
    else if (verdict === false) refuse(step, unexplained())
    else if (verdict !== true) throw ARGUMENT_CALLBACK_WRONG(step.name, shown(verdict))
  }
  const store = (step: Step, value: unknown) => {
    if (value instanceof RestError) refuse(step, value)
    else values[step.name] = value
  }
  const finish = (): Checked =>
    errors.size === 0 ? { ok: true, values } : { ok: false, error: invalid(inOrder(plan, errors)) }
  const isGiven = ({ name }: Step) => own(given, name) !== undefined
  const validators = plan.validators.filter(isGiven)
  const sanitizers = plan.sanitizers.filter(isGiven)
  const sanitized = () => (errors.size > 0 ? undefined : callAll(sanitizers, given, request, store))
  const validated = callAll(validators, given, request, takeVerdict)
  const done = validated === undefined ? sanitized() : validated.then(sanitized)
  return done === undefined ? finish() : done.then(finish)
}

/** Calls steps one after the other and takes each result; returns a promise as soon as one of them does. */
function callAll(
  steps: readonly Step[],
  given: Record<string, unknown>,
  request: unknown,
  take: (step: Step, result: unknown) => void,
  from = 0,
): Promise<void> | undefined {
  for (let at = from; at < steps.length; at++) {
    const step = steps[at] as Step
    let result: unknown
    try {
      result = step.call(given[step.name], request, step.name)
    } catch (error) {
      result = restErrorOf(error)
    }
    if (result instanceof Promise) {
      return result.catch(restErrorOf).then((late: unknown) => {
        take(step, late)
        return callAll(steps, given, request, take, at + 1)
      })
    }
    take(step, result)
  }
  return undefined
}

/** A thrown RestError is as good as a returned one; anything else is a fault of the callback and goes on. */
function restErrorOf(error: unknown): RestError {
  if (error instanceof RestError) return error
  throw error
}
