import {
  definePlugin,
  errors,
  guarded,
  type LimitedCall,
  type QueuedRequest,
  type RequestLimits,
} from '../../../kernel/index.ts'
import { ConnectionLimit } from './connections.ts'
import { networksOf } from './networks.ts'
import { RequestQueue } from './request-queue.ts'
import { ResponseTransfer } from './response-transfer.ts'
import { SlowClients } from './slow-clients.ts'
import { SlowSources } from './slow-sources.ts'
import { TimeLimit } from './time-limit.ts'

export { ipv6Groups, networksOf } from './networks.ts'
export { waitingInWords } from './waiting-in-words.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /** Limits connections, requests and transfers. */
    limits: RequestLimits
  }
}

/** Pipelined requests of one connection that can wait. */
const MAX_PIPELINED_REQUESTS = 1000
/** Longest time between two checks for slow requests and transfers. */
const MAX_TICK_MS = 500

/**
 * Limits the connections and concurrent requests of each network, the duration of each request, and how slowly clients
 * can transfer bodies and responses. The config key `limits` sets the values. Without this plugin, Node still limits
 * how long a request can take to arrive and how large its headers can be.
 */
export default definePlugin({
  name: 'limits',
  provides: ['limits'],
  apply(plugin) {
    const { config, log, provide, onRemove } = plugin
    const { limits, trust_proxy, debug } = config
    const { requestTimeout, connectionTimeout } = limits
    const logLate = ({ id, route, incoming: { method, url }, work: { waiting } }: LimitedCall, message: string) => {
      log.error({ request: id, method, url, route, waiting }, message)
    }
    const tooLate = ({ id, network, arrived = Infinity }: QueuedRequest, now: number) => {
      if (now - arrived < requestTimeout) return null
      log.info({ request: id, status: 503 }, `refused: waited ${requestTimeout} ms for earlier requests of ${network}`)
      return errors.rest_handler_timeout(requestTimeout)
    }
    const connections = new ConnectionLimit({ connections: limits.connections, trust_proxy })
    const queue = new RequestQueue(limits.atOnce, tooLate)
    const calls = new TimeLimit(requestTimeout, { server: () => plugin.server, log: logLate, exposesReason: debug })
    const clients = new SlowClients(limits)
    const sources = new SlowSources(requestTimeout, logLate)

    const checkAll = guarded(
      (err) => log.error({ err }, 'checking the time limits of requests failed'),
      () => {
        const now = performance.now()
        calls.check(now)
        clients.check(now)
        sources.check(now)
      },
    )
    const clock = setInterval(checkAll, Math.min(MAX_TICK_MS, requestTimeout / 4, connectionTimeout / 4)).unref()
    onRemove(() => clearInterval(clock), 'limits timer')

    provide('limits', {
      maxPipelined: MAX_PIPELINED_REQUESTS,
      networkOf: (ip) => networksOf(ip).client,
      accepts: (connection) => {
        queue.noteConnection()
        return connections.accepts(connection)
      },
      turn: queue.turn.bind(queue),
      release: queue.release.bind(queue),
      limit: calls.limit.bind(calls),
      watch: clients.add.bind(clients),
      unwatch: clients.remove.bind(clients),
      watchResponse: (outgoing, socket) => {
        const transfer = new ResponseTransfer(outgoing, socket)
        clients.add(transfer)
        outgoing.once('close', () => clients.remove(transfer))
      },
      watchSource: sources.add.bind(sources),
    })
  },
})
