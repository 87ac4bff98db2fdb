import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RestError } from '../../../../kernel/index.ts'
import type { ImportReport } from '../../../../plugins/operations/importer/report.ts'
import { readWxr } from '../../../../plugins/operations/importer/wxr/reader.ts'
import type { WxrRecord } from '../../../../plugins/operations/importer/wxr/types.ts'
import { normalizeSlug } from '../../../../plugins/resources/index.ts'
import type { Store } from '../../../../plugins/storage/store/store.ts'
import { randomOf, type Random } from '../../../helpers/random.ts'
import { serve } from '../../../helpers/site.ts'
import { stores } from '../../../helpers/stores.ts'
import { createImporter, garden, rows } from './importing.ts'

const MUTANTS = 5000
/** Every mutant with a multiple of this number is imported, too. */
const IMPORT_EVERY = 25
const SEED = 7
const MAX_READ_MS = 10_000
/** Kinds of items in a report. A damaged type can contain line breaks. */
const ITEMS = /(?:^| )items$/
const DATE = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

const original = readFileSync(garden)
const originalText = original.toString()
const tags = [...originalText.matchAll(/<\/?[\w:]+>/g)]
const values = [...originalText.matchAll(/>[^<>]{1,60}</g)]
/** Values that are wrong in most elements. */
const ODD_VALUES = [
  '',
  '0',
  '-1',
  '1e9',
  '2021-02-30 10:00:00',
  'A b/Ü',
  '99999999999999',
  'x'.repeat(500),
  'a:1:{',
  '💐',
]

const fileMemory = stores.find(({ name }) => name === 'SQLite memory')

const mutants = suite('damaged exports')

mutants('are read, or refused with a reason', async () => {
  const counts = { read: 0, refused: 0 }
  for (const [index, bytes] of generateMutants()) {
    const started = performance.now()
    const records = await readMutant(bytes).catch((error: unknown) => refusal(error, index))
    if (typeof records === 'string') counts.refused += 1
    else {
      counts.read += 1
      checkRecords(records, index)
    }
    assert.ok(performance.now() - started < MAX_READ_MS, `mutant ${index} takes more than ${MAX_READ_MS} ms`)
  }
  assert.is(counts.read + counts.refused, MUTANTS)
  // Most faults must not end an import.
  assert.ok(counts.read > MUTANTS * 0.7, JSON.stringify(counts))
  assert.ok(counts.refused > 0, JSON.stringify(counts))
})

// A run for PostgreSQL only leaves the stores of SQLite out.
if (fileMemory !== undefined) {
  mutants('are imported with valid values, and every object is in the report', async () => {
    await using site = await serve()
    const importInto = createImporter(site)
    const isStatus = (name: string) => site.kernel.services.statuses.get(name) !== undefined
    const isType = (name: string) => site.kernel.services.contentTypes.get(name) !== undefined
    let imported = 0
    for (const [index, bytes] of generateMutants()) {
      if (index % IMPORT_EVERY !== 0) continue
      await using opened = await fileMemory.open()
      const { store } = opened
      const records = await readMutant(bytes).catch((error: unknown) => refusal(error, index))
      const report = await importInto(store, { source: sourceOf(bytes) }).catch((error: unknown) =>
        refusal(error, index),
      )
      if (typeof report === 'string' || typeof records === 'string') {
        assert.is(report, records, `mutant ${index}`)
        assert.is((await rows(store, 'posts')).length, 0, `mutant ${index}: a refused file changes nothing`)
        continue
      }
      imported += 1
      await checkCounts(store, records, report, index)
      await checkRows(store, index, (post) => !isType(post.type) || isStatus(post.status))
    }
    assert.ok(imported > (MUTANTS / IMPORT_EVERY) * 0.7, `${imported} imported`)
  })
}

mutants.run()

/** Generates the mutants with their numbers, the same in each run. */
function* generateMutants(): Generator<[index: number, bytes: Buffer]> {
  const random = randomOf(SEED)
  for (let index = 0; index < MUTANTS; index += 1) yield [index, mutate(random)]
}

