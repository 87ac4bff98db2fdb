import { blocksOf } from '../docs/blocks.ts'

/** Pages whose shell blocks `npm run newcomer` runs, in the order of the page. */
export const PAGES = ['README.md', 'docs/getting-started.md', 'docs/guides/first-evening.md'] as const

/** A shell block of a page. */
export interface ShellBlock {
  readonly page: string
  /** Text of the heading above it. */
  readonly heading: string
  /** Commands without comments; a command on several lines is one. */
  readonly commands: readonly string[]
}

/** Reads the shell blocks of a page of the docs. */
export async function shellBlocks(page: string): Promise<ShellBlock[]> {
  const blocks = await blocksOf(page)
  return blocks
    .filter(({ language }) => language === 'sh' || language === 'bash')
    .map(({ heading, code }) => ({ page, heading, commands: commandsOf(code) }))
}

function commandsOf(code: string): string[] {
  return code
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')
}
