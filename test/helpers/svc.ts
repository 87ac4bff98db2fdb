import { main } from '../../bin/commands/svc.ts'

/** Runs `svc` in this process. Returns the exit code, stdout, stderr, and both outputs in order. */
export async function svc(...args: string[]): Promise<{ code: number; out: string; err: string; output: string }> {
  const { log, error } = console
  const lines: { text: string; isError: boolean }[] = []
  const textOf = (some: typeof lines) => some.map(({ text }) => text).join('\n')
  console.log = (text: string) => void lines.push({ text, isError: false })
  console.error = (text: string) => void lines.push({ text, isError: true })
  try {
    const code = await main(args)
    const [out, err] = [false, true].map((isStderr) => textOf(lines.filter(({ isError }) => isError === isStderr)))
    return { code, out: out!, err: err!, output: textOf(lines) }
  } finally {
    Object.assign(console, { log, error })
  }
}
