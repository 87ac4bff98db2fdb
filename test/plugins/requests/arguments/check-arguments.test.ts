import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkArguments, sanitizeValue, validateValue } from '../../../../plugins/requests/arguments/index.ts'
import { RestError, type Arguments, type ArgumentSchema, type Checked } from '../../../../kernel/index.ts'
import { growsLinearly } from '../../../helpers/growth.ts'

/** Checks arguments without callbacks, synchronously. */
function check(args: Arguments, params: Record<string, unknown>): Checked {
  return checkArguments(args, params, null) as Checked
}

function errorOf(checked: Checked): RestError {
  if (checked.ok) throw new Error('Everything was valid.')
  return checked.error
}

function valuesOf(checked: Checked): Record<string, unknown> {
  if (!checked.ok) throw checked.error
  return checked.values
}

const ids: ArgumentSchema = { type: 'array', items: { type: 'integer' } }

const sets = suite('checkArguments')

const categories: ArgumentSchema = {
  type: ['object', 'array'],
  oneOf: [
    { type: 'array', items: { type: 'integer' } },
    { type: 'object', properties: { terms: ids, include_children: { type: 'boolean' } }, additionalProperties: false },
  ],
}

sets('returns sanitized values without defaults and undeclared parameters', () => {
  const args: Arguments = { page: { type: 'integer', default: 1 }, include: ids, categories, s: { type: 'string' } }
  const params = { include: '3', categories: { terms: '201', include_children: 'true' }, color: 'red' }
  assert.equal(valuesOf(check(args, params)), { include: [3], categories: { terms: [201], include_children: true } })
  assert.equal(valuesOf(check(args, { categories: '3,4' })), { categories: [3, 4] })
})

sets('ignores inherited properties', () => {
  assert.equal(valuesOf(check({ toString: { type: 'string' as const, required: false } }, {})), {})
})

sets('does not modify its input', () => {
  const params = { a: { b: ['1', { c: '2' }] } }
  const before = structuredClone(params)
  const args: Arguments = {
    a: {
      type: 'object',
      properties: {
        b: { type: 'array', items: { type: ['integer', 'object'], properties: { c: { type: 'integer' } } } },
      },
    },
  }
  assert.equal(valuesOf(check(args, params)), { a: { b: [1, { c: 2 }] } })
  assert.equal(params, before)
})

sets('reports all invalid arguments in one error', () => {
  const args: Arguments = {
    per_page: { type: 'integer', minimum: 1, maximum: 100 },
    ok: {},
    after: { type: 'string', format: 'date-time' },
    include: ids,
  }
  const { code, message, data } = errorOf(check(args, { include: 'abc', after: '2013-01-01', per_page: '0', ok: 1 }))
  assert.is(code, 'rest_invalid_param')
  assert.is(message, 'Invalid parameter(s): per_page, after, include')
  assert.is(data.status, 400)
  assert.equal(data.params, {
    per_page: 'per_page must be between 1 (inclusive) and 100 (inclusive)',
    after: 'Invalid date.',
    include: 'include[0] is not of type integer.',
  })
  assert.equal((data.details as Record<string, unknown>).after, {
    code: 'rest_invalid_date',
    message: 'Invalid date.',
    data: null,
  })
})

