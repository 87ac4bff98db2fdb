import { defineErrors, sentence } from '../../../kernel/index.ts'

/** Errors of requests to other servers. None contains a path or query, which can be secret, or an address. */
export const errors = defineErrors({
  OUTGOING_URL_INVALID: (reason: string) =>
    `The URL of a request to another server cannot be used: ${sentence(reason)}`,
  OUTGOING_REQUEST_INVALID: (reason: string) => `A request to another server cannot be sent: ${sentence(reason)}`,
  OUTGOING_ALLOW_INVALID: (entry: string, reason: string) =>
    `"${entry}" cannot be allowed for requests to other servers: ${sentence(reason)} Give a host (cms.internal, *.internal), an address or a network (10.0.0.0/8), with a port (cms.internal:8081) if it is not a default one.`,
  OUTGOING_ADDRESS_REFUSED: (origin: string) =>
    `Requests to ${origin} are refused: the host or the port is not public. To permit them, add the host to the option allow of the plugin outgoing.`,
  OUTGOING_TOO_LARGE: (origin: string, max: number) => `The response of ${origin} is larger than ${max} bytes.`,
  OUTGOING_TOO_SLOW: (origin: string, ms: number) => `${origin} took longer than ${ms} milliseconds.`,
  OUTGOING_REDIRECTS: (origin: string, reason: string) =>
    `The redirect of ${origin} was not followed: ${sentence(reason)}`,
  OUTGOING_FAILED: (origin: string, reason: string) => `The request to ${origin} failed: ${sentence(reason)}`,
  OUTGOING_BUSY: 'Too many requests to other servers are queued. Try again later.',
  rest_too_many_outgoing_requests: [
    429,
    (seconds: number) => `You have caused too many requests to other sites. Try again in ${seconds} seconds.`,
  ],
  OUTGOING_STOPPED:
    'The request to another server was aborted because the server is stopping or the plugin outgoing was removed.',
})
