import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

/** Pages that tell a reader what to do: their blocks are executed. */
export const GUIDES = [
  'README.md',
  'docs/getting-started.md',
  ...globSync('docs/guides/*.md', { cwd: root })
    .map((page) => page.replaceAll('\\', '/'))
    .toSorted(),
]

const reference = await readFile(join(root, 'docs/reference/services.md'), 'utf8')

/** Names of all services. */
export const SERVICES: readonly string[] = [...reference.matchAll(/^\| \[`(\w+)`\]/gm)].map(([, name]) => name!)

/** A fenced block of a page. */
export interface Block {
  readonly page: string
  /** Text of the heading above it. */
  readonly heading: string
  readonly language: string
  readonly code: string
  /** Line number of its first line of code. */
  readonly line: number
}

/** Reads the fenced blocks of a page of the docs, also indented ones. */
export async function blocksOf(page: string): Promise<Block[]> {
  const text = await readFile(join(root, page), 'utf8')
  const blocks: Block[] = []
  let heading = ''
  for (const found of text.matchAll(/^#+ (.*)$|^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)) {
    const [, title, indent = '', language = '', code = ''] = found
    if (title !== undefined) {
      heading = title
      continue
    }
    const line = text.slice(0, found.index).split('\n').length + 1
    blocks.push({ page, heading, language, code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), line })
  }
  return blocks
}
