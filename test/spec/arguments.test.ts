import * as assert from 'uvu/assert'
import { RestRequest, type ArgumentSchema, type RestError } from '../../kernel/index.ts'
import { datePair, parseTimestamp, parseValue, sanitizeValue } from '../../plugins/public.ts'
import { CONTENT_PLUGINS, startOnly } from '../helpers/site.ts'
import { BEFORE, echo, specSuite } from './spec-suite.ts'

startOnly(...CONTENT_PLUGINS)

const { spec, siteOf } = specSuite('7 and 8')

/** The rule of an argument holds in this revision. */
const EVERY_REVISION = ['latest', '4.7', '4.8', '5.0', '5.3'] as const

/** Sends each value as an argument. @returns the error message of each, or true for a valid value */
async function check(name: string, values: readonly unknown[], revision = 'latest'): Promise<unknown[]> {
  const site = await siteOf({ revision })
  const results: unknown[] = []
  for (const value of values) {
    const { status, code, data } = await echo(site, { [name]: value })
    if (status === 400) assert.is(code, 'rest_invalid_param')
    results.push(status === 200 ? true : Object.values(data!.params)[0])
  }
  return results
}

/** Declares that an argument accepts some values and refuses others with a message, in each of these revisions. */
async function holds(
  name: string,
  valid: readonly unknown[],
  invalid: readonly unknown[],
  message: string,
  revisions: readonly string[] = EVERY_REVISION,
) {
  for (const revision of revisions) {
    assert.equal(await check(name, valid, revision), Array(valid.length).fill(true), `${name} in ${revision}`)
    assert.equal(await check(name, invalid, revision), Array(invalid.length).fill(message), `${name} in ${revision}`)
  }
}

const CURRENT = ['latest', '5.3'] as const

spec('spec 7.table.2: refuses a value of another type, with the names of all types', async () => {
  assert.equal(await check('count', ['x']), ['count is not of type integer.'])
  assert.equal(await check('either', ['x']), ['either is not of type integer,boolean.'])
})

spec('spec 7.table.3: refuses a value outside of enum', async () => {
  for (const revision of EVERY_REVISION)
    assert.equal(await check('colour', ['green'], revision), ['colour is not one of red, blue.'])
})

spec('spec 7.table.4: refuses an undeclared property', async () => {
  for (const revision of EVERY_REVISION)
    assert.equal(await check('map', [{ z: 1 }], revision), ['z is not a valid property of Object.'])
})

spec('spec 7.table.5: refuses a bad IP address with the name of the argument, before 4.8 with its value', async () => {
  assert.equal(await check('address', ['1.2.3']), ['address is not a valid IP address.'])
  assert.equal(await check('address', ['1.2.3'], '4.8'), ['address is not a valid IP address.'])
  assert.equal(await check('address', ['1.2.3'], '4.7'), ['1.2.3 is not a valid IP address.'])
  assert.equal(await check('address', ['1.2.3'], '4.4'), [true], 'schemas are not checked')
})

spec('spec 7.table.6: refuses a number out of bounds, with the bounds', async () => {
  for (const revision of EVERY_REVISION) {
    const messages = [
      ...(await check('count', [0], revision)),
      ...(await check('size', [1], revision)),
      ...(await check('above', [0], revision)),
      ...(await check('below', [9], revision)),
      ...(await check('over', [1], revision)),
      ...(await check('under', [10], revision)),
    ]
    assert.equal(messages, [
      'count must be between 1 (inclusive) and 9 (inclusive)',
      'size must be between 1 (exclusive) and 9 (exclusive)',
      'above must be greater than or equal to 1',
      'below must be less than 9',
      'over must be greater than 1',
      'under must be less than or equal to 9',
    ])
  }
})

/** Returns the error of an invalid value. */
function errorOf(value: unknown, schema: ArgumentSchema): RestError {
  try {
    parseValue(value, schema, 'a')
  } catch (error) {
    return error as RestError
  }
  throw new Error('The value is valid.')
}

