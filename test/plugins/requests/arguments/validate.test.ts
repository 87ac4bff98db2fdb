import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseValue, sanitizeValue, validateValue } from '../../../../plugins/requests/arguments/index.ts'
import type { RestError, ArgumentSchema } from '../../../../kernel/index.ts'
import type { SchemaFormat } from '../../../../plugins/library/schemas/index.ts'
import { growsLinearly } from '../../../helpers/growth.ts'

/** Returns the error message for a value; undefined if it is valid. */
function refusal(value: unknown, schema: ArgumentSchema): string | undefined {
  const verdict = validateValue(value, schema, 'a')
  return verdict === true ? undefined : verdict.message
}

function valid(schema: ArgumentSchema, ...values: unknown[]): void {
  for (const value of values) assert.is(refusal(value, schema), undefined, `${JSON.stringify(value)} is valid`)
}

function invalid(schema: ArgumentSchema, message: string, ...values: unknown[]): void {
  for (const value of values) assert.is(refusal(value, schema), message, `${JSON.stringify(value)} is invalid`)
}

const ids: ArgumentSchema = { type: 'array', items: { type: 'integer' } }

const validation = suite('validateValue')

validation('accepts any value for an empty schema', () => {
  valid({}, 1, 'x', null, [], { a: 1 }, '')
  assert.is(parseValue('3', {}, 'a'), '3')
})

validation('rule 1: accepts values of any listed type, and otherwise reports one type error', () => {
  const schema: ArgumentSchema = { type: ['integer', 'array'], items: { type: 'integer' }, minimum: 3 }
  valid(schema, 3, '4', '1,2', ['1'])
  invalid(schema, 'a is not of type integer,array.', 'x', [null], { b: 1 })
  invalid({ type: ['string', 'null'], format: 'date-time' }, 'a is not of type string,null.', 'soon')
})

validation('rule 1: does not convert a value of a listed type to a list or a map', () => {
  assert.is(parseValue(false, { type: ['array', 'boolean'], items: { type: 'string' } }, 'a'), false)
  assert.equal(parseValue([], { type: ['object', 'array'] }, 'a'), [])
})

validation('rule 2: accepts as a list a list, a split text, or a map with numeric keys', () => {
  valid(ids, [], [1, '2'], '1,2', '1, 2', '1835,,1854', '', ',', '7', 7, { 0: 1, 5: '2' })
  invalid(ids, 'a is not of type array.', null, { terms: 1 }, {})
  invalid(ids, 'a[0] is not of type integer.', 'abc', ['x'], [[1]], [null])
  invalid(ids, 'a[1] is not of type integer.', '1,b,c', [1, 1.5])
  invalid({ type: 'array', items: ids }, 'a[1][0] is not of type integer.', [[1], ['x']])
})

validation('rule 3: accepts as an object a map, the empty string, or an object that serializes to a map', () => {
  const schema: ArgumentSchema = { type: 'object', properties: { b: { type: 'integer' }, 'c/d': { type: 'null' } } }
  valid(
    schema,
    {},
    '',
    { b: '1' },
    { other: 1 },
    Object.assign(Object.create(null), { b: 2 }),
    { toJSON: () => ({ b: 1 }) },
    [],
  )
  invalid(schema, 'a is not of type object.', 'x', 1, null, [1], true, new Date(0), new Map())
  invalid(schema, 'a[b] is not of type integer.', { b: 'x' }, { toJSON: () => ({ b: 'x' }) })
  invalid(schema, 'a[c/d] is not of type null.', { 'c/d': 1 })
})

validation('rule 3: refuses additional properties or checks them by their schema', () => {
  const closed: ArgumentSchema = { type: 'object', properties: { b: {} }, additionalProperties: false }
  valid(closed, { b: 1 })
  invalid(closed, 'c is not a valid property of Object.', { b: 1, c: 1 })
  const typed: ArgumentSchema = { type: 'object', properties: { b: {} }, additionalProperties: { type: 'boolean' } }
  valid(typed, { b: 'x', c: 'true' })
  invalid(typed, 'a[c] is not of type boolean.', { c: 'x' })
})

validation('rule 4: accepts only null as null', () => {
  valid({ type: 'null' }, null)
  invalid({ type: 'null' }, 'a is not of type null.', '', 'null', 0, false, [])
})

