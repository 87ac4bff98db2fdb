import { BlockList, isIP, isIPv4 } from 'node:net'
import { ipv6Groups } from '../../requests/limits/index.ts'

/**
 * IPv4 networks that are not part of the public internet, from the registry of special-purpose addresses (RFC 6890),
 * and the address at which a cloud serves its virtual machines.
 */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8, 'this network'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'shared by customers of a provider'],
  ['127.0.0.0', 8, 'this machine'],
  ['168.63.129.16', 32, 'services of a cloud'],
  ['169.254.0.0', 16, 'link-local, services of clouds'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'protocol assignments'],
  ['192.0.2.0', 24, 'documentation'],
  ['192.88.99.0', 24, '6to4 relays'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'benchmarks'],
  ['198.51.100.0', 24, 'documentation'],
  ['203.0.113.0', 24, 'documentation'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved, broadcast'],
] as const

/** Contains all public IPv6 addresses. */
const GLOBAL_IPV6 = ['2000::', 3] as const
/** Networks in it that are not public, or that embed an IPv4 address. */
const SPECIAL_IPV6 = [
  ['2001::', 23, 'protocol assignments, Teredo'],
  ['2001:db8::', 32, 'documentation'],
  ['2002::', 16, '6to4'],
  ['3fff::', 20, 'documentation'],
] as const

const special = new BlockList()
for (const [network, bits] of SPECIAL_IPV4) special.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of SPECIAL_IPV6) special.addSubnet(network, bits, 'ipv6')
const global = new BlockList()
global.addSubnet(...GLOBAL_IPV6, 'ipv6')

/** Checks whether an IP address is part of the public internet. */
export function isPublic(address: string): boolean {
  const plain = plainAddress(address)
  if (plain === null) return false
  if (isIPv4(plain)) return !special.check(plain, 'ipv4')
  return global.check(plain, 'ipv6') && !special.check(plain, 'ipv6')
}

/**
 * Normalizes an IP address: returns the IPv4 address in an IPv4-mapped address (`::ffff:10.0.0.1`) or in a NAT64
 * address (`64:ff9b::10.0.0.1`), by which IPv6-only hosts reach IPv4. Returns null for invalid addresses and addresses
 * with a network interface (`fe80::1%eth0`).
 */
export function plainAddress(address: string): string | null {
  if (isIP(address) === 0 || address.includes('%')) return null
  const groups = ipv6Groups(address)
  if (groups === null) return address
  const [high = 0, low = 0] = groups.slice(6)
  const head = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(':')
  if (head !== '0:0:0:0:0:ffff' && head !== '64:ff9b:0:0:0:0') return address
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
