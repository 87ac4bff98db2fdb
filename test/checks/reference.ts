// npm run docs: writes the reference pages from the code: hooks, errors, config, commands, plugins. With --check it
// only says which pages are behind the code. test/docs.long.test.ts holds the pages against the code in the same way.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { referencePages } from './reference-pages.ts'

const root = resolve(import.meta.dirname, '../..')
const behind: string[] = []
for (const [file, text] of await referencePages(root)) {
  const path = join(root, file)
  const there = await readFile(path, 'utf8').catch(() => '')
  if (there === text) continue
  behind.push(file)
  if (process.argv.includes('--check')) continue
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
if (process.argv.includes('--check') && behind.length > 0) {
  console.error(`These pages are behind the code: ${behind.join(', ')}. Run npm run docs.`)
  process.exitCode = 1
}