validation('rule 5: requires strict equality with a value of the enum', () => {
  valid({ enum: ['x', 1, null, { b: [1] }] }, 'x', 1, null, { b: [1] })
  invalid({ enum: ['x', 1] }, 'a is not one of x, 1.', 'X', '1', true, null, ['x'])
  const many = Array.from({ length: 20 }, (_, index) => `v${index}`)
  valid({ type: 'string', enum: many }, 'v19')
  invalid({ type: 'string', enum: many }, `a is not one of ${many.join(', ')}.`, 'v20')
})

validation('rule 5: casts text before it is compared with the enum', () => {
  valid({ type: 'integer', enum: [1, 2] }, 1, '2', '2.0')
  valid({ type: 'integer', enum: ['1', '2'] }, 1, '2')
  valid({ type: 'boolean', enum: [true] }, 'true', 1)
  invalid({ type: 'integer', enum: [1, 2] }, 'a is not one of 1, 2.', '3')
  invalid({ type: 'string', enum: ['1'] }, 'a is not of type string.', 1)
})

validation('rule 6: accepts numeric values as numbers and values without a fraction as integers', () => {
  valid({ type: 'number' }, 1, -1.5, '1.5', ' 1 ', '\t2\n', '+3', '-.5', '5.', '1e3', '1E-3', '007', '-0')
  invalid(
    { type: 'number' },
    'a is not of type number.',
    '',
    ' ',
    '1 2',
    '0x10',
    'NaN',
    'INF',
    '1e999',
    '1_000',
    '٣',
    true,
    null,
  )
  invalid({ type: 'number' }, 'a is not of type number.', [], {}, NaN, Infinity, '1,5', '--1', '1e', '\u00a01')
  valid({ type: 'integer' }, 0, -3, '5.0', '1e3', '-0', '9007199254740991')
  invalid({ type: 'integer' }, 'a is not of type integer.', 1.5, '1.5', 'x', '0x10', '2x', '9e99', '1e-3')
})

validation('rule 6: refuses integers that lose precision', () => {
  invalid({ type: 'integer' }, 'a is not of type integer.', '9007199254740993', 2 ** 53, '-9007199254740993')
})

validation('rule 7: accepts boolean-like values', () => {
  valid({ type: 'boolean' }, true, false, 'true', 'False', 'TRUE', '0', '1', 0, 1)
  invalid({ type: 'boolean' }, 'a is not of type boolean.', 'yes', '', 'on', 2, '2', null, [], ' true')
})

validation('rule 8: accepts only strings as strings', () => {
  valid({ type: 'string' }, '', 'x', '1')
  invalid({ type: 'string' }, 'a is not of type string.', 1, true, null, ['a', 'b'], {})
})

validation('rule 9: checks the formats date-time, email and ip', () => {
  valid({ type: 'string', format: 'date-time' }, '2013-01-01T00:00:00', '2013-01-01 00:00:00+02')
  invalid(
    { type: 'string', format: 'date-time' },
    'Invalid date.',
    '2013-01-01',
    'yesterday-ish',
    '',
    '2025-02-30T00:00:00',
  )
  valid({ type: 'string', format: 'email' }, 'a@example.com', "o'neil+x@sub.example.org")
  invalid(
    { type: 'string', format: 'email' },
    'Invalid email address.',
    'nope',
    'a@b',
    'a@@b.c',
    '',
    '%41@b.com',
    'a@b.com\n',
  )
  valid({ type: 'string', format: 'ip' }, '127.0.0.1', '255.255.255.255', '::1', '2001:db8::ff00:42:8329')
  invalid(
    { type: 'string', format: 'ip' },
    'a is not a valid IP address.',
    '999.1.1.1',
    '1.2.3',
    '::g',
    'fe80::1%eth0',
    '',
  )
  assert.is((validateValue('x', { type: 'string', format: 'email' }, 'a') as RestError).code, 'rest_invalid_email')
  assert.is((validateValue('x', { type: 'string', format: 'date-time' }, 'a') as RestError).code, 'rest_invalid_date')
  assert.is((validateValue('x', { type: 'string', format: 'ip' }, 'a') as RestError).code, 'rest_invalid_param')
})

validation('rule 10: treats bounds as inclusive unless they are exclusive', () => {
  valid({ type: 'integer', minimum: 1 }, 1, '1')
  invalid({ type: 'integer', minimum: 1 }, 'a must be greater than or equal to 1', 0, '-0')
  invalid({ type: 'integer', minimum: 1, exclusiveMinimum: true }, 'a must be greater than 1', 1)
  invalid({ type: 'number', maximum: 2.5 }, 'a must be less than or equal to 2.5', 2.6)
  invalid({ type: 'number', maximum: 2, exclusiveMaximum: true }, 'a must be less than 2', 2)
})

