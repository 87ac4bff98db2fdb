import { createInterface } from 'node:readline/promises'

/** What to create. */
export type Kind = 'site' | 'plugin'

/** Whether the command can ask questions. */
export const isTerminal = (): boolean => process.stdin.isTTY && process.stdout.isTTY

export async function promptForName(): Promise<string> {
  return (await prompt('Folder of the new site or plugin (my-site): ')) || 'my-site'
}

export async function promptForKind(): Promise<Kind> {
  for (;;) {
    const answer = await prompt('A site (s), or a plugin for others to install (p)? (s) ')
    if (/^(?:s(?:ite)?)?$/i.test(answer)) return 'site'
    if (/^p(?:lugin)?$/i.test(answer)) return 'plugin'
  }
}

async function prompt(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  // Without a listener, readline ignores Ctrl-C. No file has been written yet.
  terminal.once('SIGINT', () => process.exit(130))
  try {
    return (await terminal.question(question)).trim()
  } finally {
    terminal.close()
  }
}
