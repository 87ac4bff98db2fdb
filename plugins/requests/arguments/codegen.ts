/** Helpers with which the keywords generate code. */
import type { CodeKeywordDefinition, KeywordCxt } from 'ajv/dist/core.js'
import { _, type Code, type CodeGen, type Name, nil } from 'ajv/dist/compile/codegen/index.js'
import type { Type } from 'ajv/dist/compile/util.js'
import type { RuleCode } from './rule-errors.ts'
import type { Rules } from './rules.ts'

const SUBSCHEMA = { schemaPath: nil, errSchemaPath: '' } as const

/** Generates the test for an own property. Names that every object inherits need the longer test. */
export function has(map: Code, name: string): Code {
  return name in Object.prototype ? _`Object.hasOwn(${map}, ${name})` : _`${map}[${name}] !== undefined`
}

/** Details of a refusal in addition to its text. */
interface RefusalDetails {
  /** Whether the text follows the name of the parameter; true by default. */
  named?: boolean
  /** Alternatives that were tried, so that the error can name the best match. */
  tried?: readonly Rules[]
}

/** Refuses the value if a condition holds. */
export function refuse(
  cxt: KeywordCxt,
  code: RuleCode,
  when: Code,
  text: string | Code,
  details: RefusalDetails = {},
): void {
  setRefusal(cxt, code, text, details)
  cxt.fail(when)
}

/** Sets the text and details of the next refusal of a keyword. */
export function setRefusal(cxt: KeywordCxt, code: RuleCode, text: string | Code, details: RefusalDetails = {}): void {
  const { named = true, tried } = details
  const trial = tried === undefined ? nil : _`, value: ${cxt.data}, tried: ${use(cxt.gen, tried)}`
  cxt.setParams({
    text: typeof text === 'string' ? _`${text}` : text,
    params: _`{ named: ${named}, code: ${code}${trial} }`,
  })
}

/** Makes ajv store the text and details of `setRefusal` in its error objects. */
export const error: NonNullable<CodeKeywordDefinition['error']> = {
  message: ({ params }) => params.text as Code,
  params: ({ params }) => params.params as Code,
}

/** Makes a function or value available to the generated code. @returns its name there */
export const use = (gen: CodeGen, ref: unknown): Name => gen.scopeValue('func', { ref })

/** A property or item of the value, or a copy of the value that is checked without collecting errors. */
type Place = { dataProp: Name | string; dataPropType: Type } | { data: Name; createErrors: false }

/** Checks a part of the value by other rules. @returns the variable with the sanitized part */
export function checkPart(cxt: KeywordCxt, rules: Rules, at: Place, valid: Name): Name {
  const { topSchemaRef } = cxt.it
  return cxt.subschema(
    { ...SUBSCHEMA, ...at, schema: rules, topSchemaRef, compositeRule: true, allErrors: false },
    valid,
  ).data
}

/**
 * Tests a copy of the value against each alternative. The value becomes the sanitized copy of the first match. @returns
 * the variable with the number of matches
 */
export function tryEach(cxt: KeywordCxt, choices: Rules[], all: boolean): Name {
  const { gen, data } = cxt
  const original = gen.const('original', data)
  const matches = gen.let('matches', 0)
  for (const rules of choices) {
    gen.if(all ? true : _`${matches} === 0`, () => {
      const valid = gen.name('valid')
      const copy = gen.let('copy', original)
      checkPart(cxt, rules, { data: copy, createErrors: false }, valid)
      gen.if(valid, () => gen.if(_`${matches}++ === 0`, () => gen.assign(data, copy)))
    })
  }
  // Drops the errors of alternatives that do not match.
  cxt.reset()
  return matches
}

/** Replaces the checked value. */
export const set = (cxt: KeywordCxt, value: Code): void => void cxt.gen.assign(cxt.data, value)