validation('rule 10: reports both bounds in one message', () => {
  const between: ArgumentSchema = { type: 'integer', minimum: 1, maximum: 100 }
  valid(between, 1, 100)
  invalid(between, 'a must be between 1 (inclusive) and 100 (inclusive)', 0, 101)
  const open: ArgumentSchema = { ...between, exclusiveMinimum: true, exclusiveMaximum: true }
  invalid(open, 'a must be between 1 (exclusive) and 100 (exclusive)', 1, 100)
  const half: ArgumentSchema = { ...between, exclusiveMinimum: false, exclusiveMaximum: true }
  invalid(half, 'a must be between 1 (inclusive) and 100 (exclusive)', 100)
})

validation('accepts numeric exclusive bounds', () => {
  invalid({ type: 'integer', exclusiveMinimum: 0 }, 'a must be greater than 0', 0)
})

validation('applies bounds to numbers only', () => {
  valid({ type: 'string', minimum: 5 }, '1')
})

validation('counts the length of a text in code points', () => {
  valid({ type: 'string', minLength: 2, maxLength: 3 }, '👍👍👍', 'ab')
  invalid({ type: 'string', minLength: 2 }, 'a must have at least 2 characters.', '👍', '')
  invalid({ type: 'string', maxLength: 1 }, 'a must have at most 1 character.', 'ab')
})

validation('matches patterns anywhere in the text, in linear time', async () => {
  valid({ type: 'string', pattern: '[0-9]+' }, 'a1b')
  valid({ type: 'string', pattern: '^\\p{L}+$' }, 'čaj')
  invalid({ type: 'string', pattern: '^[a-z]+$' }, 'a does not match the pattern ^[a-z]+$.', 'A', '')
  await growsLinearly('a pattern made to be slow', (size) => {
    invalid({ type: 'string', pattern: '^(a+)+$' }, 'a does not match the pattern ^(a+)+$.', `${'a'.repeat(size)}!`)
  })
})

validation('names a pattern that cannot be matched in linear time', () => {
  assert.throws(() => validateValue('x', { type: 'string', pattern: '(?=x)' }, 'a'), /linear time/)
})

validation('checks properties by the schema of a matching pattern', () => {
  const schema: ArgumentSchema = {
    type: 'object',
    patternProperties: { '^n_': { type: 'integer' } },
    additionalProperties: false,
  }
  valid(schema, { n_1: '3' })
  invalid(schema, 'a[n_1] is not of type integer.', { n_1: 'x' })
  invalid(schema, 'x is not a valid property of Object.', { x: 1 })
})

validation('limits the number of items and properties, and checks required ones', () => {
  invalid({ ...ids, minItems: 2 }, 'a must have at least 2 items.', '1', [])
  invalid({ ...ids, maxItems: 1 }, 'a must have at most 1 item.', '1,2')
  invalid({ ...ids, uniqueItems: true }, 'a has the same item twice.', '1,2,1', [1, '1'])
  valid({ type: 'array', uniqueItems: true }, [1, '1', { b: 1 }, { b: 2 }])
  invalid({ type: 'array', uniqueItems: true }, 'a has the same item twice.', [
    { b: 1, c: 2 },
    { c: 2, b: 1 },
  ])
  invalid({ type: 'object', minProperties: 1 }, 'a must have at least 1 property.', {})
  invalid({ type: 'object', maxProperties: 1 }, 'a must have at most 1 property.', { b: 1, c: 2 })
  invalid({ type: 'object', required: ['b'] }, 'a lacks the required property b.', {})
  invalid(
    { type: 'object', properties: { toString: { required: true } } },
    'a lacks the required property toString.',
    {},
  )
})

validation('checks multipleOf', () => {
  valid({ type: 'number', multipleOf: 0.1 }, 0.3, '1.1', 0)
  invalid({ type: 'integer', multipleOf: 5 }, 'a must be a multiple of 5.', 7)
})

validation('selects the matching alternative', () => {
  const any: ArgumentSchema = { anyOf: [{ type: 'integer', minimum: 5 }, { type: 'boolean' }] }
  assert.is(parseValue('7', any, 'a'), 7)
  assert.is(parseValue('1', any, 'a'), true)
  invalid(any, 'a has none of the accepted forms.', '4', 'x')
  const one: ArgumentSchema = { type: 'integer', oneOf: [{ minimum: 5 }, { maximum: 7 }] }
  valid(one, 4, 8)
  invalid(one, 'a has more than one of the accepted forms.', 6)
})

