import { defineErrors, sentence } from '../../../kernel/index.ts'

/** Errors of requests to other servers. None contains a path or query, which can be secret, or an address. */
export const errors = defineErrors({
  OUTGOING_URL_INVALID: (why: string) => `The URL of a request to another server cannot be used: ${sentence(why)}`,
  OUTGOING_REQUEST_INVALID: (why: string) => `A request to another server cannot be sent: ${sentence(why)}`,
  OUTGOING_ALLOW_INVALID: (entry: string, why: string) =>
    `"${entry}" cannot be allowed for requests to other servers: ${sentence(why)} Give a host (cms.internal, *.internal), an address or a network (10.0.0.0/8), with a port (cms.internal:8081) if it is another one.`,
  OUTGOING_ADDRESS_REFUSED: (origin: string) =>
    `${origin} is not asked: it is not a public host at a port for requests to other servers. Those who run the site may name it in the option allow of the plugin outgoing.`,
  OUTGOING_TOO_LARGE: (origin: string, most: number) => `The response of ${origin} is larger than ${most} bytes.`,
  OUTGOING_TOO_SLOW: (origin: string, ms: number) => `${origin} took longer than ${ms} milliseconds.`,
  OUTGOING_REDIRECTS: (origin: string, why: string) =>
    `${origin} redirects, and that is not followed: ${sentence(why)}`,
  OUTGOING_FAILED: (origin: string, why: string) => `The request to ${origin} has failed: ${sentence(why)}`,
  OUTGOING_BUSY: 'Too many requests to other servers wait for their turn. Try again later.',
  rest_too_many_outgoing_requests: [
    429,
    (seconds: number) => `You have had too many other sites asked. Try again in ${seconds} seconds.`,
  ],
  OUTGOING_STOPPED: 'The server stops, or the plugin outgoing is removed: the request to another server was ended.',
})