function mutate(random: Random): Buffer {
  const pick = (count: number) => Math.floor(random() * count)
  const at = pick(original.length)
  const length = 1 + pick(30)
  const to = pick(original.length)
  const before = original.subarray(0, at)
  switch (pick(8)) {
    case 0: {
      const bytes = Buffer.from(original)
      for (let count = 1 + pick(5); count > 0; count -= 1) bytes[pick(bytes.length)] = pick(256)
      return bytes
    }
    case 1:
      return Buffer.concat([before, original.subarray(at + length)])
    case 2:
      return Buffer.concat([before, original.subarray(at, at + length * 40), original.subarray(at)])
    case 3:
      return replaced(tags[pick(tags.length)]!, '')
    case 4:
      return Buffer.concat([before, original.subarray(at + length * 100)])
    case 5:
      return Buffer.concat([original.subarray(0, to), original.subarray(at, at + length), original.subarray(to)])
    case 6:
      return replaced(values[pick(values.length)]!, `>${ODD_VALUES[pick(ODD_VALUES.length)]}<`)
    default:
      return replaced(tags[pick(tags.length)]!, tags[pick(tags.length)]![0])
  }
}

function replaced({ index, 0: found }: RegExpExecArray, text: string): Buffer {
  return Buffer.from(originalText.slice(0, index) + text + originalText.slice(index + found.length))
}

async function* sourceOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function readMutant(bytes: Buffer): Promise<WxrRecord[]> {
  return await Array.fromAsync(readWxr(sourceOf(bytes)))
}

/** Returns the code of an expected error. @throws any other error, with the number of the mutant */
function refusal(error: unknown, index: number): string {
  if (!(error instanceof RestError)) throw new Error(`mutant ${index} crashes`, { cause: error })
  assert.match(error.code, /^IMPORT_[A-Z_]+$/, `mutant ${index}`)
  assert.ok(error.message.length > 10, `mutant ${index}`)
  return error.code
}

/** Each record and each repair names its line. */
function checkRecords(records: readonly WxrRecord[], index: number): void {
  for (const record of records) {
    if (record.kind === 'unknown' || record.kind === 'lost') assert.ok(record.count > 0, `mutant ${index}`)
    else if (record.kind !== 'site')
      assert.ok(Number(record.line) >= 1, `mutant ${index}: ${record.kind} without a line`)
  }
}

/** Everything that the reader yields is imported, already here, updated or skipped; and what is imported is stored. */
async function checkCounts(
  store: Store,
  records: readonly WxrRecord[],
  { counts }: ImportReport,
  index: number,
): Promise<void> {
  const items = records.filter((record) => record.kind === 'item')
  const lost = (objects: string) =>
    sumOf(records.map((record) => (record.kind === 'lost' && record.objects === objects ? record.count : 0)))
  const totalOf = (pattern: RegExp) =>
    sumOf(
      Object.entries(counts).map(([kind, { imported, alreadyHere, updated = 0, skipped }]) =>
        pattern.test(kind) ? imported + alreadyHere + updated + sumOf(Object.values(skipped)) : 0,
      ),
    )
  const importedOf = (pattern: RegExp) =>
    sumOf(Object.entries(counts).map(([kind, { imported }]) => (pattern.test(kind) ? imported : 0)))
  const label = `mutant ${index}: ${JSON.stringify(counts)}`
  assert.is(totalOf(ITEMS), items.length + lost('items'), `items of ${label}`)
  assert.is(
    totalOf(/^comments$/),
    sumOf(items.map(({ comments }) => comments.length)) + lost('comments'),
    `comments of ${label}`,
  )
  const stored = async (table: 'posts' | 'comments' | 'terms' | 'users') => (await rows(store, table)).length
  assert.is(importedOf(ITEMS), await stored('posts'), `items of ${label}`)
  assert.is(importedOf(/^comments$/), await stored('comments'), `comments of ${label}`)
  assert.is(importedOf(/ terms$/), await stored('terms'), `terms of ${label}`)
  assert.is(importedOf(/^users$/), await stored('users'), `users of ${label}`)
  // The report counts a term or an author once, and those that only items name, too.
  const terms = records.filter((record) => record.kind === 'term')
  const named = new Set(terms.map(({ taxonomy, slug, name }) => `${taxonomy}\n${slug || name}`))
  assert.ok(totalOf(/ terms$/) >= named.size, `terms of ${label}`)
  const authors = records.filter((record) => record.kind === 'author')
  const logins = new Set(authors.map(({ login }) => login.toLowerCase()))
  assert.ok(totalOf(/^users$/) >= logins.size, `users of ${label}`)
}

