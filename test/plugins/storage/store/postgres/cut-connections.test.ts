import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { PostgresBackend } from '../../../../../plugins/storage/store/postgres/backend.ts'
import { withRawConnection } from '../../../../../plugins/storage/store/transfer/raw-connection.ts'

/** Returns a message of the protocol of PostgreSQL: its type, the length of the rest, and the content. */
function message(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(content.length + 4)
  return Buffer.concat([Buffer.from(type), length, content])
}

const AUTHENTICATED = message('R', Buffer.alloc(4))
const READY = message('Z', Buffer.from('I'))
const TERMINATED = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'))

/** A server that accepts each connection and ends it in the same packet, as while it shuts down. */
async function cuttingServer(): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, TERMINATED])))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/nothing`,
    async [Symbol.asyncDispose]() {
      await once(server.close(), 'close')
    },
  }
}

const test = suite('connections that PostgreSQL ends right after accepting them')

test('are reported, and do not end the process', async () => {
  await using server = await cuttingServer()
  const backend = new PostgresBackend(server.url, {})
  const codeOf = (work: Promise<unknown>) => work.then(String, (error: { code?: string }) => error.code)
  assert.is(await codeOf(backend.snapshot(async () => 'done')), 'STORE_UNAVAILABLE')
  assert.is(await codeOf(backend.write((connection) => connection.exec('select 1'))), 'STORE_UNAVAILABLE')
  backend.changes.readNew()
  await backend.close()
  assert.ok((await codeOf(withRawConnection(server.url, async () => 'done'))) !== 'done')
})

test.run()
