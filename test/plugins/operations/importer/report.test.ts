import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formatReport } from '../../../../plugins/operations/importer/report.ts'
import { serve } from '../../../helpers/site.ts'
import { stores } from '../../../helpers/stores.ts'
import { bringBy } from './importing.ts'

const site = await serve()
const bring = bringBy(site)

const report = suite('import report')

report('says what came, what did not and why', async () => {
  const [kind] = stores
  await using opened = await kind!.open()
  const text = formatReport(await bring(opened.store, { hasFile: () => false }))
  assert.match(text, /^Imported \d+ things from http:\/\/garden\.example to https:\/\/new\.test/)
  for (const line of [
    /post items +3 +0 +1/,
    /post items: 1 × drafts that were never saved/,
    /revision items: 1 × of items that are not in the file/,
    /elements: 1 × <item\/wp:stars>, which is unknown here/,
    /1 × media file that is not among the uploads \(2024\/05\/rose\.jpg\)/,
    /1 × comment of an account that is not in the file; keeps the name \(Stranger\)/,
    /1 × author whom only items name; has an account without email now \(guest\)/,
  ]) {
    assert.match(text, line)
  }
})

report('is told how far it is while it runs', async () => {
  const [kind] = stores
  await using opened = await kind!.open()
  const told: number[] = []
  await bring(opened.store, { onProgress: ({ items }) => told.push(items) })
  assert.is(told.at(-1), 15)
})

report.after(async () => site[Symbol.asyncDispose]())

report.run()
