import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  datePair,
  formatUtc,
  gmtOffset,
  isTimeZone,
  localFromUtc,
  toIso,
  toIsoUtc,
  utcFromLocal,
  zoneOffset,
} from '../../../plugins/resources/dates.ts'
import { parseTimestamp } from '../../../plugins/requests/arguments/index.ts'

const dates = suite('dates')
const at = (text: string) => Date.parse(text) / 1000

dates('parse timestamps with T, t or a space, a fraction, and a zone', () => {
  const instant = at('2025-01-05T10:00:00Z')
  for (const text of [
    '2025-01-05T10:00:00',
    '2025-01-05t10:00:00Z',
    '2025-01-05 10:00:00.123456',
    '2025-01-05T12:00:00+02',
    '2025-01-05T04:30:00-05:30',
    '2025-01-05T10:00:00-00:00',
  ]) {
    assert.is(parseTimestamp(text), instant, text)
  }
  assert.is(parseTimestamp('0099-03-01T00:00:00'), new Date('0099-03-01T00:00:00Z').getTime() / 1000)
})

dates('reject other formats', () => {
  const texts = [
    '',
    '2025-01-05',
    '2025-01-05T10:00',
    '2025-1-5T10:00:00',
    '2025-01-05T10:00:00z',
    '2025-01-05T10:00:00+0200',
    '2025-01-05T10:00:00.',
    ' 2025-01-05T10:00:00',
    '2025-01-05T10:00:00\n',
    'now',
    '٢٠٢٥-01-05T10:00:00',
  ]
  for (const text of texts) assert.is(parseTimestamp(text), false, text)
  for (const value of [null, undefined, 5, {}, []]) assert.is(parseTimestamp(value), false)
})

dates('reject days and times that do not exist', () => {
  const texts = [
    '2025-02-30T00:00:00',
    '2025-02-29T00:00:00',
    '2025-13-01T00:00:00',
    '2025-00-01T00:00:00',
    '0000-00-00 00:00:00',
    '2025-04-31T00:00:00',
    '2025-01-01T24:00:00',
    '2025-01-01T00:60:00',
    '2025-01-01T00:00:60',
    '2025-01-01T00:00:00+24:00',
    '2025-01-01T00:00:00+01:60',
  ]
  for (const text of texts) assert.is(parseTimestamp(text), false, text)
  assert.is(parseTimestamp('2024-02-29T00:00:00'), at('2024-02-29T00:00:00Z'))
})

dates('treat a numeric offset as UTC with forceUtc', () => {
  assert.is(parseTimestamp('2025-01-05T10:00:00+05:00', { forceUtc: true }), at('2025-01-05T10:00:00Z'))
})

dates('treat text without a zone as local time', () => {
  assert.equal(datePair('2014-11-07T10:14:25', 'America/New_York'), ['2014-11-07 10:14:25', '2014-11-07 15:14:25'])
  assert.equal(datePair('2014-07-07T10:14:25', 'America/New_York'), ['2014-07-07 10:14:25', '2014-07-07 14:14:25'])
})

dates('treat text with a zone, or text in UTC, as an instant', () => {
  const pair = ['2014-11-07 10:14:25', '2014-11-07 15:14:25']
  assert.equal(datePair('2014-11-07T15:14:25Z', 'America/New_York'), pair)
  assert.equal(datePair('2014-11-07T16:14:25+01:00', 'America/New_York'), pair)
  assert.equal(datePair('2014-11-07T15:14:25', 'America/New_York', { utc: true }), pair)
})

dates('return no pair for an invalid timestamp or outside of the years 0 to 9999', () => {
  assert.is(datePair('soon', 'UTC'), null)
  assert.is(datePair(null, 'UTC'), null)
  assert.is(datePair('9999-12-31T23:30:00', -1), null)
  assert.is(datePair('0000-01-01T00:30:00', 1), null)
})

dates('move a skipped local time forward by the gap', () => {
  assert.equal(datePair('2025-03-30T02:30:00', 'Europe/Berlin'), ['2025-03-30 03:30:00', '2025-03-30 01:30:00'])
  assert.equal(datePair('2025-03-09T02:30:00', 'America/New_York'), ['2025-03-09 03:30:00', '2025-03-09 07:30:00'])
})

dates('interpret a repeated local time as its first occurrence', () => {
  assert.equal(datePair('2025-10-26T02:30:00', 'Europe/Berlin'), ['2025-10-26 02:30:00', '2025-10-26 00:30:00'])
  assert.is(localFromUtc('2025-10-26 01:30:00', 'Europe/Berlin'), '2025-10-26 02:30:00')
})

dates('convert stored dates between local time and UTC', () => {
  assert.is(localFromUtc('2025-07-01 00:00:00', 'Asia/Kathmandu'), '2025-07-01 05:45:00')
  assert.is(utcFromLocal('2025-07-01 05:45:00', 'Asia/Kathmandu'), '2025-07-01 00:00:00')
  assert.is(localFromUtc('0000-00-00 00:00:00', 'UTC'), null)
  for (let day = 0; day < 366; day++) {
    const utc = formatUtc(at('2024-01-01T12:34:56Z') + day * 86_400)
    const local = localFromUtc(utc, 'Australia/Lord_Howe') ?? ''
    assert.is(utcFromLocal(local, 'Australia/Lord_Howe'), utc)
  }
})

dates('accept zones by name, by offset and by hours', () => {
  assert.is(gmtOffset('America/New_York', at('2025-01-01T00:00:00Z')), -5)
  assert.is(gmtOffset('America/New_York', at('2025-07-01T00:00:00Z')), -4)
  for (const [zone, hours] of [
    ['+05:30', 5.5],
    ['-0330', -3.5],
    ['UTC+3', 3],
    ['UTC-9.5', -9.5],
    ['UTC', 0],
    ['', 0],
    [5.75, 5.75],
    [-5, -5],
    ['Etc/GMT+5', -5],
  ] as const) {
    assert.is(gmtOffset(zone, 0), hours, String(zone))
  }
  assert.is(zoneOffset('Europe/Amsterdam', at('1900-01-01T00:00:00Z')) % 60 >= 0, true)
})

dates('distinguish valid from invalid zones', () => {
  assert.equal(['Europe/Berlin', '', '+02:00', 3].map(isTimeZone), [true, true, true, true])
  assert.equal(['Mars/Base', '+25:00', '+02:99', 24, NaN, null, {}].map(isTimeZone), [
    false,
    false,
    false,
    false,
    false,
    false,
    false,
  ])
  assert.throws(
    () => datePair('2025-01-01T00:00:00', 'Mars/Base'),
    (error: unknown) => error instanceof RangeError,
  )
})

dates('format stored dates for clients', () => {
  assert.is(toIso('2025-01-05 10:00:00'), '2025-01-05T10:00:00')
  assert.is(toIsoUtc('2025-01-05 10:00:00'), '2025-01-05T10:00:00+00:00')
  for (const none of [null, undefined, '', '0000-00-00 00:00:00', 'x']) assert.is(toIso(none), null)
  assert.is(formatUtc(0), '1970-01-01 00:00:00')
  assert.throws(() => formatUtc(1e12))
})

dates('treat all text as UTC with forceUtc, and derive the local time from it (8.1, rule 3)', () => {
  const pair = ['2025-01-05 11:00:00', '2025-01-05 10:00:00']
  for (const text of ['2025-01-05T10:00:00', '2025-01-05T10:00:00Z', '2025-01-05T10:00:00+05:00']) {
    assert.equal(datePair(text, 'Europe/Berlin', { forceUtc: true }), pair, text)
  }
})

dates.run()
