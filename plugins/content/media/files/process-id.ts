import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'

const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)

/** What this process signs with what it leaves on the disk and in the database, so that others can tell when it is gone. */
export const thisProcess: string = `${HOST}_${process.pid}_${randomBytes(4).toString('hex')}`

/** Whether the process of a tag is known to have ended: of another machine nobody here knows. */
export function hasEnded(tag: string): boolean {
  const [host, pid = ''] = tag.split('_')
  if (tag === thisProcess || host !== HOST) return false
  // Its number is another's now, or was given anew to this one.
  return Number(pid) === process.pid || !isAlive(Number(pid))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // One of another account is there as well.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
