import { lookup as lookUp, type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { promisify } from 'node:util'
import { plainAddress } from './addresses.ts'
import { plainHost, type AllowList } from './allow-list.ts'
import { errors } from './errors.ts'

/** Returns all addresses of a host. */
export type Lookup = (host: string) => Promise<readonly LookupAddress[]>

const allAddresses = promisify(lookUp)

/** Resolves hosts with the system, including its hosts file. */
export const systemLookup: Lookup = (host) => allAddresses(host, { all: true, order: 'verbatim' })

/**
 * Decides which hosts can be connected to, and at which of their addresses. It checks the addresses that each
 * connection uses, so that DNS rebinding has no effect.
 */
export class Guard {
  readonly #allowed: AllowList
  readonly #home: () => string
  readonly #lookup: Lookup

  /** @param home URL of the site itself, which is rejected unless it is allowed */
  constructor(allowed: AllowList, home: () => string, lookup: Lookup) {
    this.#allowed = allowed
    this.#home = home
    this.#lookup = lookup
  }

  /** Checks whether a connection to a host at this address is allowed. */
  admits(host: string, address: string, port: number): boolean {
    const name = plainHost(host)
    if (this.#allowed.admits(name, address, port)) return true
    if (!this.#allowed.admitsPublic(address, port)) return false
    return name !== plainHost(new URL(this.#home()).hostname) && !isOwnAddress(address)
  }

  /** @throws OUTGOING_ADDRESS_REFUSED if the host is an address that is not allowed */
  checkAddress(host: string, port: number): void {
    const address = plainHost(host)
    if (isIP(address) !== 0 && !this.admits(address, address, port)) throw refused(host, port)
  }

  /**
   * Returns the allowed addresses of a host.
   * @throws OUTGOING_ADDRESS_REFUSED if it has none; the error of the lookup
   */
  async addressesOf(host: string, port: number): Promise<LookupAddress[]> {
    const found = await this.#lookup(host)
    const admitted = found.filter(({ address }) => this.admits(host, address, port))
    if (admitted.length === 0) throw refused(host, port)
    return admitted
  }
}

function refused(host: string, port: number): Error {
  return errors.OUTGOING_ADDRESS_REFUSED(`${host}:${port}`)
}

/** Checks whether an address belongs to this machine, even if it is public. */
function isOwnAddress(address: string): boolean {
  const plain = plainAddress(address)
  return Object.values(networkInterfaces()).some((all) => all?.some((own) => plainAddress(own.address) === plain))
}
