import { lookup as lookUp, type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { promisify } from 'node:util'
import { plainAddress } from './addresses.ts'
import { plainHost, type AllowList } from './allow-list.ts'
import { errors } from './errors.ts'

/** All addresses of a host, as the system knows them. */
export type Lookup = (host: string) => Promise<readonly LookupAddress[]>

const allAddresses = promisify(lookUp)

/** Asks the system, which also reads its file of hosts. */
export const systemLookup: Lookup = (host) => allAddresses(host, { all: true, order: 'verbatim' })

/**
 * Says which hosts may be connected to, and at which of their addresses. It is asked for each connection, with the very
 * addresses that are connected to: a name that means another address a moment later leads nowhere else.
 */
export class Guard {
  readonly #allowed: AllowList
  readonly #home: () => string
  readonly #lookup: Lookup

  /** @param home URL of the site itself, which is refused unless it is allowed */
  constructor(allowed: AllowList, home: () => string, lookup: Lookup) {
    this.#allowed = allowed
    this.#home = home
    this.#lookup = lookup
  }

  /** Whether a host may be connected to at this address. */
  admits(host: string, address: string, port: number): boolean {
    const name = plainHost(host)
    if (this.#allowed.admits(name, address, port)) return true
    if (!this.#allowed.admitsPublic(address, port)) return false
    return name !== plainHost(new URL(this.#home()).hostname) && !isOwnAddress(address)
  }

  /** @throws OUTGOING_ADDRESS_REFUSED when the host is an address that may not be connected to */
  checkAddress(host: string, port: number): void {
    const address = plainHost(host)
    if (isIP(address) !== 0 && !this.admits(address, address, port)) throw refused(host, port)
  }

  /**
   * The addresses of a host that may be connected to; others that it has are never connected to.
   * @throws OUTGOING_ADDRESS_REFUSED when it has none of these; the error of the look-up
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

/** Whether an address is one of this machine's, also where that is a public one: who asks it asks itself. */
function isOwnAddress(address: string): boolean {
  const plain = plainAddress(address)
  return Object.values(networkInterfaces()).some((all) => all?.some((own) => plainAddress(own.address) === plain))
}
