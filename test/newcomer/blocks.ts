import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** Pages whose shell blocks are run, in the order of the page. */
export const PAGES = ['README.md', 'docs/getting-started.md', 'docs/guides/first-evening.md'] as const

/** A shell block of a page. */
export interface Block {
  readonly page: string
  /** Text of the heading above. */
  readonly heading: string
  /** Commands without comments; a command on several lines is one. */
  readonly commands: readonly string[]
}

/** Reads the shell blocks of a page of the docs. */
export async function shellBlocks(page: string): Promise<Block[]> {
  const text = await readFile(join(root, page), 'utf8')
  const blocks: Block[] = []
  let heading = ''
  for (const [, title, language, code = ''] of text.matchAll(/^#+ (.*)$|^```(\w*)\n([\s\S]*?)^```$/gm)) {
    if (title !== undefined) heading = title
    else if (language === 'sh' || language === 'bash') blocks.push({ page, heading, commands: commandsOf(code) })
  }
  return blocks
}

function commandsOf(code: string): string[] {
  return code
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')
}