validation('checks the formats uuid and hex-color', () => {
  valid({ type: 'string', format: 'uuid' }, '586f3187-83bb-4d4a-a10d-e9d43a0a7de8')
  invalid({ type: 'string', format: 'uuid' }, 'a is not a valid UUID.', '586f3187', '')
  valid({ type: 'string', format: 'hex-color' }, '#fff', '#A0b1C2')
  invalid({ type: 'string', format: 'hex-color' }, 'a is not a valid hexadecimal color.', '#ffff', 'red')
})

validation.run()

const sanitization = suite('sanitizeValue')

sanitization('casts to the first listed type that is valid, otherwise to null', () => {
  assert.is(parseValue('1', { type: ['integer', 'string'] }, 'a'), 1)
  assert.is(parseValue('1', { type: ['string', 'integer'] }, 'a'), '1')
  assert.is(sanitizeValue('x', { type: ['integer', 'boolean'] }), null)
})

sanitization('splits text if items are declared', () => {
  assert.equal(parseValue('1835,,1854', ids, 'a'), [1835, 1854])
  assert.equal(parseValue({ 3: '5', 1: '4' }, ids, 'a'), [4, 5])
  assert.equal(parseValue('a,b', { type: 'array' }, 'a'), ['a,b'])
  assert.equal(sanitizeValue(null, ids), [])
  assert.equal(sanitizeValue('1,x', ids), [1, 0])
})

sanitization('casts properties and removes refused ones', () => {
  const schema: ArgumentSchema = { type: 'object', properties: { b: { type: 'integer' } }, additionalProperties: false }
  assert.equal(parseValue({ b: '1' }, schema, 'a'), { b: 1 })
  assert.equal(sanitizeValue({ b: '1', c: 2 }, schema), { b: 1 })
  assert.equal(sanitizeValue('nonsense', schema), {})
  const rest: ArgumentSchema = { type: 'object', additionalProperties: { type: 'boolean' } }
  assert.equal(parseValue({ b: '0', c: 'TRUE' }, rest, 'a'), { b: false, c: true })
})

sanitization('casts null, integers, numbers, booleans and strings', () => {
  assert.is(sanitizeValue('x', { type: 'null' }), null)
  assert.equal(
    ['12abc', '1.9', true, null, '9e99', [1]].map((value) => sanitizeValue(value, { type: 'integer' })),
    [12, 1, 1, 0, 0, 1],
  )
  assert.equal(
    ['1.5x', 'x', false].map((value) => sanitizeValue(value, { type: 'number' })),
    [1.5, 0, 0],
  )
  assert.equal(
    ['FALSE', '0', 'no', '', 0, 5, null].map((value) => sanitizeValue(value, { type: 'boolean' })),
    [false, false, true, true, false, true, false],
  )
  assert.equal(
    [5, true, false, null, [1]].map((value) => sanitizeValue(value, { type: 'string' })),
    ['5', '1', '', '', ''],
  )
  assert.ok(Object.is(parseValue('-0', { type: 'integer' }, 'a'), 0))
})

sanitization('sanitizes texts and URLs by their format', () => {
  const of = (format: SchemaFormat) => (text: string) => parseValue(text, { type: 'string', format }, 'a')
  assert.is(of('text-field')('  <b>One</b>\n two %41 '), 'One two')
  assert.is(of('textarea-field')('One\n <i>two</i> '), 'One\n two')
  assert.is(of('uri')('example.com/a b'), 'http://example.com/a%20b')
  assert.is(of('uri')('javascript:alert(1)'), '')
})

sanitization('does not pollute prototypes through inherited names', () => {
  const schema: ArgumentSchema = { type: 'object', properties: { constructor: { type: 'integer' as const } } }
  const input: unknown = JSON.parse('{"__proto__":{"polluted":1},"constructor":"1","toString":"x"}')
  const value = parseValue(input, schema, 'a') as Record<string, unknown>
  assert.is(value.constructor, 1)
  assert.is(value.polluted, undefined)
  assert.is(({} as Record<string, unknown>).polluted, undefined)
  assert.equal(Object.keys(value), ['__proto__', 'constructor', 'toString'])
  assert.is(refusal({}, { ...schema, required: ['constructor'] }), 'a lacks the required property constructor.')
})

sanitization.run()