sets('reports the broken rule of each argument in details', () => {
  const size: ArgumentSchema = { type: 'object', properties: { width: { type: 'integer', required: true } } }
  const turn: ArgumentSchema = {
    type: 'object',
    properties: { type: { type: 'string', enum: ['turn'] }, angle: { type: 'number', required: true } },
  }
  const cut: ArgumentSchema = {
    type: 'object',
    properties: { type: { type: 'string', enum: ['cut'] }, left: { type: 'number', required: true } },
  }
  const rules: [schema: ArgumentSchema, value: unknown, code: string, data?: unknown][] = [
    [{ type: 'integer' }, 'x', 'rest_invalid_type', { param: 'a' }],
    [ids, [1, 'x'], 'rest_invalid_type', { param: 'a[1]' }],
    [
      { type: 'object', properties: { size } },
      { size: { width: 'x' } },
      'rest_invalid_type',
      { param: 'a[size][width]' },
    ],
    [{ type: 'string', enum: ['b'] }, 'x', 'rest_not_in_enum'],
    [{ type: 'array', minItems: 1 }, [], 'rest_too_few_items'],
    [{ type: 'array', maxItems: 1 }, [1, 2], 'rest_too_many_items'],
    [{ type: 'array', items: {}, uniqueItems: true }, [1, 1], 'rest_duplicate_items'],
    [{ type: 'string', minLength: 2 }, 'x', 'rest_too_short'],
    [{ type: 'string', maxLength: 1 }, 'xy', 'rest_too_long'],
    [{ type: 'string' }, 'x'.repeat(200_000), 'rest_too_long'],
    [{ type: 'array', items: {} }, Array.from({ length: 5_000 }, () => 1), 'rest_too_many_items'],
    [{ type: 'string', pattern: '^b' }, 'x', 'rest_invalid_pattern'],
    [{ type: 'integer', minimum: 1 }, 0, 'rest_out_of_bounds'],
    [{ type: 'integer', multipleOf: 2 }, 3, 'rest_invalid_multiple'],
    [size, {}, 'rest_property_required'],
    [{ ...size, additionalProperties: false }, { width: 1, x: 1 }, 'rest_additional_properties_forbidden'],
    [{ type: 'object', minProperties: 1 }, {}, 'rest_too_few_properties'],
    [{ type: 'object', maxProperties: 1 }, { x: 1, y: 2 }, 'rest_too_many_properties'],
    [{ type: 'string', format: 'date-time' }, 'x', 'rest_invalid_date'],
    [{ type: 'string', format: 'email' }, 'x', 'rest_invalid_email'],
    [{ type: 'string', format: 'ip' }, 'x', 'rest_invalid_ip'],
    [{ type: 'string', format: 'uuid' }, 'x', 'rest_invalid_uuid'],
    [{ type: 'string', format: 'hex-color' }, 'x', 'rest_invalid_hex_color'],
    // With a list of types, the rules of the value's type apply.
    [{ type: ['integer', 'null'], minimum: 1 }, 0, 'rest_out_of_bounds'],
    [{ type: ['string', 'null'], format: 'date-time' }, 'x', 'rest_invalid_date'],
    [{ ...size, type: ['object', 'null'] }, { width: 'x' }, 'rest_invalid_type', { param: 'a[width]' }],
    [{ type: ['integer', 'null'] }, 'x', 'rest_invalid_type', { param: 'a' }],
    // With several alternatives, the best match is reported.
    [{ anyOf: [ids, size] }, { width: 'x' }, 'rest_no_matching_schema', { position: 1 }],
    // Without the alternatives of another kind, it is the first one.
    [{ oneOf: [turn, cut] }, { type: 'cut', angle: 1, left: 'x' }, 'rest_no_matching_schema', { position: 0 }],
    [{ oneOf: [turn, cut] }, { angle: 'x' }, 'rest_no_matching_schema', { position: 0 }],
    [{ oneOf: [turn, cut] }, {}, 'rest_no_matching_schema'],
    [{ oneOf: [turn, cut] }, 7, 'rest_no_matching_schema'],
    [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, '7', 'rest_one_of_multiple_matches', { positions: [0, 1] }],
  ]
  for (const [schema, value, code, data = null] of rules) {
    const error = errorOf(check({ a: schema }, { a: value }))
    const found = (error.data.details as Record<string, { code: string; data: unknown }>)['a']!
    assert.equal([found.code, found.data], [code, data], JSON.stringify(schema))
  }
})

sets('has no details for a callback that returns false', () => {
  const error = errorOf(check({ a: { validate_callback: () => false } }, { a: 1 }))
  assert.equal(error.data, { status: 400, params: { a: 'Invalid parameter.' }, details: [] })
})

sets('reports missing arguments before invalid ones', () => {
  const args: Arguments = {
    name: { type: 'string', required: true },
    kind: { type: 'string', required: true, default: 'plain' },
    parent: { type: ['integer', 'null'], required: true },
    note: { type: 'integer' },
    email: { type: 'string', required: true },
  }
  const { code, message, data } = errorOf(check(args, { note: 'x', parent: null, email: null }))
  assert.is(code, 'rest_missing_callback_param')
  assert.is(message, 'Missing parameter(s): name, email')
  assert.equal(data, { status: 400, params: ['name', 'email'] })
})

