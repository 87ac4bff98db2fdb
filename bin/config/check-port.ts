import { once } from 'node:events'
import { createServer } from 'node:net'
import { listenError } from '../../kernel/http/listen-errors.ts'

/**
 * Checks that a port can be opened, for commands that must not create a database if they cannot serve it.
 * @throws PORT_TAKEN, PORT_NOT_PERMITTED, HOST_NOT_AVAILABLE
 */
export async function checkPort(port: number, host: string): Promise<void> {
  const server = createServer((socket) => socket.destroy())
  try {
    await once(server.listen({ port, host }), 'listening')
  } catch (cause) {
    throw listenError(cause as NodeJS.ErrnoException, host, port)
  }
  await new Promise((resolve) => server.close(resolve))
}
