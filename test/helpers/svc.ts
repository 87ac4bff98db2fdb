import { main } from '../../bin/commands/svc.ts'

/** Runs `svc` in this process; gives its exit code, what it printed, the errors that it printed, and both in turn. */
export async function svc(...args: string[]): Promise<{ code: number; out: string; err: string; told: string }> {
  const { log, error } = console
  const lines: { text: string; isError: boolean }[] = []
  const textOf = (some: typeof lines) => some.map(({ text }) => text).join('\n')
  console.log = (text: string) => void lines.push({ text, isError: false })
  console.error = (text: string) => void lines.push({ text, isError: true })
  try {
    const code = await main(args)
    const [out, err] = [false, true].map((wanted) => textOf(lines.filter(({ isError }) => isError === wanted)))
    return { code, out: out!, err: err!, told: textOf(lines) }
  } finally {
    Object.assign(console, { log, error })
  }
}
