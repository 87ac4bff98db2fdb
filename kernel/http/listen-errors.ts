import { once } from 'node:events'
import { createServer } from 'node:net'
import { errors } from '../errors.ts'
import { formatAddress } from './host.ts'

/**
 * Opens a port and closes it again, for commands that must not create anything if they cannot serve it.
 * @throws PORT_TAKEN, PORT_NOT_PERMITTED, HOST_NOT_AVAILABLE
 */
export async function checkPort(port: number, host: string): Promise<void> {
  const server = createServer((socket) => socket.destroy())
  try {
    await once(server.listen({ port, host }), 'listening')
  } catch (cause) {
    throw listenError(cause as NodeJS.ErrnoException, host, port)
  }
  await new Promise((resolve) => server.close(resolve))
}

/** The error for a host and port that cannot be listened on, which says what to do; any other error as it is. */
export function listenError(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  const { code } = cause
  const address = formatAddress(host, port)
  if (code === 'EADDRINUSE') return errors.PORT_TAKEN(address, { cause })
  if (code === 'EACCES' || code === 'EPERM') return errors.PORT_NOT_PERMITTED(address, { cause })
  if (code !== undefined && NO_SUCH_HOST.has(code)) return errors.HOST_NOT_AVAILABLE(host, { cause })
  return cause
}

const NO_SUCH_HOST: ReadonlySet<string> = new Set(
  'EADDRNOTAVAIL EAFNOSUPPORT EAI_AGAIN EAI_FAIL EINVAL ENOTFOUND'.split(' '),
)