/** The stored rows have only values that the REST API would store. */
async function checkRows(
  store: Store,
  index: number,
  hasStatus: (post: { type: string; status: string }) => boolean,
): Promise<void> {
  const [posts, terms, comments, users, relationships] = await Promise.all([
    rows(store, 'posts'),
    rows(store, 'terms'),
    rows(store, 'comments'),
    rows(store, 'users'),
    rows(store, 'term_relationships'),
  ])
  const check = (holds: boolean, row: object, what: string) => {
    if (!holds) assert.unreachable(`mutant ${index}, ${what}: ${JSON.stringify(row)}`)
  }
  const idsOf = (all: readonly { id: number }[]) => new Set(all.map(({ id }) => id).concat(0))
  const [postIds, termIds, commentIds, userIds] = [idsOf(posts), idsOf(terms), idsOf(comments), idsOf(users)]
  for (const post of posts) {
    check(isDate(post.date) && isDate(post.modified), post, 'date')
    check(
      [post.date_gmt, post.modified_gmt].every((date) => date === '' || isDate(date)),
      post,
      'date in UTC',
    )
    check(hasStatus(post), post, 'status')
    check(normalizeSlug(post.slug) === post.slug, post, 'slug')
    check(postIds.has(post.parent_id) && post.parent_id !== post.id, post, 'parent')
    check(userIds.has(post.author_id), post, 'author')
    check(
      [post.comment_status, post.ping_status].every((status) => /^(?:open|closed)$/.test(status)),
      post,
      'discussion',
    )
  }
  for (const term of terms) {
    check(normalizeSlug(term.slug) === term.slug && term.slug !== '', term, 'slug')
    check(termIds.has(term.parent_id) && term.parent_id !== term.id, term, 'parent')
    check(term.taxonomy !== '' && term.name.trim() !== '', term, 'name')
  }
  for (const comment of comments) {
    check(isDate(comment.date), comment, 'date')
    check(comment.date_gmt === '' || isDate(comment.date_gmt), comment, 'date in UTC')
    check(comment.post_id !== 0 && postIds.has(comment.post_id), comment, 'post')
    check(commentIds.has(comment.parent_id) && comment.parent_id !== comment.id, comment, 'parent')
    check(userIds.has(comment.author_id), comment, 'author')
    check(/^(?:[01]|spam|trash|post-trashed)$/.test(comment.approved), comment, 'approval')
  }
  for (const user of users) {
    check(user.login !== '' && normalizeSlug(user.slug) === user.slug, user, 'names')
    check(isDate(user.registered), user, 'date')
  }
  for (const row of relationships) {
    check(row.term_id !== 0 && termIds.has(row.term_id) && postIds.has(row.post_id), row, 'relationship')
  }
  for (const table of ['post_meta', 'term_meta', 'comment_meta', 'user_meta'] as const) {
    for (const row of await rows(store, table)) check(row.json === 0 || isJson(row.value), row, table)
  }
}

function isDate(text: string): boolean {
  const time = Date.parse(`${text.replace(' ', 'T')}Z`)
  return DATE.test(text) && !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19).replace('T', ' ') === text
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
