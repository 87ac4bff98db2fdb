/**
 * The argument rules of specification 7.1 and 7.2 as an ajv vocabulary. Keywords validate and sanitize in one pass:
 * each replaces the variable of the value with the sanitized value, so that a set of arguments compiles to one
 * function. Lists and maps are copied before they are modified; the input does not change.
 */
import type { CodeKeywordDefinition, KeywordCxt } from 'ajv/dist/core.js'
import { _, type Code, type Name, str } from 'ajv/dist/compile/codegen/index.js'
import { Type } from 'ajv/dist/compile/util.js'
import { allDifferent, booleanLike, canonical, codePoints, isMultiple, listOf, mapOf, numeric } from './cast.ts'
import { error, has, checkPart, refuse, set, setRefusal, tryEach, use } from './codegen.ts'
import type { RuleCode } from './rule-errors.ts'
import { FORMATS } from './formats.ts'
import { linearPattern } from './linear-pattern.ts'
import type { Range, Rules } from './rules.ts'
import type { SchemaFormat } from '../../library/schemas/index.ts'

/** An argument to compile. With `keep`, the value is checked but stored without sanitization. */
export interface Entry {
  name: string
  rules: Rules
  keep?: boolean
}

/** `kind`: checks the type and casts to it. */
function kindCode(cxt: KeywordCxt): void {
  const { gen, data } = cxt
  const { name, checked, split, loose } = cxt.schema as NonNullable<Rules['kind']>
  const text = ` is not of type ${name}.`
  switch (checked) {
    case 'string':
      refuse(cxt, 'rest_invalid_type', _`typeof ${data} !== "string"`, text)
      break
    case 'integer':
    case 'number':
      gen.if(_`typeof ${data} === "string"`, () => set(cxt, _`${use(gen, numeric)}(${data})`))
      // Unsafe integers would silently change.
      refuse(
        cxt,
        'rest_invalid_type',
        checked === 'integer' ? _`!Number.isSafeInteger(${data})` : _`!Number.isFinite(${data})`,
        text,
      )
      set(cxt, _`${data} + 0`) // -0 is 0
      break
    case 'boolean':
      gen.if(_`typeof ${data} !== "boolean"`, () => set(cxt, _`${use(gen, booleanLike)}(${data})`))
      refuse(cxt, 'rest_invalid_type', _`${data} === undefined`, text)
      break
    case 'null':
      refuse(cxt, 'rest_invalid_type', _`${data} !== null`, text)
      break
    case 'array':
      set(cxt, _`${use(gen, listOf)}(${data}, ${split}, ${loose})`)
      refuse(cxt, 'rest_invalid_type', _`${data} === undefined`, text)
      break
    case 'object':
      set(cxt, _`${use(gen, mapOf)}(${data}, ${loose})`)
      refuse(cxt, 'rest_invalid_type', _`${data} === undefined`, text)
      break
    case null:
  }
}

/** `format`: checks the text, then sanitizes it for later keywords. */
function formatCode(cxt: KeywordCxt): void {
  const { gen, data } = cxt
  const format = FORMATS[cxt.schema as SchemaFormat]
  const isText = _`typeof ${data} === "string"`
  if (format.check !== undefined) {
    const message = format.message ?? ''
    const named = message.startsWith(' ')
    const fails = _`${isText} && !${use(gen, format.check)}(${data})`
    refuse(cxt, format.code as RuleCode, fails, message, { named })
  }
  if (format.sanitize !== undefined) {
    gen.if(isText, () => set(cxt, _`${use(gen, format.sanitize)}(${data})`))
  }
}

function boundsCode(cxt: KeywordCxt): void {
  const { data } = cxt
  const { min, max, minExclusive, maxExclusive } = cxt.schema as NonNullable<Rules['bounds']>
  const below = minExclusive ? _`${data} <= ${min}` : _`${data} < ${min}`
  const above = maxExclusive ? _`${data} >= ${max}` : _`${data} > ${max}`
  const side = (exclusive: boolean) => (exclusive ? 'exclusive' : 'inclusive')
  const code = 'rest_out_of_bounds'
  if (max === null) refuse(cxt, code, below, ` must be greater than ${minExclusive ? '' : 'or equal to '}${min}`)
  else if (min === null) refuse(cxt, code, above, ` must be less than ${maxExclusive ? '' : 'or equal to '}${max}`)
  else {
    const text = ` must be between ${min} (${side(minExclusive)}) and ${max} (${side(maxExclusive)})`
    refuse(cxt, code, _`${below} || ${above}`, text)
  }
}

