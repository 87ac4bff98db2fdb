import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openProject } from '../../../checks/mentioned-types.ts'
import { catalogTexts } from '../../../checks/words.ts'

const root = resolve(import.meta.dirname, '../../../..')
const replaced = suite('replaced texts')

/** Texts with another meaning: jobs that wait, and pages about a site. */
const OTHERS: ReadonlySet<string> = new Set(['jobs|Waiting', 'pattern|About', 'theme|About'])
/** Number of words from which a text must not be part of another one. */
const MIN_WORDS = 4

// The file lists texts of the user interface that were rewritten, one a line.
replaced('are not used again, alone or within other texts', async () => {
  const list = await readFile(join(import.meta.dirname, 'replaced-texts.txt'), 'utf8')
  const old = list.trimEnd().split('\n')
  const sentences = old.filter((text) => text.split(' ').length >= MIN_WORDS)
  using project = openProject(join(root, 'tsconfig.json'))
  const { texts, plurals } = catalogTexts(project, root).words
  const used = [...texts, ...Object.entries(plurals).flat()].filter((text) => !OTHERS.has(text))
  assert.ok(old.length > 200 && used.length > 1000, `${old.length} replaced texts, ${used.length} used ones`)
  const bare = new Map(used.map((text) => [text.slice(text.indexOf('|') + 1), text]))
  const again = [
    ...old.filter((text) => bare.has(text)),
    ...used.filter((text) => sentences.some((sentence) => text.includes(sentence))),
  ]
  assert.equal(again, [])
})

replaced.run()
