import {
  defineErrors,
  errors as kernelErrors,
  RestError,
  shown,
  type Arguments,
  type Checked,
} from '../../../kernel/index.ts'
import { isUtf8Encoded } from '../../library/encoding/index.ts'
import { compile, type Check, type Refusal } from './compile.ts'
import type { Entry } from './keywords.ts'
import { rulesOf } from './rules.ts'
import { sizeCheckOf, type SizeCheck } from './size-limits.ts'
import { defaultMistake } from './mistakes.ts'
import { refusalError, sanitize, validateValue } from './validate.ts'

const { ARGUMENT_CALLBACK_WRONG, rest_invalid_utf8: invalidUtf8 } = defineErrors({
  rest_invalid_utf8: [400, 'The query of the URL is not valid UTF-8. Percent-encode the bytes of its text in UTF-8.'],
  ARGUMENT_CALLBACK_WRONG: (argument: string, returned: string) =>
    `The validate_callback of the argument ${argument} returned ${returned}. Return true, false or a RestError.`,
})

type Callback = (value: unknown, request: unknown, name: string) => unknown

interface Plan {
  names: readonly string[]
  /** Arguments that requests must send, because the schema refuses their default, such as `view` of only `edit`. */
  refusedDefaults: ReadonlyMap<number, RestError>
  /** Names of the required arguments, and whether null counts as a value. */
  required: readonly (readonly [name: string, nullable: boolean])[]
  check: Check
  validators: readonly Step[]
  sanitizers: readonly Step[]
}

/** A callback of an argument. */
interface Step {
  index: number
  name: string
  call: Callback
}

const plans = new WeakMap<Arguments, Plan>()

/**
 * Validates and sanitizes the arguments of a request (specification 7.1 and 7.2). The schemas are compiled at first use
 * and cached for the lifetime of the `args` object, which must not change afterwards.
 *
 * A query that is not valid UTF-8 is refused (400 `rest_invalid_utf8`). Missing arguments are reported first (400
 * `rest_missing_callback_param`), then arguments that are too large, then all invalid ones (400 `rest_invalid_param`
 * with a message and details for each). Undeclared parameters are omitted from the values, and the caller applies
 * defaults. `input` is not modified.
 * @returns a promise only if a callback returns one
 * @throws PATTERN_UNSUPPORTED for a pattern that could block the server, and any error of a callback that is not a
 * RestError
 */
export function checkArguments(
  args: Arguments,
  input: Record<string, unknown>,
  request: unknown,
): Checked | Promise<Checked> {
  let plan = plans.get(args)
  if (plan === undefined) {
    plan = planOf(args)
    plans.set(args, plan)
  }
  // Requests of plugins and of batches have no URL; batches check theirs.
  const url = (request as { url?: unknown } | null | undefined)?.url
  if (typeof url === 'string' && url.includes('%') && !isUtf8Encoded(url)) return { ok: false, error: invalidUtf8() }
  const missing = missingOf(plan, input)
  if (missing !== null) return { ok: false, error: missing }
  const tooLarge = checkSizes(args, input)
  if (tooLarge !== null) return { ok: false, error: tooLarge }
  const values: Record<string, unknown> = {}
  const refusals = plan.check(input, values)
  const { refusedDefaults } = plan
  if (refusedDefaults.size > 0) {
    const missingNames = [...refusedDefaults].filter(([index]) => own(input, plan.names[index]!) === undefined)
    const found = new Map([...missingNames, ...errorsOf(plan, refusals ?? [])])
    if (missingNames.length > 0) return runCallbacks({ ...plan, sanitizers: [] }, input, values, request, found)
  }
  if (plan.validators.length === 0 && plan.sanitizers.length === 0) {
    return refusals === null
      ? { ok: true, values }
      : { ok: false, error: invalid(inOrder(plan, errorsOf(plan, refusals))) }
  }
  return runCallbacks(plan, input, values, request, errorsOf(plan, refusals ?? []))
}

const sizeChecks = new WeakMap<Arguments, ReadonlyMap<string, SizeCheck>>()

/**
 * Checks only the size of arguments, for code that reads them before `checkArguments` has run. Returns the same error
 * as `checkArguments`, or null.
 */
