// npm run docs: generates the reference pages from the code. With --check it only lists the outdated pages.
// test/docs.long.test.ts compares the pages with the code in the same way.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { referencePages } from './reference-pages.ts'

const root = resolve(import.meta.dirname, '../..')
const outdated: string[] = []
for (const [file, text] of await referencePages(root)) {
  const path = join(root, file)
  const existing = await readFile(path, 'utf8').catch(() => '')
  if (existing === text) continue
  outdated.push(file)
  if (process.argv.includes('--check')) continue
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
if (process.argv.includes('--check') && outdated.length > 0) {
  console.error(`These pages are outdated: ${outdated.join(', ')}. Run npm run docs.`)
  process.exitCode = 1
}
