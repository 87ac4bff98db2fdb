import { errors } from '../errors.ts'
import { formatAddress } from './host.ts'

/** Returns a helpful error for a host and port that the server cannot listen on; other errors unchanged. */
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
