import type { ServerOptions } from 'node:http'
import type { Limits } from '../site-config.ts'

/** How Node's server is set up. */
export function serverOptions({ headers, time }: Pick<Limits, 'headers' | 'time'>): ServerOptions {
  return {
    maxHeaderSize: headers,
    requestTimeout: time,
    headersTimeout: Math.min(time, 20_000),
    connectionsCheckingInterval: 1000,
    keepAliveTimeout: 10_000,
    optimizeEmptyRequests: true,
    // Refused here, with a response like every other.
    requireHostHeader: false,
  }
}
