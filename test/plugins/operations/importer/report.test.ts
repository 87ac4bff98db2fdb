import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Counters, formatReport, noteLines } from '../../../../plugins/operations/importer/report.ts'
import { serve } from '../../../helpers/site.ts'
import { stores } from '../../../helpers/stores.ts'
import { createImporter } from './importing.ts'

const site = await serve()
const importInto = createImporter(site)

const report = suite('import report')

report('lists imported and skipped objects with reasons', async () => {
  const [kind] = stores
  await using opened = await kind!.open()
  const text = formatReport(await importInto(opened.store, { hasFile: () => false }))
  assert.match(text, /^Imported \d+ objects from http:\/\/garden\.example to https:\/\/new\.test/)
  for (const line of [
    /post items +3 +0 +1/,
    /post items: 1 × drafts that were never saved/,
    /1 × item whose parent is not in the file; parent removed \(ID 142\)/,
    /elements: 1 × unknown element <item\/wp:stars>/,
    /1 × media file missing in the uploads folder \(2024\/05\/rose\.jpg\)/,
    /1 × comment of a user who is not in the file; keeps the name of the author \(Stranger\)/,
    /1 × author without a declaration; account created without an email address \(guest\)/,
  ]) {
    assert.match(text, line)
  }
})

report('names file, line, record and value of each repair', () => {
  const counters = new Counters()
  counters.repaired('invalid-date', { file: 'b.xml', line: 12, item: 'A post', value: '2020-02-30 10:00:00' })
  counters.repaired('invalid-date', { line: 40, item: 'ID 7' })
  counters.repaired('text-after', { item: '' })
  assert.equal(noteLines(counters.results()), [
    '2 × date that does not exist; the next date of the record is used (b.xml, line 12, A post: 2020-02-30 10:00:00, line 40, ID 7)',
    '1 × text after the end of the export; ignored',
  ])
})

report('follows the progress of the import', async () => {
  const [kind] = stores
  await using opened = await kind!.open()
  const itemCounts: number[] = []
  await importInto(opened.store, { onProgress: ({ items }) => itemCounts.push(items) })
  assert.is(itemCounts.at(-1), 15)
})

report.after(async () => site[Symbol.asyncDispose]())

report.run()
