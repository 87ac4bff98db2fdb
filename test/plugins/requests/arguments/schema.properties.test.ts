import fc from 'fast-check'
import { isDeepStrictEqual } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkArguments, sanitizeValue, validateValue } from '../../../../plugins/requests/arguments/index.ts'
import type { ArgumentSchema } from '../../../../kernel/index.ts'

const bound = fc.integer({ min: -20, max: 20 })
const size = fc.nat({ max: 4 })
const name = fc.constantFrom('a', 'b', 'constructor', '__proto__', 'c/d', '0')
/** Generates a schema with some of the keys, none of them undefined. */
const some = (keys: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<ArgumentSchema> =>
  fc.record(keys, { requiredKeys: 'type' in keys ? ['type'] : [] }) as fc.Arbitrary<ArgumentSchema>

const { schema } = fc.letrec<{ schema: ArgumentSchema; leaf: ArgumentSchema }>((tie) => ({
  leaf: fc.oneof(
    fc.constant({}),
    some({
      type: fc.constant('string'),
      minLength: size,
      maxLength: size,
      enum: fc.array(fc.string(), { maxLength: 12 }),
    }),
    some({
      type: fc.constant('string'),
      format: fc.constantFrom('date-time', 'email', 'ip', 'uri', 'uuid', 'hex-color', 'text-field', 'textarea-field'),
      minLength: size,
    }),
    some({
      type: fc.constantFrom('integer', 'number'),
      minimum: bound,
      maximum: bound,
      exclusiveMinimum: fc.boolean(),
      exclusiveMaximum: fc.boolean(),
      multipleOf: fc.constantFrom(0.5, 2, 3),
      enum: fc.array(fc.oneof(bound, bound.map(String)), { maxLength: 12 }),
    }),
    some({ type: fc.constantFrom('boolean', 'null', 'unheard-of') }),
    some({ enum: fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 }) }),
  ),
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    some({
      type: fc.constant('array'),
      items: tie('schema'),
      minItems: size,
      maxItems: size,
      uniqueItems: fc.boolean(),
    }),
    some({
      type: fc.constant('object'),
      properties: fc.dictionary(name, tie('schema'), { maxKeys: 3, noNullPrototype: false }),
      additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
      required: fc.array(name, { maxLength: 1 }),
      maxProperties: size,
    }),
    some({
      type: fc
        .uniqueArray(fc.constantFrom('string', 'integer', 'boolean', 'null', 'array', 'object'), {
          minLength: 1,
          maxLength: 3,
        })
        // The text 01 is an integer, and the integer 1 is boolean-like, so sanitizing is not idempotent if both types
        // are listed.
        .filter((types) => !(types.includes('boolean') && types.includes('integer'))),
      items: tie('schema'),
      minimum: bound,
    }),
  ),
}))

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '',
    '1',
    '-0',
    '1e3',
    '0x10',
    'true',
    'FALSE',
    '0',
    '1,2',
    'a b,,c',
    '2025-01-05T10:00:00',
    'a@b.co',
    '::1',
    '#fff',
    'x<y',
    '%4%411',
    '586f3187-83bb-4d4a-a10d-e9d43a0a7de8',
  ),
  fc.string({
    unit: fc.constantFrom('<', '>', 'a', '/', '%', '4', ' ', '\n', ':', '&', '!', '-', 's', 'İ', '\u0000', '\ud800'),
  }),
  fc.integer().map(String),
)
const value = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.array(text, { maxLength: 5 }),
  fc.dictionary(name, fc.oneof(text, fc.integer(), fc.array(text, { maxLength: 2 })), {
    maxKeys: 3,
    noNullPrototype: false,
  }),
  fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSparseArray: true,
    key: fc.oneof(name, fc.string()),
  }),
)

// Compiling a schema takes milliseconds, so each is tested with many values.
const schemas = { numRuns: 150 }
const values = fc.array(value, { minLength: 15, maxLength: 15 })

const properties = suite('argument schemas')

properties('neither throw nor pollute prototypes for any value', () => {
  fc.assert(
    fc.property(schema, values, (declared, all) => {
      for (const one of all) {
        validateValue(one, declared, 'a')
        sanitizeValue(one, declared)
        void checkArguments({ a: declared, constructor: declared }, { a: one, constructor: one }, null)
      }
      assert.equal(Object.keys(Object.prototype), [])
    }),
    schemas,
  )
})

properties('sanitize valid values to valid values, idempotently', () => {
  let tried = 0
  fc.assert(
    fc.property(schema, values, (declared, all) => {
      for (const one of all) {
        if (validateValue(one, declared, 'a') !== true) continue
        tried++
        const once = sanitizeValue(one, declared)
        assert.is(validateValue(once, declared, 'a'), true)
        // Not assert.equal, which takes a property named constructor for the class of the value.
        assert.ok(isDeepStrictEqual(sanitizeValue(once, declared), once))
      }
    }),
    schemas,
  )
  // Usually about 400 of 2,250. With next to none, the test would prove nothing.
  assert.ok(tried > 100, `only ${tried} valid values`)
})

properties('sanitize any text idempotently', () => {
  for (const format of ['uri', 'text-field', 'textarea-field', 'email', 'ip', 'date-time'] as const) {
    const declared: ArgumentSchema = { type: 'string', format }
    fc.assert(
      fc.property(text, (one) => {
        const once = sanitizeValue(one, declared)
        assert.is(sanitizeValue(once, declared), once)
      }),
    )
  }
})

properties('never modify the input', () => {
  fc.assert(
    fc.property(schema, fc.jsonValue(), (declared, one) => {
      const before = JSON.stringify(one)
      sanitizeValue(one, declared)
      assert.is(JSON.stringify(one), before)
    }),
    schemas,
  )
})

properties.run()
