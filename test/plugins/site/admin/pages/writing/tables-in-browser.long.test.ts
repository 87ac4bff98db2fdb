import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { assertValid, checkInBlockEditor, useWriting, type Writing } from '../../../../../helpers/writing-page.ts'

const tables = suite('tables in the rich editor')
const { inEditor } = useWriting(tables)

interface Expected {
  readonly head?: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly caption?: string
}

const rowOf = (cells: readonly string[], tag: string) =>
  `<tr>${cells.map((cell) => (cell.startsWith('<') ? cell : `<${tag}>${cell}</${tag}>`)).join('')}</tr>`

/** Markup of a table; a cell that is an element stays as it is. */
function table({ head, rows, caption }: Expected): string {
  const thead = head === undefined ? '' : `<thead>${rowOf(head, 'th')}</thead>`
  const tbody = rows.length === 0 ? '' : `<tbody>${rows.map((row) => rowOf(row, 'td')).join('')}</tbody>`
  const text = caption === undefined ? '' : `<figcaption class="wp-element-caption">${caption}</figcaption>`
  return `<!-- wp:table -->\n<figure class="wp-block-table"><table class="has-fixed-layout">${thead}${tbody}</table>${text}</figure>\n<!-- /wp:table -->`
}

const GRID = { rows: [['A', 'B'], ['C', 'D']] } // prettier-ignore

/** Puts the cursor into a cell and opens the tools of its table. */
async function openTools({ page }: Writing, cell: string) {
  await page.getByRole('cell', { name: cell, exact: true }).click()
  await page.getByRole('tab', { name: 'Block' }).click()
}

async function expectTable({ source }: Writing, expected: Expected, message?: string) {
  const content = await source()
  assert.is(content, table(expected), message)
  assertValid(content)
}

inEditor('adds and removes rows and columns next to the cursor, each as one step', async (writing) => {
  const { page, show } = writing
  const cases: [button: string, expected: Expected][] = [
    ['Add row', { rows: [['A', 'B'], ['', ''], ['C', 'D']] }],
    ['Add column', { rows: [['A', 'B', ''], ['C', 'D', '']] }],
    ['Delete row', { rows: [['C', 'D']] }],
    ['Delete column', { rows: [['A'], ['C']] }],
  ] // prettier-ignore
  for (const [button, expected] of cases) {
    await show(table(GRID))
    await openTools(writing, 'B')
    await page.getByRole('button', { name: button, exact: true }).click()
    await expectTable(writing, expected, button)
    await page.keyboard.press('Control+z')
    await expectTable(writing, GRID, `${button}, undone`)
  }
})

inEditor('makes the first row a header row and back, and keeps it when rows and columns are added', async (writing) => {
  const { page, show } = writing
  await show(table(GRID))
  await openTools(writing, 'A')
  const header = page.getByLabel('Header row')
  await header.check()
  await expectTable(writing, { head: ['A', 'B'], rows: [['C', 'D']] })
  assert.is(await page.getByRole('columnheader').count(), 2)
  await page.getByRole('button', { name: 'Add row', exact: true }).click()
  await expectTable(writing, { head: ['A', 'B'], rows: [['', ''], ['C', 'D']] }) // prettier-ignore
  await page.getByRole('button', { name: 'Add column', exact: true }).click()
  await expectTable(writing, { head: ['A', '', 'B'], rows: [['', '', ''], ['C', '', 'D']] }) // prettier-ignore
  await header.uncheck()
  await expectTable(writing, { rows: [['A', '', 'B'], ['', '', ''], ['C', '', 'D']] }) // prettier-ignore
})

inEditor('merges selected cells and splits them again', async (writing) => {
  const { page, show } = writing
  await show(table({ rows: [['A', 'B'], ['C', 'D'], ['E', 'F']] })) // prettier-ignore
  const center = async (cell: string) => {
    const { x, y, width, height } = (await page.getByRole('cell', { name: cell, exact: true }).boundingBox())!
    return [x + width / 2, y + height / 2] as const
  }
  await openTools(writing, 'A')
  await page.mouse.move(...(await center('A')))
  await page.mouse.down()
  await page.mouse.move(...(await center('D')), { steps: 4 })
  await page.locator('td.selectedCell', { hasText: 'D' }).waitFor()
  await page.mouse.up()
  await page.getByRole('button', { name: 'Merge cells' }).click()
  await expectTable(writing, { rows: [['<td colspan="2" rowspan="2">A<br>B<br>C<br>D</td>'], [], ['E', 'F']] })
  await page.getByRole('button', { name: 'Split cell' }).click()
  await expectTable(writing, { rows: [['A<br>B<br>C<br>D', ''], ['', ''], ['E', 'F']] }) // prettier-ignore
})

inEditor('has a caption, and continues below it', async (writing) => {
  const { page, show, source } = writing
  await show(table(GRID))
  await openTools(writing, 'A')
  await page.getByRole('button', { name: 'Add caption' }).click()
  await page.keyboard.type('Boats')
  await expectTable(writing, { ...GRID, caption: 'Boats' })
  await page.keyboard.press('Enter')
  await page.keyboard.type('Below')
  assert.is(
    await source(),
    `${table({ ...GRID, caption: 'Boats' })}\n\n<!-- wp:paragraph -->\n<p>Below</p>\n<!-- /wp:paragraph -->`,
  )
})

inEditor('leaves a table with Escape, and deletes it', async (writing) => {
  const { page, show, source } = writing
  await show(table(GRID))
  await page.getByRole('cell', { name: 'A', exact: true }).click()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Delete')
  assert.is(await source(), '')
  await page.keyboard.press('Control+z')
  await expectTable(writing, GRID)
})

// Last, because the page loads the keys of tables with the first one.
inEditor('inserts a table, and moves between its cells with Tab, which adds a row at the end', async (writing) => {
  const { page, show, save } = writing
  await show('')
  await page.keyboard.type('/table')
  await page.keyboard.press('Enter')
  await page.keyboard.type('1')
  for (const text of ['2', '3', '4', '5', '6', '7']) {
    await page.keyboard.press('Tab')
    await page.keyboard.type(text)
  }
  const rows = [['1', '2'], ['3', '4'], ['5', '6'], ['7', '']] // prettier-ignore
  await expectTable(writing, { rows })
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('End')
  await page.keyboard.type('x')
  rows[2]![1] = '6x'
  await expectTable(writing, { rows })
  assert.is(await save(), table({ rows }))
})

checkInBlockEditor(tables, inEditor)

tables.run()