spec('spec 7.table.7: refuses a bad date-time with rest_invalid_date', async () => {
  assert.equal(await check('at', ['yesterday']), ['Invalid date.'])
  assert.is(errorOf('yesterday', { type: 'string', format: 'date-time' }).code, 'rest_invalid_date')
  const { data } = await echo(await siteOf(), { at: 'yesterday' })
  assert.is(data!.details!['at']!.code, 'rest_invalid_date')
})

spec('spec 7.table.8: refuses a bad email address with rest_invalid_email', async () => {
  assert.equal(await check('mail', ['a']), ['Invalid email address.'])
  const { data } = await echo(await siteOf(), { mail: 'a' })
  assert.is(data!.details!['mail']!.code, 'rest_invalid_email')
})

spec('spec 7.1.0: accepts arguments without a schema, and keeps them as they are', async () => {
  const { status, params } = await echo(await siteOf(), { free: { any: ['1', null] } })
  assert.equal([status, params!['free']], [200, { any: ['1', null] }])
})

spec('spec 7.1.1: accepts a value of any listed type, and otherwise reports one error', async () => {
  await holds('either', [1, '2', true, 'false'], ['x', 1.5, null], 'either is not of type integer,boolean.', CURRENT)
  for (const revision of BEFORE['5.3']) assert.equal(await check('either', ['x', {}], revision), [true, true])
})

spec('spec 7.1.2: accepts lists and comma-separated texts as arrays, and names items by their index', async () => {
  await holds('list', [[1, '2'], '1,2', [], 3], [{ x: 1 }], 'list is not of type array.')
  await holds('list', [], ['1,x', [1, 'x']], 'list[1] is not of type integer.')
})

spec('spec 7.1.3.1: accepts maps, serializable objects and the empty text as objects', async () => {
  await holds('map', [{}, { a: 1 }], ['x', 3, [1]], 'map is not of type object.')
  for (const revision of ['latest', '5.4']) assert.equal(await check('map', [''], revision), [true])
  for (const revision of ['4.7', '4.8', '5.0', '5.3'])
    assert.equal(await check('map', [''], revision), ['map is not of type object.'], revision)
  const statusOf = async (revision: string, map: unknown) => {
    const request = new RestRequest('POST', '/things/v1/echo/x', { json: { map } })
    return (await (await siteOf({ revision })).kernel.server.dispatch(request)).status
  }
  const serializable = { toJSON: () => ({ a: 1 }) }
  for (const revision of CURRENT) assert.is(await statusOf(revision, serializable), 200)
  for (const revision of ['4.7', '4.8', '5.0']) assert.is(await statusOf(revision, serializable), 400, revision)
})

spec('spec 7.1.3.2: checks declared properties, and names them by their path', async () => {
  await holds('map', [{ a: '5' }], [{ a: 'x' }], 'map[a] is not of type integer.')
})

spec('spec 7.1.3.3: refuses other properties, or checks them by a schema', async () => {
  await holds('map', [], [{ z: 1 }], 'z is not a valid property of Object.')
  await holds('open', [{ z: 'true' }], [{ z: 'x' }], 'open[z] is not of type boolean.', CURRENT)
  for (const revision of BEFORE['5.3']) assert.equal(await check('open', [{ z: 'x' }], revision), [true], revision)
})

spec('spec 7.1.4: accepts only null for the type null', async () => {
  await holds('nothing', [null], [0, '', false, 'null', []], 'nothing is not of type null.', CURRENT)
  for (const revision of BEFORE['5.3']) assert.equal(await check('nothing', [5], revision), [true], revision)
})

spec('spec 7.1.5: accepts only values that are strictly equal to one of enum', async () => {
  await holds('colour', ['red', 'blue'], ['Red', 'red ', ''], 'colour is not one of red, blue.')
})

spec('spec 7.1.6: accepts numeric values as numbers, and those without a fraction as integers', async () => {
  await holds('count', [2, '3', 4.0, '5.0'], [1.5, '1.5', 'x', '', null, true], 'count is not of type integer.')
  await holds('size', [1.5, '2.5', 3, '8e0'], ['x', '', true], 'size is not of type number.')
})