export function checkSizes(args: Arguments, input: Record<string, unknown>): RestError | null {
  let checks = sizeChecks.get(args)
  if (checks === undefined) {
    checks = sizeChecksOf(args)
    sizeChecks.set(args, checks)
  }
  const errors: Named[] = []
  for (const name in input) {
    const excess = checks.get(name)?.(input[name]) ?? null
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
  // `__proto__` cannot be assigned as an own property of a plain object; bodies and queries drop it too.
  const names = Object.keys(args).filter((name) => name !== '__proto__')
  const entries: Entry[] = []
  const validators: Step[] = []
  const sanitizers: Step[] = []
  names.forEach((name, index) => {
    const schema = args[name] ?? {}
    const { validate_callback: validator, sanitize_callback: sanitizer } = schema
    const rules = rulesOf(schema)
    // The schema validates and sanitizes in one step unless a callback, or null for none, replaces one of the two.
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
    refusedDefaults: refusedDefaultsOf(args, names),
    check: compile(entries),
    validators,
    sanitizers,
  }
}

function refusedDefaultsOf(args: Arguments, names: readonly string[]): Map<number, RestError> {
  return new Map(
    names.flatMap((name, index) => {
      const schema = args[name] ?? {}
      if (defaultMistake(schema) === null) return []
      const fits = validateValue(schema.default, schema, name)
      return fits === true ? [] : [[index, fits] as const]
    }),
  )
}

function missingOf({ required }: Plan, input: Record<string, unknown>): RestError | null {
  const params: string[] = []
  for (const [name, nullable] of required) {
    const value = own(input, name)
    if (value === undefined || (value === null && !nullable)) params.push(name)
  }
  if (params.length === 0) return null
  return kernelErrors.rest_missing_callback_param(params.join(', '), { data: { params } })
}

/** Reads an own property. */
const own = (map: Record<string, unknown>, name: string) => (Object.hasOwn(map, name) ? map[name] : undefined)

/** Errors by the position of their argument. */
type Errors = Map<number, RestError>

function errorsOf({ names }: Plan, refusals: readonly Refusal[]): Errors {
  return new Map(refusals.map((refusal) => [refusal.index, refusalError(refusal, names[refusal.index] ?? '')]))
}

/** The name of an argument and its error. */
type Named = readonly [name: string, error: RestError]

/** Returns the errors in the order in which the arguments are declared. */
function inOrder({ names }: Plan, errors: Errors): Named[] {
  return [...errors].sort(([a], [b]) => a - b).map(([index, error]) => [names[index] ?? '', error])
}

/** Creates the error for a callback that returned false without a reason. */
function unexplained(): RestError {
  const error = kernelErrors.rest_invalid_param('Invalid parameter.')
  error.rule = null
  return error
}

/** Creates one error for all invalid arguments. */
function invalid(found: readonly Named[]): RestError {
  const params = Object.fromEntries(found.map(([name, { message }]) => [name, message]))
  const details = Object.fromEntries(
    found.flatMap(([name, { code, message, data, rule = { code, message, data } }]) =>
      rule === null ? [] : [[name, rule]],
    ),
  )
  return kernelErrors.rest_invalid_param(`Invalid parameter(s): ${found.map(([name]) => name).join(', ')}`, {
    // Existing clients expect an empty list.
    data: { params, details: Object.keys(details).length === 0 ? [] : details },
  })
}

/** Runs the validation callbacks and then, if all values are valid, the sanitization callbacks. */
function runCallbacks(
  plan: Plan,
  input: Record<string, unknown>,
  values: Record<string, unknown>,
  request: unknown,
  errors: Errors,
): Checked | Promise<Checked> {
  const refuse = (step: Step, error: RestError) => void errors.set(step.index, error)
  const handleVerdict = (step: Step, verdict: unknown) => {
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
  const isPresent = ({ name }: Step) => own(input, name) !== undefined
  const validators = plan.validators.filter(isPresent)
  const sanitizers = plan.sanitizers.filter(isPresent)
  const sanitized = () => (errors.size > 0 ? undefined : callAll(sanitizers, input, request, store))
  const validated = callAll(validators, input, request, handleVerdict)
  const done = validated === undefined ? sanitized() : validated.then(sanitized)
  return done === undefined ? finish() : done.then(finish)
}

/** Calls steps one after the other and handles each result. Returns a promise as soon as a step does. */
function callAll(
  steps: readonly Step[],
  input: Record<string, unknown>,
  request: unknown,
  handle: (step: Step, result: unknown) => void,
  from = 0,
): Promise<void> | undefined {
  for (let at = from; at < steps.length; at++) {
    const step = steps[at] as Step
    let result: unknown
    try {
      result = step.call(input[step.name], request, step.name)
    } catch (error) {
      result = restErrorOf(error)
    }
    if (result instanceof Promise) {
      return result.catch(restErrorOf).then((late: unknown) => {
        handle(step, late)
        return callAll(steps, input, request, handle, at + 1)
      })
    }
    handle(step, result)
  }
  return undefined
}

/** Treats a thrown RestError like a returned one. @throws any other error, which is a bug of the callback */
function restErrorOf(error: unknown): RestError {
  if (error instanceof RestError) return error
  throw error
}
