import { main } from '../../bin/commands/svc.ts'

/** Runs `svc` in this process; gives its exit code and what it printed, errors among it. */
export async function svc(...args: string[]): Promise<{ code: number; out: string }> {
  const { log, error } = console
  let out = ''
  console.log = console.error = (text: string) => void (out += `${text}\n`)
  try {
    return { code: await main(args), out }
  } finally {
    Object.assign(console, { log, error })
  }
}