spec('spec 7.1.7: accepts boolean-like values', async () => {
  const valid = [true, false, 'true', 'FALSE', 'True', '0', '1', 0, 1]
  await holds('flag', valid, ['yes', '', 2, '2', null], 'flag is not of type boolean.')
})

spec('spec 7.1.8: accepts only texts as strings', async () => {
  await holds('text', ['', 'x', '1'], [1, true, null, ['a']], 'text is not of type string.')
})

spec('spec 7.1.9.1: accepts timestamps in the format date-time', async () => {
  const valid = ['2025-01-05T10:00:00', '2025-01-05t10:00:00.5Z', '2025-01-05 10:00:00+02']
  await holds('at', valid, ['2025-01-05', '10:00', '2025-01-05T10:00:00+2'], 'Invalid date.')
})

spec('spec 7.1.9.2: accepts email addresses in the format email', async () => {
  await holds('mail', ['a@b.example', 'a+b@c.d.example'], ['a', 'a@b', '@b.example'], 'Invalid email address.')
})

spec('spec 7.1.9.3: accepts IPv4 and IPv6 addresses in the format ip', async () => {
  const valid = ['0.0.0.0', '255.255.255.255', '::1', '2001:db8::1']
  const revisions = ['latest', '4.8']
  const invalid = ['256.1.1.1', '1.2.3', '1.2.3.4.5', '::g']
  await holds('address', valid, invalid, 'address is not a valid IP address.', revisions)
})

spec('spec 7.1.10: applies bounds to numbers, inclusively unless they are exclusive', async () => {
  await holds('count', [1, 9], [0, 10], 'count must be between 1 (inclusive) and 9 (inclusive)')
  await holds('size', [1.1, 8.9], [1, 9], 'size must be between 1 (exclusive) and 9 (exclusive)')
  assert.is(parseValue('0', { type: 'string', minimum: 5 }, 'a'), '0', 'not to texts')
})

spec('spec 7.2.0: returns the error of the validation, or the sanitized value', async () => {
  assert.is(errorOf('x', { type: 'integer' }).message, 'a is not of type integer.')
  assert.is(parseValue('5', { type: 'integer' }, 'a'), 5)
  assert.equal((await echo(await siteOf(), { count: '5', flag: '0' })).params, { id: 'x', count: 5, flag: false })
})

/** Declares what values are sanitized to. */
const sanitizes = (schema: ArgumentSchema, cases: readonly (readonly [unknown, unknown])[]) => {
  for (const [value, expected] of cases)
    assert.equal(sanitizeValue(value, schema), expected, `${JSON.stringify(schema)} ${JSON.stringify(value)}`)
}

spec('spec 7.2.table.1: uses the first type that is valid, otherwise null', async () => {
  sanitizes({ type: ['integer', 'boolean'] }, [
    ['1', 1],
    ['true', true],
    ['x', null],
  ])
  for (const revision of BEFORE['5.3'])
    assert.is((await echo(await siteOf({ revision }), { either: '1' })).params!['either'], '1', revision)
})

spec('spec 7.2.table.2: casts to a list, or splits it and sanitizes each item', () => {
  sanitizes({ type: 'array' }, [
    ['a,b', ['a,b']],
    [['a'], ['a']],
  ])
  sanitizes({ type: 'array', items: { type: 'integer' } }, [
    ['1, 2', [1, 2]],
    [{ 5: '1', 7: '2' }, [1, 2]],
  ])
})

spec('spec 7.2.table.3: sanitizes properties, removes undeclared ones, and empties anything else', async () => {
  const properties = { a: { type: 'integer' } } as const
  sanitizes({ type: 'object', properties }, [
    [
      { a: '1', b: '2' },
      { a: 1, b: '2' },
    ],
  ])
  sanitizes({ type: 'object', properties, additionalProperties: false }, [
    [{ a: '1', b: '2' }, { a: 1 }],
    ['x', {}],
  ])
  sanitizes({ type: 'object', properties, additionalProperties: { type: 'boolean' } }, [
    [
      { a: '1', b: 'false' },
      { a: 1, b: false },
    ],
  ])
  for (const revision of BEFORE['5.3']) {
    const { params } = await echo(await siteOf({ revision }), { open: { z: 'true' } })
    assert.equal(params!['open'], { z: 'true' }, revision)
  }
})

