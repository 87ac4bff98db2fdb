import type { LookupFunction, Socket } from 'node:net'
import { callbackify } from 'node:util'
import type { buildConnector as BuildConnector } from 'undici'
import { errors } from './errors.ts'
import type { Guard } from './guard.ts'

/** Maximum milliseconds for connecting. */
const CONNECT_TIMEOUT_MS = 10_000

/**
 * Creates the function that opens connections to an origin. The system connects only to addresses that the guard has
 * checked, because it gets them from the connection's `lookup`. An address in the URL is not looked up, so it is
 * checked first.
 */
export function guardedConnector(
  buildConnector: typeof BuildConnector,
  origin: URL,
  guard: Guard,
): BuildConnector.connector {
  const port = portOf(origin)
  const lookup: LookupFunction = (host, { all }, done) => {
    callbackify(() => guard.addressesOf(host, port))((error, addresses) => {
      if (error !== null || all === true) done(error, addresses)
      else done(null, addresses[0]!.address, addresses[0]!.family)
    })
  }
  const connect = buildConnector({ lookup, timeout: CONNECT_TIMEOUT_MS, autoSelectFamily: true, allowH2: false })
  return (options, done) => {
    try {
      guard.checkAddress(options.hostname, port)
    } catch (error) {
      done(error as Error, null)
      return
    }
    connect(options, (error, socket) => {
      if (error !== null) done(error, null)
      else if (isChecked(socket, options.hostname, port, guard)) done(null, socket)
      else {
        socket.destroy()
        done(errors.OUTGOING_ADDRESS_REFUSED(origin.origin), null)
      }
    })
  }
}

/** Returns the port of a URL, including the default port of its scheme. */
export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

/** Checks the connected address again, so that the check holds regardless of the lookup. */
function isChecked({ remoteAddress = '' }: Socket, host: string, port: number, guard: Guard): boolean {
  return guard.admits(host, remoteAddress, port)
}
