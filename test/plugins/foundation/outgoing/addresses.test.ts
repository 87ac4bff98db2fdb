import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isPublic, plainAddress } from '../../../../plugins/foundation/outgoing/addresses.ts'
import { AllowList } from '../../../../plugins/foundation/outgoing/allow-list.ts'
import { Guard } from '../../../../plugins/foundation/outgoing/guard.ts'
import { targetOf } from '../../../../plugins/foundation/outgoing/target.ts'

const all = suite('outgoing: addresses')

/** An independent oracle: IPv4 by arithmetic on the 32 bits. */
function isPublic4(number: number): boolean {
  const within = (from: string, bits: number) => {
    const [a = 0, b = 0, c = 0, d = 0] = from.split('.').map(Number)
    const size = 2 ** (32 - bits)
    return Math.floor(number / size) === Math.floor((((a * 256 + b) * 256 + c) * 256 + d) / size)
  }
  const closed: [string, number][] = [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 3],
    ['168.63.129.16', 32],
  ]
  return !closed.some(([from, bits]) => within(from, bits))
}

/** IPv6 by its leading bits as a text of zeros and ones. */
function isPublic6(groups: readonly number[]): boolean {
  const bits = groups.map((group) => group.toString(2).padStart(16, '0')).join('')
  const embedded = () => isPublic4(groups[6]! * 65_536 + groups[7]!)
  const zeros = (count: number) => '0'.repeat(count)
  if (bits.startsWith(zeros(80) + '1'.repeat(16))) return embedded()
  const nat64 = (0x64).toString(2).padStart(16, '0') + (0xff9b).toString(2).padStart(16, '0')
  if (bits.startsWith(nat64 + zeros(64))) return embedded()
  if (!bits.startsWith('001')) return false
  const [first = 0, second = 0] = groups
  if (first === 0x2001 && (second < 0x200 || second === 0xdb8)) return false
  return first !== 0x2002 && !(first === 0x3fff && second < 0x1000)
}

const dotted = (number: number) => [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.')

/** Numbers near the limits of closed networks, and random numbers. */
const ipv4 = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  fc
    .tuple(
      fc.constantFrom(
        ...[0, 1, 10, 11, 100, 127, 128, 168, 169, 172, 192, 198, 203, 223, 224, 240, 255].map(
          (first) => first * 2 ** 24,
        ),
        ...[
          '100.64.0.0',
          '100.128.0.0',
          '168.63.129.16',
          '169.254.169.254',
          '172.16.0.0',
          '172.32.0.0',
          '192.0.2.0',
          '192.88.99.0',
          '192.168.0.0',
          '198.18.0.0',
          '198.20.0.0',
          '198.51.100.0',
          '203.0.113.0',
        ].map((text) => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)),
      ),
      fc.integer({ min: -300, max: 300 }),
    )
    .map(([base, offset]) => Math.min(2 ** 32 - 1, Math.max(0, base + offset))),
)

const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }))
const ipv6 = fc.oneof(
  fc.tuple(
    fc.constantFrom(
      0,
      0x64,
      0x100,
      0x2000,
      0x2001,
      0x2002,
      0x3ffe,
      0x3fff,
      0x4000,
      0x5f00,
      0xfc00,
      0xfd00,
      0xfe80,
      0xfec0,
      0xff02,
    ),
    fc.constantFrom(0, 1, 0x1ff, 0x200, 0xdb8, 0xfff, 0x1000, 0xff9b),
    group,
    group,
    group,
    fc.constantFrom(0, 0xffff),
    group,
    group,
  ),
  fc
    .tuple(
      ipv4,
      fc.constantFrom(
        [0, 0, 0, 0, 0, 0xffff],
        [0x64, 0xff9b, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0],
        [0x64, 0xff9b, 1, 0, 0, 0],
      ),
    )
    .map(([number, head]) => [...head, number >>> 16, number & 0xffff]),
) as fc.Arbitrary<number[]>

/** One number of an address in one of the bases that URLs understand. */
const inBase = (number: number, base: number) =>
  base === 16 ? `0x${number.toString(16)}` : base === 8 ? `0${number.toString(8)}` : String(number)

