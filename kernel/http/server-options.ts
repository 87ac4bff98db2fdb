import type { ServerOptions } from 'node:http'
import type { Limits } from '../site-config.ts'

/** How Node's server is set up. */
export function serverOptions({ headers, requestTimeout }: Pick<Limits, 'headers' | 'requestTimeout'>): ServerOptions {
  return {
    maxHeaderSize: headers,
    requestTimeout,
    headersTimeout: Math.min(requestTimeout, 20_000),
    connectionsCheckingInterval: 1000,
    keepAliveTimeout: 10_000,
    optimizeEmptyRequests: true,
    // Refused here, with a response like every other.
    requireHostHeader: false,
  }
}
