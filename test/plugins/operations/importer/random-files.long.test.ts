import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve } from '../../../helpers/site.ts'
import { stores } from '../../../helpers/stores.ts'
import { createImporter, garden, inUse, one } from './importing.ts'
import { contentOf } from './same-site.ts'

/** A default site, whose rules for user input apply to the import. */
const site = await serve()
const importInto = createImporter(site)

const ROUNDS = 15
const text = readFileSync(garden, 'utf8')
const head = text.slice(0, text.search(/<wp:author>|<wp:category>|<wp:tag>|<wp:term>|<item>/))
/** The records of the garden. */
const records = [...text.matchAll(/<(wp:author|wp:category|wp:tag|wp:term|item)>[^]*?<\/\1>/g)].map(
  ([record]) => record,
)
const items = records.filter((record) => record.startsWith('<item>'))
/** Authors and terms, which each file of an export declares. */
const declared = records.filter((record) => !record.startsWith('<item>'))

/** A generator of numbers from 0 to below 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * Splits records into up to four files in any order, some of which occur twice.
 * @param each records that begin each file
 */
function filesOf(split: readonly string[], each: readonly string[], random: () => number): string[] {
  const parts: string[][] = Array.from({ length: 1 + Math.floor(random() * 4) }, () => [])
  for (const record of split) parts[Math.floor(random() * parts.length)]!.push(record)
  const files = [...parts, ...parts.filter(() => random() < 0.3)]
  const shuffled = files.map((part) => [random(), part] as const).sort(([first], [second]) => first - second)
  return shuffled.map(([, part]) => `${head}${[...each, ...part].join('\n')}</channel></rss>`)
}

for (const kind of stores) {
  const test = suite(`random files of an export: ${kind.name}`)

  const importAll = async (files: readonly string[], isUsed: boolean) => {
    await using opened = await kind.open()
    if (isUsed) await inUse(opened.store)
    for (const file of files) await importInto(opened.store, { source: one(file) })
    // Once more, in the same order: nothing may change.
    const content = await contentOf(opened.store)
    for (const file of files) await importInto(opened.store, { source: one(file) })
    assert.equal(await contentOf(opened.store), content)
    return content
  }

  test('give the site of the whole export, in any order and any number of times', async () => {
    const whole = await importAll([`${head}${records.join('\n')}</channel></rss>`], false)
    for (let seed = 1; seed <= ROUNDS; seed += 1) {
      assert.equal(await importAll(filesOf(items, declared, randomFrom(seed)), false), whole, `seed ${seed}`)
    }
  })

  test('add each object once to a site with content', async () => {
    const counts = (content: Record<string, readonly string[]>) =>
      Object.entries(content).map(([name, rows]) => `${name}: ${rows.length}`)
    const whole = counts(await importAll([`${head}${records.join('\n')}</channel></rss>`], true))
    for (let seed = 1; seed <= ROUNDS; seed += 5) {
      assert.equal(counts(await importAll(filesOf(records, [], randomFrom(seed)), true)), whole, `seed ${seed}`)
    }
  })

  test.after(async () => {
    if (kind === stores.at(-1)) await site[Symbol.asyncDispose]()
  })

  test.run()
}
