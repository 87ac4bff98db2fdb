import { globSync, readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { REPORT_TEXTS } from '../../../../../plugins/site/admin/pages/import/report.ts'

const report = suite('the texts of import reports')

const folder = new URL('../../../../../plugins/operations/importer/', import.meta.url)

report('match the reasons and notes that the importer writes, so that none loses its translation', () => {
  const sources = globSync('**/*.ts', { cwd: folder })
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
    .join('\n')
    .replaceAll(/\$\{[^{}]*\}|\{\w+\}/g, '{}')
  const lost = REPORT_TEXTS.filter((text) => !sources.includes(text.replaceAll(/\{\w+\}/g, '{}')))
  assert.equal(lost, [])
})

report.run()
