import { isIP } from 'node:net'

/** The networks that an IP address belongs to, from narrow to wide. Each is limited separately. */
export interface Networks {
  /** The network of one client: an IPv4 address, or 64 bits of an IPv6 address. */
  readonly client: string
  /** The network of one customer of a provider: 48 bits of an IPv6 address; null for IPv4. */
  readonly site: string | null
}

/** Returns the networks of an IP address. Any other text is treated as the name of a separate network. */
export function networksOf(address: string): Networks {
  // Fast path: most addresses are IPv4, and this runs for each request.
  if (!address.includes(':')) return { client: address, site: null }
  const groups = ipv6Groups(address)
  if (groups === null) return { client: address, site: null }
  // IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2).
  const [, , , , , mark, high = 0, low = 0] = groups
  if (groups.slice(0, 5).every((group) => group === 0) && mark === 0xffff) {
    return { client: [high >> 8, high & 255, low >> 8, low & 255].join('.'), site: null }
  }
  const first = (count: number) => groups.slice(0, count).map((group) => group.toString(16))
  return { client: `${first(4).join(':')}::/64`, site: `${first(3).join(':')}::/48` }
}

/** Returns the eight groups of an IPv6 address as numbers; null for any other text. */
export function ipv6Groups(address: string): number[] | null {
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
