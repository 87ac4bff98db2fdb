'use strict'
// Loaded with --require: lets this process connect to its own machine only, as without a network.
const net = require('net')

const connect = net.Socket.prototype.connect
net.Socket.prototype.connect = function (...given) {
  // Node passes the arguments of net.connect() as one array.
  const [first, second] = Array.isArray(given[0]) ? given[0] : given
  const options = typeof first === 'object' ? first : { path: isNaN(first) ? first : undefined, host: second }
  const host = typeof options.host === 'string' ? options.host : 'localhost'
  if (options.path || /^(localhost|127\.|::1$)/.test(host)) return connect.apply(this, given)
  const error = Object.assign(new Error(`connect ENETUNREACH ${host}`), { code: 'ENETUNREACH' })
  process.nextTick(() => this.destroy(error))
  return this
}
