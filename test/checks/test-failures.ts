import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

/** Start of the report of a failed test in uvu; the color codes before the word contain no space. */
const FAIL = /^ {2}(?=\S{0,30} FAIL )/m
/** A position in a stack: a URL or path, line and column. */
const POSITION = /(?:file:\/\/)?(\/[^\s()]*\.ts):(\d+):\d+/g

/**
 * Returns the reports of uvu about failed tests of a file, each below its position `test/file.test.ts:LINE`. Output
 * without such a report is returned unchanged: the file could not be loaded, or its process exited.
 * @param name path of the test file in `test/`
 * @param output output of the file
 */
export function failuresIn(name: string, output: string): string[] {
  const [before = '', ...reports] = output.split(FAIL)
  if (reports.length === 0) return [`  test/${name}\n${before}`]
  return reports.map((report) => `  ${positionIn(name, report)}\n  ${report.trimEnd()}`)
}

function positionIn(name: string, report: string): string {
  const positions = [...stripVTControlCharacters(report).matchAll(POSITION)].map(([whole, path = '', line]) => ({
    path: relative(process.cwd(), whole.startsWith('file://') ? fileURLToPath(`file://${path}`) : path),
    line,
  }))
  const found =
    positions.find(({ path }) => path === `test/${name}`) ?? positions.find(({ path }) => path.startsWith('test/'))
  return found === undefined ? `test/${name}` : `${found.path}:${found.line}`
}