/** The spellings of an IPv4 address in URLs: one to four numbers, each in any base, in other letters, encoded, with a dot. */
const spelling4 = (number: number) =>
  fc
    .record({
      parts: fc.integer({ min: 1, max: 4 }),
      bases: fc.array(fc.constantFrom(8, 10, 16), { minLength: 4, maxLength: 4 }),
      style: fc.constantFrom('plain', 'wide', 'encoded', 'upper', 'dots'),
      dot: fc.constantFrom('', '.'),
    })
    .map(({ parts, bases, style, dot }) => {
      const heads = Array.from({ length: parts - 1 }, (_, index) => (number >>> (24 - index * 8)) & 255)
      const rest = parts === 1 ? number : number % 2 ** (32 - 8 * (parts - 1))
      const text = [...heads, rest].map((one, index) => inBase(one, bases[index]!)).join('.') + dot
      if (style === 'wide') return text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
      if (style === 'encoded') return text.replace(/\d/g, (digit) => `%3${digit}`)
      if (style === 'dots') return text.replaceAll('.', '。')
      return style === 'upper' ? text.toUpperCase() : text
    })

/** The spellings of an IPv6 address: short or long, in either case, the end as an IPv4 address. */
const spelling6 = (groups: readonly number[]) =>
  fc.constantFrom('long', 'padded', 'upper', 'dotted', 'short').map((style) => {
    const hex = groups.map((one) => one.toString(16))
    if (style === 'padded') return hex.map((one) => one.padStart(4, '0')).join(':')
    if (style === 'upper') return hex.join(':').toUpperCase()
    if (style === 'dotted') return `${hex.slice(0, 6).join(':')}:${dotted(groups[6]! * 65_536 + groups[7]!)}`
    return style === 'short' ? hex.join(':').replace(/(?:^|:)0(?::0)+(?::|$)/, '::') : hex.join(':')
  })

const guard = new Guard(
  new AllowList([], [80, 443]),
  () => 'http://own.test',
  () => Promise.reject(new Error('no look-up')),
)
const isAllowed = (url: string) => {
  const { hostname } = targetOf(url)
  try {
    guard.checkAddress(hostname, 80)
    return true
  } catch {
    return false
  }
}

all('S36: every spelling of an IPv4 address in a URL is classified as the address', () => {
  const spellings = ipv4.chain((number) => fc.tuple(fc.constant(number), spelling4(number)))
  fc.assert(
    fc.property(spellings, ([number, text]) => {
      assert.is(targetOf(`http://${text}/`).hostname, dotted(number), text)
      assert.is(isAllowed(`http://${text}/`), isPublic4(number), `${text} is ${dotted(number)}`)
    }),
    { numRuns: 3000 },
  )
})

all('S36: every spelling of an IPv6 address is classified as the address, including embedded IPv4 addresses', () => {
  const spellings = ipv6.chain((groups) => fc.tuple(fc.constant(groups), spelling6(groups)))
  fc.assert(
    fc.property(spellings, ([groups, text]) => {
      assert.is(isAllowed(`http://[${text}]/`), isPublic6(groups), text)
      assert.is(isPublic(text), isPublic6(groups), text)
    }),
    { numRuns: 3000 },
  )
})

all('S36: an invalid address from a DNS lookup is not public', () => {
  for (const text of [
    '',
    'localhost',
    '127.1',
    '1.2.3',
    '8.8.8.8%eth0',
    'fe80::1%eth0',
    '2606:4700::1%1',
    '0x8080808',
    ' 8.8.8.8',
  ]) {
    assert.is(isPublic(text), false, text)
  }
  assert.is(plainAddress('::FFFF:8.8.8.8'), '8.8.8.8')
  assert.ok(isPublic('8.8.8.8') && isPublic('2606:4700:4700::1111'))
})

all('an allowed network contains its addresses and no others', () => {
  const bits = fc.integer({ min: 1, max: 32 })
  fc.assert(
    fc.property(ipv4, ipv4, bits, (network, address, length) => {
      const list = new AllowList([`${dotted(network)}/${length}`], [80])
      const size = 2 ** (32 - length)
      const isInside = Math.floor(network / size) === Math.floor(address / size)
      assert.is(list.admits('a.test', dotted(address), 80), isInside)
      assert.is(list.admits('a.test', `::ffff:${dotted(address)}`, 80), isInside)
      assert.is(list.admits('a.test', dotted(address), 81), false)
    }),
    { numRuns: 1000 },
  )
})

all.run()
