import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'

const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)

/**
 * ID of this process, unique across machines and restarts. Files and rows that it leaves behind carry it, so that other
 * processes can tell whether their owner has ended.
 */
export const processId: string = `${HOST}_${process.pid}_${randomBytes(4).toString('hex')}`

/** Whether a process is known to have ended; of processes on other machines nothing is known. */
export function hasEnded(id: string): boolean {
  const [host, pid = ''] = id.split('_')
  if (id === processId || host !== HOST) return false
  // The system may have given its pid to another process, this one included.
  return Number(pid) === process.pid || !isAlive(Number(pid))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // The process of another account is alive as well.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