/** A counted unit, with the error codes for too few and too many. */
interface CountedUnit {
  one: string
  many: string
  tooFew: RuleCode
  tooMany: RuleCode
}

const CHARACTERS: CountedUnit = {
  one: 'character',
  many: 'characters',
  tooFew: 'rest_too_short',
  tooMany: 'rest_too_long',
}
const ITEMS: CountedUnit = { one: 'item', many: 'items', tooFew: 'rest_too_few_items', tooMany: 'rest_too_many_items' }
const PROPERTIES: CountedUnit = {
  one: 'property',
  many: 'properties',
  tooFew: 'rest_too_few_properties',
  tooMany: 'rest_too_many_properties',
}

/** Refuses a count outside of a range. */
function countCode(
  cxt: KeywordCxt,
  count: Code,
  { min, max }: Range,
  { one, many, tooFew, tooMany }: CountedUnit,
): void {
  const units = (size: number) => `${size} ${size === 1 ? one : many}`
  if (min !== null) refuse(cxt, tooFew, _`${count} < ${min}`, ` must have at least ${units(min)}.`)
  if (max !== null) refuse(cxt, tooMany, _`${count} > ${max}`, ` must have at most ${units(max)}.`)
}

function lengthCode(cxt: KeywordCxt): void {
  const { gen, data } = cxt
  const count = gen.const('count', _`typeof ${data} === "string" ? ${use(gen, codePoints)}(${data}) : NaN`)
  countCode(cxt, count, cxt.schema as Range, CHARACTERS)
}

function patternCode(cxt: KeywordCxt): void {
  const { gen, data } = cxt
  const pattern = use(gen, linearPattern(cxt.schema as string))
  const text = ` does not match the pattern ${cxt.schema as string}.`
  refuse(cxt, 'rest_invalid_pattern', _`typeof ${data} === "string" && !${pattern}.test(${data})`, text)
}

function itemsCode(cxt: KeywordCxt): void {
  const { gen, data } = cxt
  const valid = gen.let('valid', true)
  gen.forRange('i', 0, _`${data}.length`, (i) => {
    const fits = gen.name('fits')
    const item = checkPart(cxt, cxt.schema as Rules, { dataProp: i, dataPropType: Type.Num }, fits)
    gen.if(
      fits,
      () => gen.assign(_`${data}[${i}]`, item),
      () => gen.assign(valid, false).break(),
    )
  })
  cxt.ok(valid)
}

function mapCode(cxt: KeywordCxt): void {
  const { gen, data } = cxt
  const { declared, patterns, additional, required, count } = cxt.schema as NonNullable<Rules['map']>
  for (const name of required) {
    refuse(cxt, 'rest_property_required', _`!(${has(data, name)})`, ` lacks the required property ${name}.`)
  }
  if (count.min !== null || count.max !== null) {
    countCode(cxt, gen.const('count', _`Object.keys(${data}).length`), count, PROPERTIES)
  }
  for (const [name, rules] of declared) {
    const valid = gen.let('valid', true)
    gen.if(has(data, name), () => propertyCode(cxt, rules, name, valid))
    cxt.ok(valid)
  }
  if (patterns.length > 0 || additional !== true) undeclaredCode(cxt, { declared, patterns, additional })
}

function propertyCode(cxt: KeywordCxt, rules: Rules, name: Name | string, valid: Name): void {
  const { gen, data } = cxt
  const fits = gen.name('fits')
  const value = checkPart(cxt, rules, { dataProp: name, dataPropType: Type.Str }, fits)
  gen.if(
    fits,
    () => gen.assign(_`${data}[${name}]`, value),
    () => gen.assign(valid, false),
  )
}

/** Checks undeclared properties: first the ones that match a pattern, then all others. */
function undeclaredCode(
  cxt: KeywordCxt,
  { declared, patterns, additional }: Pick<NonNullable<Rules['map']>, 'declared' | 'patterns' | 'additional'>,
): void {
  const { gen, data } = cxt
  const names = use(gen, new Set(declared.map(([name]) => name)))
  const valid = gen.let('valid', true)
  gen.forOf('key', _`Object.keys(${data})`, (key) => {
    gen.if(_`${names}.has(${key})`, _`continue`)
    const other = gen.let('other', true)
    for (const [pattern, rules] of patterns) {
      gen.if(_`${valid} && ${use(gen, linearPattern(pattern))}.test(${key})`, () => {
        gen.assign(other, false)
        propertyCode(cxt, rules, key, valid)
      })
    }
    if (additional === false) {
      gen.if(other, () => {
        const text = str`${key} is not a valid property of Object.`
        setRefusal(cxt, 'rest_additional_properties_forbidden', text, { named: false })
        cxt.error()
        gen.assign(valid, false)
      })
    } else if (additional !== true) {
      gen.if(other, () => propertyCode(cxt, additional, key, valid))
    }
    gen.if(_`!${valid}`, () => gen.break())
  })
  cxt.ok(valid)
}