sets('replaces the validation of the schema by validate_callback', () => {
  const seen: unknown[] = []
  const args: Arguments = {
    odd: {
      type: 'integer',
      validate_callback: (value, request, name) => (seen.push(value, request, name), Number(value) % 2 === 1),
    },
  }
  const request = { id: 1 }
  assert.equal(valuesOf(checkArguments(args, { odd: '3' }, request) as Checked), { odd: 3 })
  assert.equal(seen, ['3', request, 'odd'])
  assert.equal(errorOf(checkArguments(args, { odd: '4' }, request) as Checked).data.params, {
    odd: 'Invalid parameter.',
  })
})

sets('reports the error that a callback returns or throws', async () => {
  const error = new RestError('name_taken', 'That name is taken.', { status: 409 })
  const refusals: ArgumentSchema[] = [
    { validate_callback: () => error },
    {
      validate_callback: () => {
        throw error
      },
    },
    { validate_callback: async () => error },
    { validate_callback: () => Promise.reject(error) },
    { sanitize_callback: () => error },
    {
      sanitize_callback: async () => {
        throw error
      },
    },
  ]
  for (const schema of refusals) {
    const { data } = errorOf(await checkArguments({ a: schema, b: { type: 'integer' } }, { a: 1, b: '2' }, null))
    assert.equal(data.params, { a: 'That name is taken.' })
    assert.equal((data.details as Record<string, unknown>).a, {
      code: 'name_taken',
      message: 'That name is taken.',
      data: { status: 409 },
    })
  }
})

sets('replaces the sanitization by sanitize_callback, after the validation of the schema', async () => {
  const args: Arguments = { slug: { type: 'string', sanitize_callback: async (value) => String(value).toLowerCase() } }
  assert.equal(valuesOf(await checkArguments(args, { slug: 'AB' }, null)), { slug: 'ab' })
  assert.equal(errorOf(await checkArguments(args, { slug: 5 }, null)).data.params, {
    slug: 'slug is not of type string.',
  })
})

sets('runs no sanitize_callback if an argument is invalid', () => {
  let called = false
  const args: Arguments = { a: { sanitize_callback: () => (called = true) }, b: { type: 'integer' } }
  errorOf(check(args, { a: 1, b: 'x' }))
  assert.is(called, false)
})

sets('skips a step whose callback is null', () => {
  const args: Arguments = {
    unchecked: { type: 'integer', validate_callback: null },
    uncast: { type: 'integer', sanitize_callback: null },
    neither: { type: 'object', validate_callback: null, sanitize_callback: null },
  }
  assert.equal(valuesOf(check(args, { unchecked: '5x', uncast: '5', neither: 'text' })), {
    unchecked: 5,
    uncast: '5',
    neither: 'text',
  })
})

sets('throws unexpected errors of callbacks', async () => {
  assert.throws(
    () =>
      checkArguments(
        {
          a: {
            validate_callback: () => {
              throw new TypeError('oops')
            },
          },
        },
        { a: 1 },
        null,
      ),
    'oops',
  )
})

sets('names an invalid value by its path', () => {
  const error = validateValue(
    [{ b: 'x' }],
    { type: 'array', items: { type: 'object', properties: { b: { type: 'integer' } } } },
    'list',
  )
  assert.instance(error, RestError)
  assert.is((error as RestError).message, 'list[0][b] is not of type integer.')
  assert.is((error as RestError).data.param, 'list[0][b]')
})

sets('checks hostile text in linear time', async () => {
  const args: Arguments = {
    n: { type: 'integer' },
    list: { type: 'array', items: { type: 'string', format: 'text-field' } },
    text: { type: 'string', format: 'text-field' },
    url: { type: 'string', format: 'uri' },
    mail: { type: 'string', format: 'email' },
    when: { type: 'string', format: 'date-time' },
  }
  const texts = [
    '1',
    ' ',
    '<',
    '<a ',
    '<!--',
    '<script>',
    '%4',
    '%4%41',
    '&',
    'a@',
    'a.',
    ' \u00a0',
    ',a',
    '\t\n x',
    '://',
    '0e',
  ]
  for (const text of texts) {
    await growsLinearly(text, (size) => {
      const hostile = text.repeat(size / text.length)
      for (const value of [hostile, `${hostile}!`, `x${hostile}>`]) {
        check(args, { n: value, list: value, text: value, url: value, mail: value, when: value })
        for (const name of ['n', 'mail', 'when'] as const) sanitizeValue(value, args[name] as ArgumentSchema)
      }
    })
  }
})

sets.run()
