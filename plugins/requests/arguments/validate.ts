import { errors, type BrokenRule, type RestError, type ArgumentSchema } from '../../../kernel/index.ts'
import { ruleErrors } from './rule-errors.ts'
import { listOf, mapOf, toBoolean, toInteger, toNumber, toText } from './cast.ts'
import { compile, type Check, type Refusal } from './compile.ts'
import { FORMATS } from './formats.ts'
import { linearPattern } from './linear-pattern.ts'
import { rulesOf, type Rules } from './rules.ts'

/** Validates a value against a schema. The error names it `name`, and its parts `name[0]` or `name[part]`. */
export function validateValue(value: unknown, schema: ArgumentSchema, name: string): true | RestError {
  const result = parse(value, rulesOf(schema), name)
  return result.error ?? true
}

/**
 * Casts a value to the types of its schema (specification 7.2). An invalid value becomes the nearest value that its
 * types can represent.
 */
export function sanitizeValue(value: unknown, schema: ArgumentSchema, name = 'value'): unknown {
  return sanitize(value, rulesOf(schema), name)
}

/**
 * Validates and then sanitizes a value (specification 7.2).
 * @throws RestError why the value is invalid
 */
export function parseValue(value: unknown, schema: ArgumentSchema, name: string): unknown {
  const result = parse(value, rulesOf(schema), name)
  if (result.error !== undefined) throw result.error
  return result.value
}

/** Creates the error for an invalid value, with the error code from the specification and the broken rule. */
export function refusalError(refusal: Omit<Refusal, 'index'>, name: string): RestError {
  const { code, text, named, path } = refusal
  const param = name + path
  const message = named ? param + text : text
  const hasOwnCode = code === 'rest_invalid_date' || code === 'rest_invalid_email'
  const error = (hasOwnCode ? ruleErrors[code] : errors.rest_invalid_param)(message, { data: { param } })
  error.rule = brokenRule(refusal, param, message)
  return error
}

function brokenRule({ code, tried, value }: Omit<Refusal, 'index'>, param: string, message: string): BrokenRule {
  if (code === 'rest_one_of_multiple_matches') {
    const positions = (tried ?? []).flatMap((rules, position) =>
      parse(value, rules, param).error === undefined ? [position] : [],
    )
    return { code, message, data: { positions } }
  }
  // An alternative that fails for another reason than the type of the value is the one that the client meant.
  const candidates = (tried ?? []).flatMap((rules, position) => {
    const rule = parse(value, rules, param).error?.rule ?? null
    const isOther =
      rule?.code === 'rest_invalid_type' && rule.data !== null && 'param' in rule.data && rule.data.param === param
    return rule === null || isOther ? [] : [{ rule, rules, position }]
  })
  if (code === 'rest_invalid_type') return candidates[0]?.rule ?? { code, message, data: { param } }
  const position = findBestMatch(candidates, value)
  return { code, message, data: position === null ? null : { position } }
}

/** An alternative of `anyOf` or `oneOf` whose type the value has, but whose other rules it breaks. */
interface PartialMatch {
  rule: BrokenRule
  rules: Rules
  position: number
}

/**
 * Returns the position of the alternative that shares the most property names with the value, or null if there is a
 * tie. Alternatives that fail at an `enum`, which often identifies the kind of an object, are ignored if possible; the
 * position then counts the others only, as clients expect it.
 */
function findBestMatch(candidates: readonly PartialMatch[], value: unknown): number | null {
  const sameKind = candidates.filter(({ rule }) => rule.code !== 'rest_not_in_enum')
  const remaining = sameKind.length === 0 ? candidates : sameKind
  const shared = remaining.map(({ rules }) => rules.map?.declared.filter(([name]) => has(value, name)).length ?? 0)
  const maxShared = Math.max(...shared)
  const best = remaining.filter((_, index) => shared[index] === maxShared)
  if (best.length !== 1) return null
  return remaining.length < candidates.length ? remaining.indexOf(best[0]!) : best[0]!.position
}

const has = (value: unknown, name: string) => typeof value === 'object' && value !== null && Object.hasOwn(value, name)

const checks = new WeakMap<Rules, Check>()

function parse(value: unknown, rules: Rules, name: string): { value: unknown; error?: RestError } {
  let check = checks.get(rules)
  if (check === undefined) {
    check = compile([{ name: 'value', rules }])
    checks.set(rules, check)
  }
  const values: Record<string, unknown> = {}
  // The rules treat undefined as null.
  const refusal = check({ value: value ?? null }, values)?.[0]
  return refusal === undefined ? { value: values.value } : { value, error: refusalError(refusal, name) }
}

/** Sanitizes a value by rules. An invalid value becomes the nearest value that its types can represent. */
export function sanitize(value: unknown, rules: Rules, name: string): unknown {
  const result = parse(value, rules, name)
  return result.error === undefined ? result.value : force(value, rules, (inner, by) => sanitize(inner, by, name))
}

/** Casts an invalid value to the nearest value that its types can represent (specification 7.2). */
function force(value: unknown, rules: Rules, parse: (value: unknown, rules: Rules) => unknown): unknown {
  const { kind, kinds, items, map, format } = rules
  // The value matches none of several types.
  if (kinds !== undefined) return null
  switch (kind?.checked) {
    case 'string':
    case undefined:
    case null: {
      if (kind?.checked !== 'string' && typeof value !== 'string') return value
      const text = toText(value)
      return format === undefined ? text : (FORMATS[format]?.sanitize?.(text) ?? text)
    }
    case 'integer':
      return toInteger(value)
    case 'number':
      return toNumber(value)
    case 'boolean':
      return toBoolean(value)
    case 'null':
      return null
    case 'array': {
      const list = listOf(value, kind.split, true) ?? []
      return items === undefined ? list : list.map((item) => parse(item, items))
    }
    case 'object': {
      const properties = mapOf(value, true) ?? {}
      return map === undefined ? properties : forceMap(properties, map, parse)
    }
  }
}

function forceMap(
  properties: Record<string, unknown>,
  { declared, patterns, additional }: NonNullable<Rules['map']>,
  parse: (value: unknown, rules: Rules) => unknown,
): Record<string, unknown> {
  const named = new Map(declared)
  const forced: [name: string, value: unknown][] = []
  for (const [name, value] of Object.entries(properties)) {
    const rules = named.get(name) ?? patterns.find(([pattern]) => linearPattern(pattern).test(name))?.[1] ?? additional
    if (rules !== false) forced.push([name, rules === true ? value : parse(value, rules)])
  }
  return Object.fromEntries(forced)
}
