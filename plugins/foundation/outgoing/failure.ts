import { RestError } from '../../../kernel/index.ts'
import { errors } from './errors.ts'

/** Messages by error code. Messages of the system contain addresses. */
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name cannot be looked up at the moment',
  ECONNREFUSED: 'it accepts no connection',
  ECONNRESET: 'it closed the connection',
  EPIPE: 'it closed the connection',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached',
  ETIMEDOUT: 'no connection came about in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about in time',
  UND_ERR_SOCKET: 'it closed the connection',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of its response are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'its response is not as long as it says',
  HPE_HEADER_OVERFLOW: 'the headers of its response are too large',
}

/** Returns the error of a failed request. The cause is only for the log. */
export function failureOf(origin: string, cause: unknown): Error {
  if (cause instanceof RestError) return cause
  const code = codeOf(cause)
  return errors.OUTGOING_FAILED(origin, REASONS[code] ?? kindOf(code), { cause })
}

function kindOf(code: string): string {
  if (/CERT|SELF_SIGNED|UNABLE_TO|^ERR_TLS|^ERR_SSL|EPROTO/.test(code)) return `its certificate is refused (${code})`
  if (code.startsWith('HPE_')) return 'its response is not HTTP'
  if (/^Z_|^ERR__ERROR_|BROTLI/.test(code)) return 'its body cannot be decompressed'
  return code === '' ? 'the log has the reason' : code
}

/** Returns the error code, or the code of the first of several failures, one per tried address. */
function codeOf(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null) return ''
  const { code, errors: several } = cause as { code?: unknown; errors?: readonly unknown[] }
  if (typeof code === 'string') return code
  return Array.isArray(several) ? codeOf(several[0]) : ''
}
