import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'

const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)

/**
 * ID of this process, unique across machines and restarts. Files and rows of unfinished work carry it, so that other
 * processes can check whether their owner has ended.
 */
export const processId: string = `${HOST}_${process.pid}_${randomBytes(4).toString('hex')}`

/** Checks whether a process has ended; always false for processes on other machines. */
export function hasEnded(id: string): boolean {
  const [host, pid = ''] = id.split('_')
  if (id === processId || host !== HOST) return false
  // The operating system can assign its PID to another process, including this one.
  return Number(pid) === process.pid || !isAlive(Number(pid))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process belongs to another account, but is running.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
