import { errors } from '../errors.ts'

/** What the system says when an address cannot be listened on, in words that say what to do; anything else as it is. */
export function whyNotListening(cause: unknown, host: string, port: number): unknown {
  const { code } = cause as NodeJS.ErrnoException
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`
  if (code === 'EADDRINUSE') return errors.PORT_TAKEN(address, { cause })
  if (code === 'EACCES' || code === 'EPERM') return errors.PORT_NOT_PERMITTED(address, { cause })
  if (code !== undefined && NO_SUCH_HOST.has(code)) return errors.HOST_NOT_AVAILABLE(host, { cause })
  return cause
}

const NO_SUCH_HOST: ReadonlySet<string> = new Set([
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EINVAL',
  'ENOTFOUND',
])
