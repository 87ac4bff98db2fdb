import { BlockList, isIP, isIPv4 } from 'node:net'
import { isPublic, plainAddress } from './addresses.ts'
import { errors } from './errors.ts'

/** A port, any port, or the default ports. */
type Ports = number | '*' | undefined

interface Entry {
  readonly ports: Ports
  readonly admitsName: (host: string) => boolean
  readonly admitsAddress: (address: string) => boolean
}

const NONE = () => false

/**
 * Hosts and networks that are allowed besides the public internet. An entry is a host (`cms.internal`), all hosts below
 * a name (`*.internal`), an address or a network (`10.0.0.0/8`, `fd00::/8`). With a port it allows only that port:
 * `cms.internal:8081`, `[::1]:8081`, `10.0.0.0/8:8081`, or all ports: `127.0.0.1:*`. Otherwise it allows the default
 * ports.
 */
export class AllowList {
  readonly #entries: readonly Entry[]
  readonly #ports: ReadonlySet<number>

  /**
   * @param ports the default ports
   * @throws OUTGOING_ALLOW_INVALID
   */
  constructor(entries: readonly string[], ports: readonly number[]) {
    this.#entries = entries.map(entryOf)
    this.#ports = new Set(ports)
  }

  /** Checks whether a host is allowed at one of its addresses. @param host a name, or an address without brackets */
  admits(host: string, address: string, port: number): boolean {
    const plain = plainAddress(address)
    if (plain === null) return false
    return this.#entries.some(
      ({ ports, admitsName, admitsAddress }) =>
        (ports === '*' || (ports === undefined ? this.#ports.has(port) : ports === port)) &&
        (admitsName(host) || admitsAddress(plain)),
    )
  }

  /** Checks whether requests to a public address at this port are allowed. */
  admitsPublic(address: string, port: number): boolean {
    return this.#ports.has(port) && isPublic(address)
  }
}

/** Normalizes a host for comparison: lower case, without brackets and trailing dot. */
export function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
}

function entryOf(entry: string): Entry {
  const { host, port } = partsOf(entry.trim().toLowerCase())
  if (port !== undefined && port !== '*' && !(Number(port) >= 1 && Number(port) <= 65_535)) {
    throw errors.OUTGOING_ALLOW_INVALID(entry, 'its port is none')
  }
  const ports = port === undefined || port === '*' ? port : Number(port)
  if (isIP(host) !== 0 || host.includes('/')) {
    return { ports, admitsName: NONE, admitsAddress: networkOf(host, entry) }
  }
  const below = host.startsWith('*.')
  const name = nameOf(below ? host.slice(2) : host, entry)
  if (below && isIP(name) !== 0) throw errors.OUTGOING_ALLOW_INVALID(entry, 'nothing is below an address')
  if (isIP(name) !== 0) return { ports, admitsName: NONE, admitsAddress: networkOf(name, entry) }
  const admitsName = below
    ? (hostname: string) => hostname.endsWith(`.${name}`)
    : (hostname: string) => hostname === name
  return { ports, admitsName, admitsAddress: NONE }
}

/** The port follows the last colon, unless the whole entry is an IPv6 address or network. */
function partsOf(entry: string): { host: string; port: string | undefined } {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(entry)
  const parts = bracketed ?? /^([^:]*)(?::([^:]*))?$/.exec(entry) ?? [entry, entry]
  return { host: parts[1] ?? '', port: parts[2] }
}

/** Returns a check whether a normalized address is in a network or equals a single address. */
function networkOf(text: string, entry: string): (address: string) => boolean {
  const [, written = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const address = length === undefined ? plainAddress(written) : written
  if (address === null || isIP(address) === 0 || address.includes('%')) {
    throw errors.OUTGOING_ALLOW_INVALID(entry, 'that is no network')
  }
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  const maxBits = family === 'ipv4' ? 32 : 128
  const bits = length === undefined ? maxBits : Number(length)
  if (bits > maxBits) throw errors.OUTGOING_ALLOW_INVALID(entry, `its network has ${maxBits} bits at most`)
  const network = new BlockList()
  network.addSubnet(address, bits, family)
  return (candidate) => isIPv4(candidate) === (family === 'ipv4') && network.check(candidate, family)
}

/** Returns the name as in URLs: international names in ASCII, numbers as addresses. */
function nameOf(host: string, entry: string): string {
  const url = /[\s/@?#\\%*]/.test(host) || host === '' ? null : URL.parse(`http://${host}/`)
  if (url === null) throw errors.OUTGOING_ALLOW_INVALID(entry, 'that is no host')
  return plainHost(url.hostname)
}