spec('spec 7.2.table.4: turns a value of the type null into null', () => {
  sanitizes({ type: 'null' }, [['x', null]])
})

spec('spec 7.2.table.5: casts to an integer', () => {
  sanitizes({ type: 'integer' }, [
    ['5.9', 5],
    [-2.5, -2],
    [true, 1],
    ['x', 0],
  ])
})

spec('spec 7.2.table.6: casts to a number', () => {
  sanitizes({ type: 'number' }, [
    ['5.5', 5.5],
    ['1e2', 100],
    ['x', 0],
  ])
})

spec('spec 7.2.table.7: turns the texts false and 0 into false, other texts into true, and casts other values', () => {
  sanitizes({ type: 'boolean' }, [
    ['false', false],
    ['FALSE', false],
    ['0', false],
    ['no', true],
    [0, false],
    [2, true],
    [null, false],
  ])
})

spec('spec 7.2.table.8: sanitizes dates, email and IP addresses as text fields', () => {
  for (const format of ['date-time', 'email', 'ip'] as const)
    sanitizes({ type: 'string', format }, [[' <b>x</b>\n y ', 'x y']])
})

spec('spec 7.2.table.9: sanitizes URLs for storage', () => {
  sanitizes({ type: 'string', format: 'uri' }, [
    [' http://a.test/b c ', 'http://a.test/b%20c'],
    ['a.test', 'http://a.test'],
    ['javascript:alert(1)', ''],
  ])
})

spec('spec 7.2.table.10: casts to a text', () => {
  sanitizes({ type: 'string' }, [
    [5, '5'],
    [true, '1'],
    [null, ''],
  ])
})

spec('spec 8.table.1: has avatars of 24, 48 and 96 pixels by default', async () => {
  const { kernel } = await siteOf()
  assert.equal(Object.keys(kernel.services.avatars.urls('')), ['24', '48', '96'])
})

const DAY = Date.UTC(2025, 0, 5, 10) / 1000

spec('spec 8.1.1: parses timestamps to Unix timestamps, and any other text to false', () => {
  for (const mark of ['T', 't', ' ']) {
    for (const rest of ['', '.5', 'Z', '.123456Z']) assert.is(parseTimestamp(`2025-01-05${mark}10:00:00${rest}`), DAY)
    for (const [zone, hours] of [
      ['+02', 2],
      ['-02', -2],
      ['+02:30', 2.5],
      ['-02:30', -2.5],
    ] as const)
      assert.is(parseTimestamp(`2025-01-05${mark}10:00:00${zone}`), DAY - hours * 3600)
  }
  const bad = ['2025-01-05', '2025-01-05T10:00', '2025-1-5T10:00:00', '2025-01-05T10:00:00z', '2025-01-05T10:00:00+2']
  for (const text of [...bad, '2025-01-05T10:00:00 Z', ' 2025-01-05T10:00:00', '', null, 5])
    assert.is(parseTimestamp(text), false, String(text))
})

spec('spec 8.1.2: treats a numeric offset as +00:00 if UTC is forced', () => {
  assert.is(parseTimestamp('2025-01-05T10:00:00+05:30', { forceUtc: true }), DAY)
})

spec('spec 8.1.3: returns local time and UTC, or null, and derives one from the other', () => {
  const pair = ['2025-07-01 12:00:00', '2025-07-01 10:00:00']
  const zone = 'Europe/Berlin'
  assert.equal(datePair('2025-07-01T12:00:00', zone), pair, 'local without a zone')
  assert.equal(datePair('2025-07-01T10:00:00', zone, { utc: true }), pair, 'flagged as UTC')
  assert.equal(datePair('2025-07-01T10:00:00Z', zone), pair)
  assert.equal(datePair('2025-07-01T05:00:00-05:00', zone), pair)
  assert.is(datePair('yesterday', zone), null)
  assert.equal(datePair('2025-07-01T10:00:00-05:00', zone, { forceUtc: true }), pair, 'revision 4.4')
})

spec.run()
