import { errors, type BrokenRule, type RestError, type ArgumentSchema } from '../../../kernel/index.ts'
import { ruleErrors } from './rule-errors.ts'
import { listOf, mapOf, toBoolean, toInteger, toNumber, toText } from './cast.ts'
import { compile, type Check, type Refusal } from './compile.ts'
import { FORMATS } from './formats.ts'
import { linearPattern } from './linear-pattern.ts'
import { rulesOf, type Rules } from './rules.ts'

/** Whether a value satisfies a schema; the error names it `name`, and its parts `name[0]`, `name[part]`. */
export function validateValue(value: unknown, schema: ArgumentSchema, name: string): true | RestError {
  const result = parse(value, rulesOf(schema), name)
  return result.error ?? true
}

/** The value as the schema's types make it (specification 7.2); of an invalid value the nearest that they can make. */
export function sanitizeValue(value: unknown, schema: ArgumentSchema, name = 'value'): unknown {
  return sanitize(value, rulesOf(schema), name)
}

/**
 * Validates a value, then sanitizes it: the combined step of specification 7.2.
 * @throws RestError that says what is wrong with the value
 */
export function parseValue(value: unknown, schema: ArgumentSchema, name: string): unknown {
  const result = parse(value, rulesOf(schema), name)
  if (result.error !== undefined) throw result.error
  return result.value
}

/** The error for a value that was refused: of the code that the specification has for it, and with the rule. */
export function refusalError(refusal: Omit<Refusal, 'index'>, name: string): RestError {
  const { code, text, named, path } = refusal
  const param = name + path
  const message = named ? param + text : text
  const isOwn = code === 'rest_invalid_date' || code === 'rest_invalid_email'
  const error = (isOwn ? ruleErrors[code] : errors.rest_invalid_param)(message, { data: { param } })
  error.rule = brokenRule(refusal, param, message)
  return error
}

function brokenRule({ code, tried, value }: Omit<Refusal, 'index'>, param: string, message: string): BrokenRule {
  // Of what was tried, that which fails for another reason than its type is what was meant.
  const meant = (tried ?? []).flatMap((rules, position) => {
    const rule = parse(value, rules, param).error?.rule ?? null
    const isOther =
      rule?.code === 'rest_invalid_type' && rule.data !== null && 'param' in rule.data && rule.data.param === param
    return rule === null || isOther ? [] : [{ rule, rules, position }]
  })
  if (code === 'rest_invalid_type') return meant[0]?.rule ?? { code, message, data: { param } }
  const position = nearest(meant, value)
  return { code, message, data: position === null ? null : { position } }
}

/** A form that a value does not fit though it is of its type. */
interface Near {
  rule: BrokenRule
  rules: Rules
  position: number
}

/** The position of the form that a value comes nearest to: one that names none of its properties, or another kind, is not it. */
function nearest(meant: readonly Near[], value: unknown): number | null {
  const ofKind = meant.filter(({ rule }) => rule.code !== 'rest_not_in_enum')
  const left = ofKind.length === 0 ? meant : ofKind
  const shared = left.map(({ rules }) => rules.map?.declared.filter(([name]) => has(value, name)).length ?? 0)
  const most = Math.max(...shared)
  const best = left.filter((_, index) => shared[index] === most)
  return best.length === 1 ? best[0]!.position : null
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
  // A value that is not there is null to the rules: they decide about everything that they are asked.
  const refusal = check({ value: value ?? null }, values)?.[0]
  return refusal === undefined ? { value: values.value } : { value, error: refusalError(refusal, name) }
}

/** The value as the rules make it; of an invalid value the nearest that they can make. */
export function sanitize(value: unknown, rules: Rules, name: string): unknown {
  const result = parse(value, rules, name)
  return result.error === undefined ? result.value : force(value, rules, (inner, by) => sanitize(inner, by, name))
}

/** Casts a value that breaks the rules (specification 7.2): to the nearest value that each type can make. */
function force(value: unknown, rules: Rules, parse: (value: unknown, rules: Rules) => unknown): unknown {
  const { kind, kinds, items, map, format } = rules
  // No listed type validates.
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
      const given = mapOf(value, true) ?? {}
      return map === undefined ? given : forceMap(given, map, parse)
    }
  }
}

function forceMap(
  given: Record<string, unknown>,
  { declared, patterns, others }: NonNullable<Rules['map']>,
  parse: (value: unknown, rules: Rules) => unknown,
): Record<string, unknown> {
  const named = new Map(declared)
  const forced: [name: string, value: unknown][] = []
  for (const [name, value] of Object.entries(given)) {
    const rules = named.get(name) ?? patterns.find(([pattern]) => linearPattern(pattern).test(name))?.[1] ?? others
    if (rules !== false) forced.push([name, rules === true ? value : parse(value, rules)])
  }
  return Object.fromEntries(forced)
}