/** `enum`: compares the value after its cast strictly with the listed values. */
function enumCode(cxt: KeywordCxt): void {
  const { gen, data } = cxt
  const { values, text } = cxt.schema as NonNullable<Rules['enum']>
  const listed = [...new Set(values)]
  const isScalar = (value: unknown) => typeof value !== 'object' || value === null
  let differs: Code
  if (!listed.every(isScalar)) {
    differs = _`!${use(gen, new Set(listed.map((value) => canonical(value))))}.has(${use(gen, canonical)}(${data}))`
  } else if (listed.length > 8) {
    differs = _`!${use(gen, new Set(listed))}.has(${data})`
  } else {
    differs = listed
      .map((value) => _`${data} !== ${value as string | number | boolean | null}`)
      .reduce((all, one) => _`${all} && ${one}`)
  }
  refuse(cxt, 'rest_not_in_enum', differs, ` is not one of ${text}.`)
}

/** `arguments`: checks all arguments and writes the sanitized values to `this`. */
function argumentsCode(cxt: KeywordCxt): void {
  const { gen, data } = cxt
  for (const { name, rules, keep } of cxt.schema as Entry[]) {
    gen.if(has(data, name), () => {
      const valid = gen.name('valid')
      const value = checkPart(cxt, rules, { dataProp: name, dataPropType: Type.Str }, valid)
      gen.if(valid, () => gen.assign(_`this[${name}]`, keep === true ? _`${data}[${name}]` : value))
    })
  }
}

const NO_FORM = ' has none of the accepted forms.'

/** The vocabulary. Keywords are applied in this order. */
const VOCABULARY: CodeKeywordDefinition[] = [
  { keyword: 'arguments', code: argumentsCode },
  {
    keyword: 'anyOf',
    trackErrors: true,
    code(cxt) {
      const tried = cxt.schema as Rules[]
      const matches = tryEach(cxt, tried, false)
      refuse(cxt, 'rest_no_matching_schema', _`${matches} === 0`, NO_FORM, { tried })
    },
  },
  {
    keyword: 'oneOf',
    trackErrors: true,
    code(cxt) {
      const tried = cxt.schema as Rules[]
      const matches = tryEach(cxt, tried, true)
      refuse(cxt, 'rest_no_matching_schema', _`${matches} === 0`, NO_FORM, { tried })
      const text = ' has more than one of the accepted forms.'
      refuse(cxt, 'rest_one_of_multiple_matches', _`${matches} > 1`, text, { tried })
    },
  },
  {
    keyword: 'kinds',
    trackErrors: true,
    code(cxt) {
      const tried = cxt.schema as Rules[]
      const names = tried.map(({ kind }) => kind?.name).join(',')
      refuse(cxt, 'rest_invalid_type', _`${tryEach(cxt, tried, false)} === 0`, ` is not of type ${names}.`, { tried })
    },
  },
  { keyword: 'kind', code: kindCode },
  {
    keyword: 'size',
    code(cxt) {
      countCode(cxt, _`${cxt.data}.length`, cxt.schema as Range, ITEMS)
    },
  },
  { keyword: 'items', code: itemsCode },
  {
    keyword: 'unique',
    code(cxt) {
      refuse(cxt, 'rest_duplicate_items', _`!${use(cxt.gen, allDifferent)}(${cxt.data})`, ' has the same item twice.')
    },
  },
  { keyword: 'map', code: mapCode },
  { keyword: 'format', code: formatCode },
  { keyword: 'length', code: lengthCode },
  { keyword: 'pattern', code: patternCode },
  { keyword: 'enum', code: enumCode },
  { keyword: 'bounds', code: boundsCode },
  {
    keyword: 'multipleOf',
    code(cxt) {
      const of = cxt.schema as number
      const fails = _`!${use(cxt.gen, isMultiple)}(${cxt.data}, ${of})`
      refuse(cxt, 'rest_invalid_multiple', fails, ` must be a multiple of ${of}.`)
    },
  },
]

export const KEYWORDS = VOCABULARY.map((definition) => ({ ...definition, error }))
