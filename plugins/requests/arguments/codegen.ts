/** What the keywords generate code with. */
import type { CodeKeywordDefinition, KeywordCxt } from 'ajv/dist/core.js'
import { _, type Code, type CodeGen, type Name, nil } from 'ajv/dist/compile/codegen/index.js'
import type { Type } from 'ajv/dist/compile/util.js'
import type { RuleCode } from './rule-errors.ts'
import type { Rules } from './rules.ts'

const SUBSCHEMA = { schemaPath: nil, errSchemaPath: '' } as const

/** Whether a map has a property of its own; names that every object inherits need the longer test. */
export function has(map: Code, name: string): Code {
  return name in Object.prototype ? _`Object.hasOwn(${map}, ${name})` : _`${map}[${name}] !== undefined`
}

/** What a refusal tells beside its text. */
interface Told {
  /** Whether the text follows the name of the parameter; true if it is left out. */
  named?: boolean
  /** The rules that were tried in turn, for the error to say by which of them the value fails. */
  tried?: readonly Rules[]
}

/** Refuses the value where a condition holds. */
export function refuse(cxt: KeywordCxt, code: RuleCode, when: Code, text: string | Code, told: Told = {}): void {
  setRefusal(cxt, code, text, told)
  cxt.fail(when)
}

/** Sets what the next refusal of a keyword says. */
export function setRefusal(cxt: KeywordCxt, code: RuleCode, text: string | Code, told: Told = {}): void {
  const { named = true, tried } = told
  const trial = tried === undefined ? nil : _`, value: ${cxt.data}, tried: ${use(cxt.gen, tried)}`
  cxt.setParams({
    text: typeof text === 'string' ? _`${text}` : text,
    params: _`{ named: ${named}, code: ${code}${trial} }`,
  })
}

/** How ajv reports a refusal. */
export const error: NonNullable<CodeKeywordDefinition['error']> = {
  message: ({ params }) => params.text as Code,
  params: ({ params }) => params.params as Code,
}

/** A function or value of ours, by a name that the generated code can use. */
export const use = (gen: CodeGen, ref: unknown): Name => gen.scopeValue('func', { ref })

/** A property or item of the value, or a copy of the value for which no errors are written. */
type Place = { dataProp: Name | string; dataPropType: Type } | { data: Name; createErrors: false }

/** Checks a part of the value by other rules; returns the variable with the sanitized part. */
export function part(cxt: KeywordCxt, rules: Rules, at: Place, valid: Name): Name {
  const { topSchemaRef } = cxt.it
  return cxt.subschema(
    { ...SUBSCHEMA, ...at, schema: rules, topSchemaRef, compositeRule: true, allErrors: false },
    valid,
  ).data
}

/** Tries a copy of the value against each of the rules; the value becomes that of the first that it satisfies. */
export function tryEach(cxt: KeywordCxt, choices: Rules[], all: boolean): Name {
  const { gen, data } = cxt
  const given = gen.const('given', data)
  const matches = gen.let('matches', 0)
  for (const rules of choices) {
    gen.if(all ? true : _`${matches} === 0`, () => {
      const valid = gen.name('valid')
      const copy = gen.let('copy', given)
      part(cxt, rules, { data: copy, createErrors: false }, valid)
      gen.if(valid, () => gen.if(_`${matches}++ === 0`, () => gen.assign(data, copy)))
    })
  }
  // The errors of choices that did not fit.
  cxt.reset()
  return matches
}

/** Replaces the value that is checked. */
export const set = (cxt: KeywordCxt, value: Code): void => void cxt.gen.assign(cxt.data, value)
