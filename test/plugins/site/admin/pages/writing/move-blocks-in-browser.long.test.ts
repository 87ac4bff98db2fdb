import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { assertValid, checkInBlockEditor, useWriting, type Writing } from '../../../../../helpers/writing-page.ts'

const moves = suite('moving blocks in the rich editor')
const { inEditor } = useWriting(moves)

const paragraph = (text: string) => `<!-- wp:paragraph -->\n<p>${text}</p>\n<!-- /wp:paragraph -->`
const paragraphs = (...texts: string[]) => texts.map(paragraph).join('\n\n')
const group = (...blocks: string[]) =>
  `<!-- wp:group {"layout":{"type":"constrained"}} -->\n<div class="wp-block-group">${blocks.join('\n\n')}</div>\n<!-- /wp:group -->`
const list = (...items: string[]) =>
  `<!-- wp:list -->\n<ul class="wp-block-list">${items
    .map((item) => `<!-- wp:list-item -->\n<li>${item}</li>\n<!-- /wp:list-item -->`)
    .join('\n\n')}</ul>\n<!-- /wp:list -->`

const blockOf = (page: Page, text: string) => page.locator('.ProseMirror p', { hasText: text })

/** Drags the handle of a block to the upper or lower half of another block. */
async function drag(
  { page }: Writing,
  text: string,
  target: string,
  part: 'upper' | 'lower',
  column: 'text' | 'gutter',
) {
  // Beside the text, where the toolbar of the selected block does not cover it.
  const own = (await blockOf(page, text).boundingBox())!
  await page.mouse.move(own.x - 10, own.y + own.height / 2)
  const handle = page.getByRole('button', { name: 'Select the block, or drag it' })
  const start = (await handle.boundingBox())!
  const end = (await blockOf(page, target).boundingBox())!
  const x = column === 'text' ? end.x + 40 : start.x + 5
  const y = end.y + end.height * (part === 'upper' ? 0.25 : 0.75)
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2)
  await page.mouse.down()
  await page.mouse.move(x, y - 3, { steps: 3 })
  await page.mouse.move(x, y)
  await page.locator('.editor.is-dragging').waitFor()
  await page.mouse.up()
  await page.locator('.editor:not(.is-dragging)').waitFor()
}

inEditor('moves a block with its handle, over the text or along the margin', async (writing) => {
  const { page, show, source } = writing
  const content = paragraphs('One', 'Two', 'Three', 'Four')
  for (const column of ['text', 'gutter'] as const) {
    await show(content)
    await drag(writing, 'Three', 'One', 'upper', column)
    assert.is(await source(), paragraphs('Three', 'One', 'Two', 'Four'), column)
    await drag(writing, 'Three', 'Four', 'lower', column)
    assert.is(await source(), paragraphs('One', 'Two', 'Four', 'Three'), column)
    await drag(writing, 'Four', 'Two', 'lower', column)
    assert.is(await source(), paragraphs('One', 'Two', 'Four', 'Three'), column)
    await drag(writing, 'Two', 'Four', 'upper', column)
    assert.is(await source(), paragraphs('One', 'Two', 'Four', 'Three'), column)
    await page.keyboard.press('Control+z')
    assert.is(await source(), paragraphs('Three', 'One', 'Two', 'Four'), column)
    await page.keyboard.press('Control+z')
    assert.is(await source(), content, column)
  }
})

inEditor(
  'moves, copies and removes inner blocks with the keyboard and the toolbar, and takes it back',
  async (writing) => {
    const { page, show, source, select } = writing
    const toolbar = page.getByRole('toolbar', { name: 'Formatting' })
    for (const wrap of [group, list]) {
      const inner = (...texts: string[]) => wrap(...texts.map((text) => (wrap === group ? paragraph(text) : text)))
      const content = `${inner('One', 'Two', 'Three')}\n\n${paragraph('End')}`
      const steps: [key: string, button: string, expected: string][] = [
        ['Alt+Shift+ArrowUp', 'Move up', inner('One', 'Three', 'Two')],
        ['Alt+Shift+ArrowUp', 'Move up', inner('Three', 'One', 'Two')],
        ['Alt+Shift+ArrowUp', 'Move up', inner('Three', 'One', 'Two')],
        ['Alt+Shift+ArrowDown', 'Move down', inner('One', 'Three', 'Two')],
        ['Control+Shift+d', 'Duplicate', inner('One', 'Three', 'Three', 'Two')],
        ['Alt+Shift+Backspace', 'Delete', inner('One', 'Three', 'Two')],
      ]
      for (const way of ['keyboard', 'toolbar'] as const) {
        await show(content)
        await select('Three')
        await toolbar.waitFor()
        for (const [key, button, expected] of steps) {
          if (way === 'keyboard') await page.keyboard.press(key)
          else await toolbar.getByRole('button', { name: button }).click()
          const now = await source()
          assert.is(now, `${expected}\n\n${paragraph('End')}`, `${way} ${button}`)
          assertValid(now)
        }
        for (const [, , expected] of steps
          .slice(1, 5)
          .toReversed()
          .filter((_, index) => index !== 2)) {
          await page.keyboard.press('Control+z')
          assert.is(await source(), `${expected}\n\n${paragraph('End')}`, `${way} undone`)
        }
      }
    }
  },
)

inEditor(
  'keeps the text when the type of a block changes, and its settings where both types have them',
  async (writing) => {
    const { page, show, source, select } = writing
    const text = 'A <strong>bold</strong> word<br>and a line'
    const start = `<!-- wp:paragraph {"align":"center","className":"x","textColor":"red"} -->\n<p class="has-text-align-center x has-red-color has-text-color">${text}</p>\n<!-- /wp:paragraph -->`
    await show(start)
    await select('word')
    const types = page.getByRole('combobox', { name: 'Change block type' })
    const written: string[] = [start]
    const names = ['Heading 2', 'Heading 4', 'List', 'Numbered list', 'Quote', 'Preformatted text', 'Code', 'Paragraph']
    for (const name of names) {
      await types.selectOption({ label: name })
      const content = await source()
      assertValid(content)
      assert.match(content, /bold[^]*word[^]*and a line/, name)
      written.push(content)
    }
    assert.match(
      written[1]!,
      /<h2 class="[^"]*has-text-align-center[^"]*">A <strong>bold<\/strong> word<br>and a line<\/h2>/,
    )
    assert.match(written[1]!, /"className":"x"[^]*"textColor":"red"|"textColor":"red"[^]*"className":"x"/)
    for (const content of written.toReversed().slice(1)) {
      await page.keyboard.press('Control+z')
      assert.is(await source(), content)
    }
  },
)

inEditor('drags a group as a whole', async (writing) => {
  const { page, show, source } = writing
  const content = `${group(paragraph('One'), paragraph('Two'))}\n\n${paragraph('Three')}`
  await show(content)
  await drag(writing, 'Two', 'Three', 'lower', 'text')
  const moved = `${paragraph('Three')}\n\n${group(paragraph('One'), paragraph('Two'))}`
  assert.is(await source(), moved)
  assertValid(moved)
  await page.keyboard.press('Control+z')
  assert.is(await source(), content)
})

checkInBlockEditor(moves, inEditor)

moves.run()
