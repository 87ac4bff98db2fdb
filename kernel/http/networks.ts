import { isIP } from 'node:net'

/** What an address of a client belongs to, from the narrow to the wide: each of them fails on its own account. */
export interface Networks {
  /** What one client has: an address of IPv4, a network of 64 bits of IPv6. */
  readonly client: string
  /** What one customer of a provider may have: 48 bits of IPv6; null for IPv4. */
  readonly site: string | null
}

/** The networks of an address. Text that is no address is a network of its own. */
export function networksOf(address: string): Networks {
  // Most addresses are of IPv4: this is asked for each request.
  if (!address.includes(':')) return { client: address, site: null }
  const groups = groupsOf(address)
  if (groups === null) return { client: address, site: null }
  // An address of IPv4 in the form of IPv6 (RFC 4291, 2.5.5.2).
  const [, , , , , mark, high = 0, low = 0] = groups
  if (groups.slice(0, 5).every((group) => group === 0) && mark === 0xffff) {
    return { client: [high >> 8, high & 255, low >> 8, low & 255].join('.'), site: null }
  }
  const first = (count: number) => groups.slice(0, count).map((group) => group.toString(16))
  return { client: `${first(4).join(':')}::/64`, site: `${first(3).join(':')}::/48` }
}

/** The eight numbers of an address of IPv6; null for any other text. */
function groupsOf(address: string): number[] | null {
  const plain = address.split('%', 1)[0]!
  if (isIP(plain) !== 6) return null
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(plain)
  const text =
    dotted === null
      ? plain
      : `${dotted[1]}${(Number(dotted[2]) * 256 + Number(dotted[3])).toString(16)}:${(Number(dotted[4]) * 256 + Number(dotted[5])).toString(16)}`
  const [head = '', tail] = text.split('::')
  const numbers = (part: string) => (part === '' ? [] : part.split(':').map((group) => parseInt(group, 16)))
  const [before, after] = [numbers(head), numbers(tail ?? '')]
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after]
}
