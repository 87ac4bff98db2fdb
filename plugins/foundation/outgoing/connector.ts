import type { LookupFunction, Socket } from 'node:net'
import { callbackify } from 'node:util'
import type { buildConnector as BuildConnector } from 'undici'
import { errors } from './errors.ts'
import type { Guard } from './guard.ts'

/** Milliseconds that connecting may take. */
const CONNECT_TIME = 10_000

/**
 * Makes what opens the connections to an origin. The system connects to addresses that the guard has checked, and to no
 * others: it asks for them by the `lookup` of the connection. An address in a URL is not looked up, so it is checked before.
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
  const connect = buildConnector({ lookup, timeout: CONNECT_TIME, autoSelectFamily: true, allowH2: false })
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

/** The port of a URL, also where it is the usual one of its scheme. */
export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

/** Looks once more, at what is connected in truth: the check then holds whatever became of the addresses on the way. */
function isChecked({ remoteAddress = '' }: Socket, host: string, port: number, guard: Guard): boolean {
  return guard.admits(host, remoteAddress, port)
}
